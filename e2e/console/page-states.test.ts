/** States of pages that no other test of this folder shows. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Design } from '@cloche/contract/design';
import { makeBox } from '@cloche/pipeline/testing/models';
import { LOOPBACK_FETCHING, openPageServer } from '../../server/testing/page-server.ts';
import { issueToken, openServerDatabase, uploadTestDesign } from '../../server/testing/requests.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { FULL_REPORT } from './full-report.ts';
import { openConsole } from './open-console.ts';
import { createJobList } from './operator-states.ts';

const LONG = 'W'.repeat(60);

describe('the pages of the console fit', () => {
  it('a design with many revisions, tags and pairs, and a full report', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const uploaded = await uploadTestDesign(service, `Chair ${LONG}`, makeBox());
    const design: Design = {
      ...uploaded,
      description: 'A chair of oak. '.repeat(60),
      tags: Array.from({ length: 20 }, (_, index) => (index === 0 ? LONG : `tag ${index}`)),
      metadata: Object.fromEntries(
        Array.from({ length: 50 }, (_, index) => [`key-${index}`, index === 0 ? LONG : `${index}`]),
      ),
      report: FULL_REPORT,
    };
    await page.route(`**/v1/designs/${design.id}`, (route) => route.fulfill({ json: design }));
    await page.route('**/revisions*', (route) => route.fulfill({ json: createRevisions() }));
    await page.goto(`${service.origin}/console/designs/${design.id}`);
    await page.locator('strong', { hasText: 'Revision 30' }).waitFor();
    await page.getByRole('button', { name: 'Show more' }).waitFor();
    await assertPageFits(page, 'a design with many of everything');
    assert.deepEqual(errors, []);
  });

  it('a token with many origins, its replacement, and the choice of its designs', async (t) => {
    const { service, page, errors } = await openConsole(t);
    for (const name of ['Oak chair', `Lamp ${LONG}`, 'Table'])
      await uploadTestDesign(service, name, makeBox({ name }));
    const origins = Array.from({ length: 20 }, (_, index) => `https://shop-${index}.example`);
    const { id } = await issueToken(service, { name: 'many shops', origins });
    openServerDatabase(t, service).exec(createUsage(id, 120, 25));
    await page.goto(`${service.origin}/console/tokens/${id}`);
    await page.getByRole('region', { name: 'By origin' }).getByRole('row').nth(20).waitFor();
    await assertPageFits(page, 'a token with many origins');
    await page.getByRole('button', { name: 'Replace' }).click();
    await page.getByRole('dialog').getByLabel('Grace period').waitFor();
    await assertPageFits(page, 'the replacement of a token');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByLabel('only designs that you choose').check();
    await page.getByRole('combobox', { name: 'Designs', exact: true }).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('listbox').getByRole('option').nth(2).waitFor();
    await assertPageFits(page, 'a list of designs to choose from');
    assert.deepEqual(errors, []);
  });

  it('running jobs, a page without embeds, few designs to embed, and a message', async (t) => {
    const shop = await openPageServer(t, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>No embeds.</p>');
    });
    const { service, page, errors } = await openConsole(t, { pageFetching: LOOPBACK_FETCHING });
    await page.route('**/v1/jobs?*', (route) => route.fulfill({ json: createJobList('running') }));
    await page.goto(`${service.origin}/console/operator/jobs?state=running`);
    await page.getByText('Design 49').waitFor();
    await assertPageFits(page, 'many running jobs');

    const url = encodeURIComponent(`${shop.origin}/`);
    await page.goto(`${service.origin}/console/page-check?url=${url}`);
    await page.getByRole('heading', { name: 'Result No embeds' }).waitFor();
    await assertPageFits(page, 'a page without embeds');

    const { id } = await uploadTestDesign(service, 'Oak chair');
    await uploadTestDesign(service, 'Lamp');
    await page.goto(`${service.origin}/console/embed`);
    await page.getByText('Lamp').waitFor();
    await assertPageFits(page, 'few designs');

    await page.goto(`${service.origin}/console/designs/${id}`);
    await page.getByRole('button', { name: 'Render the poster again' }).waitFor();
    // A message is removed after some seconds.
    await page.evaluate(() => {
      const start = window.setTimeout;
      window.setTimeout = ((handler: () => void, delayMs = 0) =>
        delayMs < 4000 ? start(handler, delayMs) : 0) as typeof setTimeout;
    });
    await page.getByRole('button', { name: 'Render the poster again' }).click();
    await page.getByText('The poster will be rendered again.').waitFor();
    await assertPageFits(page, 'a message');
    await page.locator('.toast').waitFor();
    assert.deepEqual(errors, []);
  });
});

function createRevisions(): object {
  const states = ['ready', 'ready', 'failed', 'cancelled'];
  const items = Array.from({ length: 30 }, (_, index) => {
    const number = 30 - index;
    const status = number === 30 ? 'processing' : states[number % states.length];
    const problem = {
      code: 'design.unreadable',
      revision: number,
      detail: `The file ${LONG} is damaged.`,
    };
    return {
      ...{ number, status, shown: number === 29, format: 'glb', bytes: 1_234_567 * number },
      fileName: number === 28 ? `${LONG}.glb` : 'chair.glb',
      sha256: 'a'.repeat(64),
      problem: status === 'failed' ? problem : null,
      createdAt: '2026-05-04T09:15:00.000Z',
    };
  });
  return { items, unreadable: [], nextCursor: 'next' };
}

/** Rows of the usage of a token: of many origins, each on some of the last days. */
function createUsage(tokenId: string, originCount: number, dayCount: number): string {
  const rows = Array.from({ length: originCount }, (_, index) =>
    Array.from({ length: dayCount }, (_unused, day) => {
      const time = new Date(Date.now() - day * 86_400_000).toISOString();
      const origin =
        index === 0 ? `https://${LONG.toLowerCase()}.example` : `https://shop-${index}.example`;
      return `('${tokenId}', '${origin}', '${time.slice(0, 10)}', 'd', ${(day * 37 + index) % 90}, ${1e6 * (index + 1)}, '${time}', '${time}')`;
    }),
  ).flat();
  return `INSERT INTO embed_usage (token_id, origin, day, design_id, views, bytes, first_seen_at, last_seen_at) VALUES ${rows}`;
}
