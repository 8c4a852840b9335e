import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { waitUntil } from '../../scripts/wait-until.ts';
import { sendRequest, uploadTestDesign } from '../../server/testing/requests.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole } from './open-console.ts';
import { waitForDrawing } from './wait-for-drawing.ts';

/** Longer than preview links and the grants in previews are valid. */
const OPEN_MS = 45 * 60 * 1000;
const MAX_RENEWALS = 2;
const READY = 'html[data-state=ready]';

describe('the view of a design that is open for a long time', () => {
  it('shows a model that is loaded late', async (t) => {
    const { service, page } = await openConsole(t);
    const { id } = await uploadTestDesign(service);
    const released = Promise.withResolvers<void>();
    await page.route('**/embed/assets/*.glb*', async (route) => {
      await released.promise;
      await route.continue();
    });
    const requested = page.waitForRequest('**/embed/assets/*.glb*');
    await page.goto(`${service.origin}/console/designs/${id}`);
    await requested;
    service.advanceTime(OPEN_MS);
    const refused = page.waitForResponse((response) => response.status() === 403);
    released.resolve();
    await refused;
    await page.frameLocator('iframe').locator(READY).waitFor();
  });

  it('is reloaded with a new link, and keeps its camera', async (t) => {
    const { service, page } = await openConsole(t);
    const { id } = await uploadTestDesign(service);
    await page.goto(`${service.origin}/console/designs/${id}`);
    const view = page.frameLocator('iframe').locator(READY);
    await view.waitFor();
    const frame = page.locator('iframe');
    const untouched = await waitForDrawing(frame);
    await frame.hover();
    await page.mouse.down();
    await page.mouse.move(0, 0, { steps: 3 });
    await page.mouse.up();
    const moved = await waitForDrawing(frame);
    assert.notDeepEqual(moved, untouched);

    const src = await frame.getAttribute('src');
    service.advanceTime(OPEN_MS);
    const renewed = page.waitForResponse('**/preview-links');
    await view.evaluate(() => location.reload());
    await renewed;
    await page.locator(`iframe:not([src="${src}"])`).waitFor();
    await view.waitFor();
    await waitUntil('the same view', async () => moved.equals(await frame.screenshot()));
  });

  it('is not requested for ever while new links are refused', async (t) => {
    const { service, page } = await openConsole(t);
    const { id } = await uploadTestDesign(service);
    let linkCount = 0;
    const sources: string[] = [];
    await page.route('**/preview-links', async (route) => {
      linkCount += 1;
      const link = await sendRequest(service, 'POST', `/v1/designs/${id}/preview-links`, {});
      service.advanceTime(OPEN_MS);
      sources.push(link.json().src);
      await route.fulfill({ json: link.json() });
    });
    await page.goto(`${service.origin}/console/designs/${id}`);
    await waitUntil('the last link', () => sources.length === 1 + MAX_RENEWALS);
    await page.locator(`iframe[src="${sources.at(-1)}"]`).waitFor();
    await page.frameLocator('iframe').getByText('For the site’s author').waitFor();
    // Another link would be requested before this one.
    await page.evaluate(() => fetch('/v1/sessions/current'));
    assert.equal(linkCount, 1 + MAX_RENEWALS);
  });
});

describe('the preview link of a design', () => {
  it('shows the design in a browser that is not signed in', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const { id } = await uploadTestDesign(service);
    await page.goto(`${service.origin}/console/designs/${id}`);
    await page.getByRole('button', { name: 'Copy a preview link' }).click();
    const dialog = page.getByRole('dialog');
    const url = await dialog.getByRole('group', { name: 'Preview link' }).innerText();
    await assertPageFits(page, 'a preview link');
    await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
    await dialog.getByText('Copied', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    const context = await page.context().browser()?.newContext();
    const other = (await context?.newPage()) ?? assert.fail('no browser');
    await other.goto(url.trim());
    await other.frameLocator('iframe').locator('html[data-state=ready]').waitFor();
    assert.deepEqual(errors, []);
  });
});
