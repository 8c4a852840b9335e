import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Design } from '@cloche/contract/design';
import { makeBox } from '@cloche/pipeline/testing/models';
import { makePng } from '@cloche/pipeline/testing/png';
import { waitUntil } from '../../scripts/wait-until.ts';
import {
  GLB_HEADERS,
  issueToken,
  sendRequest,
  uploadTestDesign,
} from '../../server/testing/requests.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole, signInToConsole } from './open-console.ts';
import { waitForDrawing } from './wait-for-drawing.ts';

describe('the revisions and the poster of a design', () => {
  it('shows a new revision and a new poster without a reload, and keeps the view', async (t) => {
    let renderCount = 0;
    const posterRenderer = {
      async render() {
        renderCount += 1;
        const bytes = makePng(renderCount, 10, [0, 0, 0]);
        const images = [{ kind: 'poster', bytes, width: renderCount, height: 10 }];
        return { images, placeholder: { color: '#ffffff', image: '' } };
      },
      async [Symbol.asyncDispose]() {},
    } as never;
    const { service, page, errors } = await openConsole(t, { processing: { posterRenderer } });
    const { id } = await uploadTestDesign(service);
    const stream = page.waitForResponse((response) =>
      response.url().endsWith('/v1/designs/events'),
    );
    await page.goto(`${service.origin}/console/designs/${id}`);
    await stream;
    const poster = page.getByAltText('The poster of the design');
    const waitForPoster = (width: number) =>
      waitUntil(`poster ${width}`, async () => {
        const shown = await poster.evaluate((image) => (image as HTMLImageElement).naturalWidth);
        return shown === width;
      });
    await waitForPoster(1);
    await page.locator('iframe').evaluate((frame) => frame.setAttribute('data-first', ''));
    await page.getByRole('button', { name: 'Render the poster again' }).click();
    await waitForPoster(2);
    await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { name: 'Changed elsewhere' });
    await page.getByRole('heading', { name: 'Changed elsewhere' }).waitFor();
    // The view was not loaded again.
    assert.equal(await page.locator('iframe[data-first]').count(), 1);

    const box = makeBox({ name: 'B' });
    await sendRequest(service, 'PUT', `/v1/designs/${id}/model`, box, GLB_HEADERS);
    await page.locator('strong', { hasText: 'Revision 2' }).waitFor();
    await page.locator('iframe:not([data-first])').waitFor();
    await assertPageFits(page, 'a design with a poster');
    await sendRequest(service, 'DELETE', `/v1/designs/${id}`);
    await page.getByRole('alert').waitFor();
    await assertPageFits(page, 'a design that is gone');
    assert.deepEqual(errors, []);
  });

  it('takes the camera from the view; shows another revision; offers nothing else to readers', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const { id } = await uploadTestDesign(service);
    const url = `/v1/designs/${id}/model`;
    const put = await sendRequest(
      service,
      'PUT',
      url,
      makeBox({ name: 'B', color: [0, 0, 1] }),
      GLB_HEADERS,
    );
    assert.equal(put.statusCode, 200, put.body);
    const path = `${service.origin}/console/designs/${id}`;
    await page.goto(path);
    await page.getByRole('button', { name: 'Take the camera from the view' }).click();
    await page.getByRole('button', { name: 'Save the defaults' }).click();
    await page.getByRole('button', { name: 'Save the defaults' }).waitFor({ state: 'detached' });
    const read = async (): Promise<Design> =>
      (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();
    const { viewer } = await read();
    assert.match(viewer.cameraOrbit ?? '', /^\S+deg \S+deg \S+m$/);
    assert.match(viewer.fieldOfView ?? '', /deg$/);

    await page.getByLabel('The shown revision and').selectOption('1');
    for (const title of ['Revision 1', 'Revision 2']) {
      await page.frameLocator(`iframe[title="${title}"]`).locator('canvas').waitFor();
    }
    const [left, right] = ['Revision 2', 'Revision 1'].map((title) =>
      page.locator(`iframe[title="${title}"]`),
    );
    assert.ok(left && right);
    await waitForDrawing(left);
    await waitForDrawing(right);
    assert.notDeepEqual(await right.screenshot(), await left.screenshot());
    const still = await right.screenshot();
    // Controls, and the connection of the two views, may arrive after the pictures.
    await waitUntil('the other camera moves', async () => {
      await left.hover();
      await page.mouse.down();
      const { x, y } = (await left.boundingBox()) ?? assert.fail('not visible');
      await page.mouse.move(x + 20, y + 60, { steps: 5 });
      await page.mouse.up();
      return !(await right.screenshot()).equals(still);
    });
    await assertPageFits(page, 'two revisions side by side');
    await page.getByRole('button', { name: 'Render the poster again' }).click();
    await page.getByText('The poster will be rendered again.').waitFor();
    await page.getByRole('button', { name: 'Show revision 1' }).click();
    await page.getByRole('button', { name: 'Show it' }).click();
    await page.getByRole('button', { name: 'Show revision 2' }).waitFor();
    assert.equal((await read()).revision, 1);

    const reader = await issueToken(service, { capabilities: ['read'], origins: [] });
    await page.context().clearCookies();
    await page.goto(path);
    await signInToConsole(page, reader.token);
    await page.getByRole('heading', { name: 'Revisions', exact: true }).waitFor();
    await page.locator('strong', { hasText: 'Revision 2' }).waitFor();
    for (const action of ['Delete', 'Take the camera from the view', 'Show revision 2']) {
      assert.equal(
        await page.getByRole('button', { name: action, exact: true }).count(),
        0,
        action,
      );
    }
    assert.equal(await page.getByLabel('Name', { exact: true }).isDisabled(), true);
    assert.deepEqual(errors, []);
  });
});
