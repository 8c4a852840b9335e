import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Design } from '@cloche/contract/design';
import { makeBox } from '@cloche/pipeline/testing/models';
import { waitUntil } from '../../scripts/wait-until.ts';
import { createBlockingProcessor } from '../../server/testing/fake-processing.ts';
import type { TestServer } from '../../server/testing/harness.ts';
import { GLB_HEADERS, sendRequest, uploadTestDesign } from '../../server/testing/requests.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole } from './open-console.ts';

/** Uploads a design without waiting until it is processed. */
async function upload(service: TestServer, name: string): Promise<Design> {
  const url = `/v1/designs?name=${encodeURIComponent(name)}`;
  const headers = { ...GLB_HEADERS, prefer: '' };
  return (await sendRequest(service, 'POST', url, makeBox({ name }), headers)).json();
}

describe('the states of a design on its page', () => {
  it('shows a file that waits, is processed, is stopped, and becomes ready', async (t) => {
    const { processor, started, release } = createBlockingProcessor();
    const processing = { modelProcessor: processor, concurrency: 1 };
    const { service, page, errors } = await openConsole(t, { processing });
    const first = await upload(service, 'First');
    await started;
    const second = await upload(service, 'Second');
    const open = (id: string) => page.goto(`${service.origin}/console/designs/${id}`);
    const state = page.getByRole('region', { name: 'State' });
    const stop = state.getByRole('button', { name: 'Stop processing' });

    await open(second.id);
    await state.getByText('The file is waiting to be processed.').waitFor();
    await stop.waitFor();
    await assertPageFits(page, 'a design that waits');
    await stop.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop processing' }).click();
    await state.getByText('Processing was cancelled.').waitFor();
    await state.getByLabel('Upload a new file').waitFor();
    assert.equal(await stop.count(), 0);
    await assertPageFits(page, 'a design that was cancelled');

    await open(first.id);
    await state.getByText('The file is being processed.').waitFor();
    await state.getByRole('progressbar', { name: 'Processing' }).waitFor();
    await stop.waitFor();
    await assertPageFits(page, 'a design that is processed');
    release();
    await state.waitFor({ state: 'detached' });
    await page.getByText('There is no poster yet.').waitFor();
    await page.locator('iframe').waitFor();
    await assertPageFits(page, 'a design without a poster');
    assert.deepEqual(errors, []);
  });

  it('stops a file while it is processed', async (t) => {
    const { processor, started } = createBlockingProcessor();
    const { service, page, errors } = await openConsole(t, {
      processing: { modelProcessor: processor },
    });
    const { id } = await upload(service, 'Slow table');
    await started;
    await page.goto(`${service.origin}/console/designs/${id}`);
    const state = page.getByRole('region', { name: 'State' });
    await state.getByRole('button', { name: 'Stop processing' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop processing' }).click();
    await state.getByText('Processing was cancelled.').waitFor();
    const { status } = (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();
    assert.equal(status, 'cancelled');
    assert.deepEqual(errors, []);
  });
});

describe('the parts of the page of a design', () => {
  it('have links, which keep changes that are not saved; the view stays in sight', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const { id } = await uploadTestDesign(service);
    await page.goto(`${service.origin}/console/designs/${id}`);
    const parts = page.getByRole('navigation', { name: 'Parts of this page' });
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Not saved');
    page.on('dialog', () => assert.fail('A link to a part does not leave the page.'));
    const getTop = (selector: string) =>
      page.locator(selector).evaluate((element) => element.getBoundingClientRect().top);
    await parts.getByRole('link', { name: 'Poster' }).focus();
    await page.keyboard.press('Enter');
    await waitUntil('the poster', async () => (await getTop('#poster')) < 900);
    assert.equal(new URL(page.url()).hash, '#poster');
    // What is focused next is in the part.
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus');
    assert.equal(await focused.innerText(), 'Render the poster again');
    const [top, height] = [await getTop('iframe'), 900];
    assert.ok(top >= 0 && top < height / 2, `the view is at ${top}`);
    assert.equal(await name.inputValue(), 'Not saved');

    // An address of a part opens it.
    const other = await page.context().newPage();
    await other.goto(`${service.origin}/console/designs/${id}#files`);
    const files = other.locator('#files');
    await files.waitFor();
    await waitUntil('the files', () =>
      files.evaluate((element) => element.getBoundingClientRect().top < innerHeight),
    );
    assert.deepEqual(errors, []);
  });
});
