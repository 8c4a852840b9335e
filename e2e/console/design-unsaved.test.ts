import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Design } from '@cloche/contract/design';
import type { Page, Route } from 'playwright-core';
import { waitUntil } from '../../scripts/wait-until.ts';
import { sendRequest, uploadTestDesign } from '../../server/testing/requests.ts';
import { openConsole } from './open-console.ts';

const PATTERN = '**/v1/designs/*';

/** Holds the next change of a design. Returns functions that wait until it is sent, and send it on. */
async function holdChange(page: Page) {
  const sent = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const hold = async (route: Route) => {
    // The page also reads the design, such as after an event.
    if (route.request().method() !== 'PATCH') return route.continue();
    sent.resolve();
    await released.promise;
    await route.continue();
    await page.unroute(PATTERN, hold);
  };
  await page.route(PATTERN, hold);
  return { sent: sent.promise, release: released.resolve };
}

describe('changes of a design that are not saved', () => {
  it('warns about defaults that are not saved, and does not save an invalid value', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const { id } = await uploadTestDesign(service);
    await page.goto(`${service.origin}/console/designs/${id}`);
    await page.getByRole('button', { name: 'Take the camera from the view' }).click();
    // The camera is known when the viewer answers.
    await page.getByText('Not saved yet.').waitFor();
    const fieldOfView = page.getByLabel('Field of view', { exact: true });
    await fieldOfView.fill('wide');
    const save = page.getByRole('button', { name: 'Save the defaults' });
    await save.click();
    await page.getByRole('alert').filter({ hasText: '"Field of view" has no valid' }).waitFor();
    const read = async (): Promise<Design> =>
      (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();
    assert.deepEqual((await read()).viewer, {});
    const questions: string[] = [];
    page.once('dialog', (dialog) => {
      questions.push(dialog.message());
      void dialog.dismiss();
    });
    await page.getByRole('link', { name: 'Embed', exact: true }).last().click();
    await waitUntil('the question', () => questions.length === 1);
    await fieldOfView.fill('33deg');
    await save.click();
    await save.waitFor({ state: 'detached' });
    assert.equal((await read()).viewer.fieldOfView, '33deg');
    assert.deepEqual(errors, []);
  });

  it('keeps what is typed while a change is saved, and asks once before the page is left', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const { id } = await uploadTestDesign(service);
    const url = `/v1/designs/${id}`;
    const read = async (): Promise<Design> => (await sendRequest(service, 'GET', url)).json();
    await page.goto(`${service.origin}/console/designs/${id}`);
    const name = page.getByLabel('Name', { exact: true });
    const description = page.getByLabel('Description');
    const save = page.getByRole('button', { name: 'Save the details' });
    await name.fill('First');
    const fields = await holdChange(page);
    await save.click();
    await fields.sent;
    await description.fill('Typed later');
    fields.release();
    await page.getByRole('heading', { name: 'First' }).waitFor();
    await page.locator('button[aria-disabled="true"]').waitFor({ state: 'detached' });
    assert.equal(await description.inputValue(), 'Typed later');
    assert.equal(await page.getByRole('alert').count(), 0);

    const fieldOfView = page.getByLabel('Field of view', { exact: true });
    await fieldOfView.fill('33deg');
    const saveDefaults = page.getByRole('button', { name: 'Save the defaults' });
    const defaults = await holdChange(page);
    await saveDefaults.click();
    await defaults.sent;
    await fieldOfView.fill('34deg');
    defaults.release();
    await page.locator('button[aria-disabled="true"]').waitFor({ state: 'detached' });
    assert.equal(await fieldOfView.inputValue(), '34deg');
    assert.equal((await read()).viewer.fieldOfView, '33deg');

    await save.click();
    await save.waitFor({ state: 'detached' });
    assert.equal((await read()).description, 'Typed later');

    const conflict = await holdChange(page);
    await saveDefaults.click();
    await conflict.sent;
    await sendRequest(service, 'PATCH', url, { viewer: { fieldOfView: '50deg' } });
    conflict.release();
    await page.getByRole('alert').filter({ hasText: 'The defaults were changed' }).waitFor();
    assert.equal((await read()).viewer.fieldOfView, '50deg');

    await description.fill('Not saved');
    const questions: string[] = [];
    page.on('dialog', (dialog) => {
      questions.push(dialog.message());
      void dialog.accept();
    });
    await page.getByRole('link', { name: 'Embed', exact: true }).last().click();
    await page.waitForURL('**/console/embed**');
    assert.equal(questions.length, 1);
    assert.deepEqual(errors, []);
  });
});
