import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sendRequest, uploadTestDesign } from '../../server/testing/requests.ts';
import { openConsole } from './open-console.ts';

describe('the report of a design', () => {
  it('is replaced by the next one, also if two steps have the same name', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const { id } = await uploadTestDesign(service);
    let names = ['weld', 'prune', 'weld'];
    await page.route(`**/v1/designs/${id}`, async (route) => {
      const { body, headers } = await sendRequest(service, 'GET', `/v1/designs/${id}`);
      const design = JSON.parse(body);
      const steps = names.map((name, index) => ({ name, durationMs: index + 1 }));
      const json = { ...design, report: { ...design.report, steps } };
      await route.fulfill({ json, headers: { etag: String(headers.etag) } });
    });
    await page.goto(`${service.origin}/console/designs/${id}`);
    const chart = page.locator('dl', { hasText: 'weld' }).locator('dt');
    await chart.nth(2).waitFor();
    assert.deepEqual(await chart.allInnerTexts(), names);
    names = ['prune', 'weld', 'weld'];
    await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { name: 'Renamed' });
    await page.getByRole('heading', { name: 'Renamed' }).waitFor();
    assert.deepEqual(await chart.allInnerTexts(), names);
    assert.deepEqual(errors, []);
  });
});
