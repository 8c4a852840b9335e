import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { PreviewLink } from '@cloche/contract/preview-link';
import { makeBox } from '@cloche/pipeline/testing/models';
import type { Page } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { openTestServer } from '../server/testing/harness.ts';
import { sendRequest, uploadTestDesign } from '../server/testing/requests.ts';
import { countPixels, type RgbColor } from './pixels.ts';
import { openSharedChromium } from './shared-chromium.ts';
import { TestSites } from './test-sites.ts';

const MAGENTA: RgbColor = [255, 0, 255];
const VIEWER_DIST = join(import.meta.dirname, '../viewer/dist');

const renderFrame = (src: string) =>
  `<iframe src="${src}" width="600" height="400" style="border:0"></iframe>`;
const renderNoReferrerFrame = (src: string) =>
  renderFrame(src).replace('<iframe', '<iframe referrerpolicy="no-referrer"');

test('a preview link shows the design on its own page and on no other', async (t) => {
  const service = await openTestServer(t, {
    listen: true,
    viewer: await readViewerBuild(VIEWER_DIST),
  });
  const bytes = makeBox({ color: [1, 0, 1], unlit: true });
  const { id } = await uploadTestDesign(service, 'Magenta', bytes);
  const { url, src }: PreviewLink = (
    await sendRequest(service, 'POST', `/v1/designs/${id}/preview-links`)
  ).json();
  const sites = await TestSites.open(t);
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 640, height: 480 } });
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));

  await t.test('its page shows it', async () => {
    await page.goto(url);
    await waitUntil('the design is shown', async () => (await countMagenta(page)) > 500);
    const overflow = await page.evaluate('document.documentElement.scrollHeight - innerHeight');
    assert.equal(overflow, 0, 'the page fits the window');
  });

  const evil = (path: string, html: string) => sites.addPage('evil.test', path, html);
  const listed = evil('/outer', renderFrame(url));
  const rows: [name: string, address: string][] = [
    ['the document, opened as a page', src],
    ['another site that frames the page', evil('/page', renderFrame(url))],
    ['another site that frames the document', evil('/document', renderFrame(src))],
    ['another site that hides its Referer', evil('/hidden', renderNoReferrerFrame(src))],
    ['another site in another site', sites.addPage('shop.test', '/outer', renderFrame(listed))],
    ['<object>', evil('/object', `<object data="${src}" width="600" height="400"></object>`)],
  ];
  for (const [name, address] of rows) {
    await t.test(`not shown: ${name}`, async () => {
      requests.length = 0;
      await page.goto(address);
      await page.waitForLoadState('networkidle');
      assert.equal(await countMagenta(page), 0);
      assert.ok(
        requests.some((requested) => requested.startsWith(service.origin)),
        'the service was asked',
      );
      assert.deepEqual(
        requests.filter((requested) => requested.includes('/embed/assets/')),
        [],
      );
    });
  }
});

function countMagenta(page: Page): Promise<number> {
  return countPixels(page, MAGENTA);
}
