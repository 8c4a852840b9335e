import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { readScreenPixels, waitForStablePicture } from '../viewer/testing/embedded-viewer.ts';
import { openEmbeddedDesign } from './embedded-design.ts';
import { openSharedChromium, type SharedBrowser } from './shared-chromium.ts';

/** The same box twice; only the first is large enough to be compressed. */
const LARGE = makeBox({ name: 'leg '.repeat(5000) });
const SMALL = makeBox({ name: 'leg' });

it('the browser loads the compressed model, and shows the same picture', async (t) => {
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const large = await openPage(t, browser, LARGE);
  const small = await openPage(t, browser, SMALL);

  assert.equal(large.encoding, 'br');
  assert.ok(large.bodyBytes < LARGE.length / 5, `${large.bodyBytes} bytes of ${LARGE.length}`);
  // The viewer computes its progress from the bytes that scripts receive.
  assert.equal(large.decodedBytes, LARGE.length);

  assert.equal(small.encoding, undefined);
  assert.equal(small.bodyBytes, SMALL.length);
  assert.ok(large.pixels.equals(small.pixels));
});

/** Opens a page that embeds the model, and returns how the model was loaded and what is visible. */
async function openPage(t: TestContext, browser: SharedBrowser, model: Buffer) {
  // Browsers accept Brotli from secure origins only.
  const { sites, html } = await openEmbeddedDesign(t, { secure: true, model });
  const page = await browser.newPage({
    ignoreHTTPSErrors: true,
    viewport: { width: 320, height: 240 },
    reducedMotion: 'reduce',
  });
  const pendingResponse = page.waitForResponse(/\/embed\/assets\/\w+\.glb$/);
  await page.goto(sites.addPage('shop.test', '/', html));
  const response = await pendingResponse;
  const frame = page.locator('iframe').contentFrame();
  await frame.locator('html[data-state="ready"]').waitFor();
  // The controls come after the first frame.
  await frame.locator('#toolbar').waitFor();
  await waitForStablePicture(page);
  const { data: pixels } = await readScreenPixels(page);
  const decodedBytes = await frame.locator('html').evaluate((_, url) => {
    const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    return entries.find(({ name }) => name === url)?.decodedBodySize;
  }, response.url());
  const { responseBodySize: bodyBytes } = await response.request().sizes();
  const { 'content-encoding': encoding } = await response.allHeaders();
  await page.close();
  return {
    encoding,
    bodyBytes,
    decodedBytes,
    pixels,
  };
}
