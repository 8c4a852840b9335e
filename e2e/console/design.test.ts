import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import {
  openServerDatabase,
  sendRequest,
  uploadTestDesign,
} from '../../server/testing/requests.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole, withoutStatus } from './open-console.ts';

const HOSTILE_NAME = `<img src=x onerror=alert(1)> \u05d0 ${'W'.repeat(150)}`;

const FAILING: ModelProcessor = {
  run: async () => ({
    ok: false,
    code: 'design.unreadable',
    detail: 'The test file is damaged.',
    retryable: false,
  }),
};

describe('the page of a design', () => {
  it('offers another file after a failure, and to delete a damaged design', async (t) => {
    const processing = { modelProcessor: FAILING };
    const { service, page, errors } = await openConsole(t, { processing });
    const { id } = await uploadTestDesign(service);
    await page.goto(`${service.origin}/console/designs/${id}`);
    const state = page.getByRole('region', { name: 'State' });
    await state.getByText('Correct it').waitFor();
    await state.getByLabel('Upload a new file').waitFor();
    assert.equal(await page.getByLabel('Upload a new file').count(), 1);
    await assertPageFits(page, 'a design that failed');
    openServerDatabase(t, service).exec("update design set metadata = '{'");
    // The service may have the design in memory, where it is not damaged.
    const detail = `The design ${id} is damaged in the database.`;
    await page.route(`**/v1/designs/${id}`, (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ status: 500, json: { code: 'server.damaged', detail } })
        : route.continue(),
    );
    await page.reload();
    await page.getByText('The stored data of this design is damaged.').waitFor();
    await assertPageFits(page, 'a damaged design');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete the design' }).click();
    await page.waitForURL('**/console/designs');
    assert.equal((await sendRequest(service, 'GET', `/v1/designs/${id}`)).statusCode, 404);
    assert.deepEqual(withoutStatus(errors, 500), []);
  });

  it('fits every screen, without accessibility violations', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const { id } = await uploadTestDesign(service, HOSTILE_NAME);
    await page.goto(`${service.origin}/console/designs/${id}`);
    await page.locator('strong', { hasText: 'Revision 1' }).waitFor();
    await page.getByRole('button', { name: 'Take the camera from the view' }).click();
    await page.evaluate(() => {
      for (const group of document.querySelectorAll('details')) group.open = true;
    });
    await assertPageFits(page, 'a design with the options of its embeds');
    assert.deepEqual(errors, []);
  });
});
