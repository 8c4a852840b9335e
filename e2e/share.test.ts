import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import type { Frame } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { openTestServer } from '../server/testing/harness.ts';
import { sendRequest, uploadTestDesign } from '../server/testing/requests.ts';
import { countPixels, type RgbColor } from './pixels.ts';
import { openSharedChromium } from './shared-chromium.ts';
import { TestSites } from './test-sites.ts';

const MAGENTA: RgbColor = [255, 0, 255];
const VIEWER_DIST = join(import.meta.dirname, '../viewer/dist');

/** A page that embeds a link as sites do that support oEmbed: it reads the links in the head, then the response. */
const renderConsumer = (oEmbedUrl: string) => `
  <meta name="viewport" content="width=device-width"><main></main><script>
    fetch(${JSON.stringify(oEmbedUrl)})
      .then((response) => response.json())
      .then(({ html }) => { document.querySelector('main').innerHTML = html; });
  </script>`;

test('a shared design is shown on its page and on any site, until it is withdrawn', async (t) => {
  const service = await openTestServer(t, {
    listen: true,
    viewer: await readViewerBuild(VIEWER_DIST),
  });
  const bytes = makeBox({ color: [1, 0, 1], unlit: true });
  const { id } = await uploadTestDesign(service, 'Magenta', bytes);
  const share = (shared: boolean) => sendRequest(service, 'PATCH', `/v1/designs/${id}`, { shared });
  await share(true);
  const sites = await TestSites.open(t);
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 640, height: 480 } });
  const countMagenta = () => countPixels(page, MAGENTA);
  const shareUrl = `${service.origin}/share/${id}`;

  let oEmbedUrl = '';
  await t.test('its page shows it', async () => {
    await page.goto(shareUrl);
    await waitUntil('the design is shown', async () => (await countMagenta()) > 500);
    const overflow = await page.evaluate('document.documentElement.scrollHeight - innerHeight');
    assert.equal(overflow, 0, 'the page fits the window');
    oEmbedUrl = String(await page.getAttribute('link[type="application/json+oembed"]', 'href'));
  });

  const any = (path: string, html: string) => sites.addPage('any.test', path, html);
  const frame = `<iframe src="${service.origin}/embed/share/v1/${id}" width="600" height="400"></iframe>`;
  const consumer = any('/oembed', renderConsumer(`${oEmbedUrl}&maxwidth=600`));
  const hidden = any('/hidden', frame.replace('<iframe', '<iframe referrerpolicy="no-referrer"'));
  const rows: [name: string, address: string][] = [
    ['a site with oEmbed', consumer],
    [
      'a site that frames the page',
      any('/page', `<iframe src="${shareUrl}" width="600" height="450"></iframe>`),
    ],
    ['a site that hides its Referer', hidden],
    [
      'a site in another site',
      sites.addPage(
        'other.test',
        '/outer',
        `<iframe src="${hidden}" width="620" height="460"></iframe>`,
      ),
    ],
    [
      'a page without an origin',
      any(
        '/data',
        `<iframe src="data:text/html,${encodeURIComponent(frame)}" width="620" height="460"></iframe>`,
      ),
    ],
  ];
  for (const [name, address] of rows) {
    await t.test(`shown: ${name}`, async () => {
      await page.goto(address);
      await waitUntil('the design is shown', async () => (await countMagenta()) > 500);
    });
  }

  await t.test('the iframe of oEmbed is not wider than its column', async () => {
    await page.setViewportSize({ width: 320, height: 480 });
    await page.goto(consumer);
    await page.waitForSelector('iframe');
    const [width, ratio] = await page.evaluate<[number, number]>(`(() => {
      const { width, height } = document.querySelector('iframe').getBoundingClientRect();
      const frame = document.querySelector('iframe');
      return [width, (width / height) / (frame.getAttribute('width') / frame.getAttribute('height'))];
    })()`);
    assert.ok(width > 250 && width <= 320, `${width} pixels wide`);
    assert.ok(Math.abs(ratio - 1) < 0.01, 'the aspect ratio is kept');
    await page.setViewportSize({ width: 640, height: 480 });
  });

  // Its iframe may still be loading.
  await page.goto('about:blank');
  await share(false);
  const assets: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/embed/assets/')) assets.push(request.url());
  });
  for (const [name, address] of [['its page', shareUrl], ...rows.slice(1)] as typeof rows) {
    await t.test(`withdrawn: ${name}`, async () => {
      await page.goto(address);
      let texts: string[] = [];
      await waitUntil(
        () => `the refusal, not: ${texts}`,
        async () => {
          texts = await Promise.all(page.frames().map(readText));
          return /is not shared, or no longer/.test(texts.join());
        },
      );
      await page.waitForLoadState('networkidle');
      assert.equal(await countMagenta(), 0);
      assert.deepEqual(assets, []);
    });
  }
});

/** The text of a frame. A frame that is loading has none. */
function readText(frame: Frame): Promise<string> {
  return frame.evaluate(() => document.body?.innerText ?? '').catch(() => '');
}
