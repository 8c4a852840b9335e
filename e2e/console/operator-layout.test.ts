import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole } from './open-console.ts';
import {
  createJobList,
  createMetricSamples,
  createStorageUse,
  createSystem,
  createUserList,
} from './operator-states.ts';

describe('the pages for operators', () => {
  it('fit every screen, without accessibility violations', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, { path: '/operator' });
    const open = (path: string) => page.goto(`${service.origin}/console${path}`);
    await page.getByText('There has never been a backup.').waitFor();
    await page.getByText('There are no samples yet').first().waitFor();
    await assertPageFits(page, 'a new service');
    await open('/operator/jobs?state=failed');
    await page.getByText('No job has failed.').waitFor();
    await assertPageFits(page, 'no jobs');

    await answerWithMany(page);
    await open('/operator');
    await page.getByRole('slider').first().waitFor();
    await page.getByText('A backup is being made.').waitFor();
    await page.getByText('Show as a table').first().click();
    await page.getByRole('figure').getByRole('table').waitFor();
    await assertPageFits(page, 'several nodes');
    for (const state of ['waiting', 'failed']) {
      await open(`/operator/jobs?state=${state}`);
      await page.getByText('Design 49').waitFor();
      await assertPageFits(page, `many jobs: ${state}`);
    }
    await open('/operator/users');
    await page.getByText('user-49').waitFor();
    await assertPageFits(page, 'many users');
    await page.getByRole('button', { name: 'Quotas of user-1', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await assertPageFits(page, 'the quotas');
    assert.equal(await page.locator('main img').count(), 0);
    assert.deepEqual(errors, []);
  });

  it('show an error of the service, and what was read before', async (t) => {
    const { page, errors, service } = await openConsole(t, {}, { path: '/operator' });
    await page.getByText('There has never been a backup.').waitFor();
    await page.route('**/v1/jobs?*', (route) => route.abort());
    await page.goto(`${service.origin}/console/operator/jobs`);
    await page.getByRole('alert').filter({ hasText: 'could not be reached' }).first().waitFor();
    await page.unroute('**/v1/jobs?*');
    await page.getByText('No job is waiting.').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    const unexpected = errors.filter((error) => !error.includes('ERR_FAILED'));
    assert.deepEqual(unexpected, []);
  });
});

/** Replaces the answers of the service by those of a large one. */
async function answerWithMany(page: Page): Promise<void> {
  const samples = createMetricSamples(new Date(), 'several');
  const history = { intervalSeconds: 60, nodes: ['node_1', 'node_2'], samples };
  await page.route('**/v1/metrics?*', (route) => route.fulfill({ json: history }));
  await page.route('**/v1/system', (route) => route.fulfill({ json: createSystem() }));
  await page.route('**/v1/storage', (route) => route.fulfill({ json: createStorageUse() }));
  await page.route('**/v1/users', (route) => route.fulfill({ json: createUserList() }));
  await page.route('**/v1/jobs?*', (route) => {
    const state = new URL(route.request().url()).searchParams.get('state') ?? 'waiting';
    return route.fulfill({ json: createJobList(state) });
  });
}
