import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { readScreenPixels, waitForStablePicture } from '../viewer/testing/embedded-viewer.ts';
import { openEmbeddedDesign } from './embedded-design.ts';
import { extendTimeLimits } from './extend-time-limits.ts';
import { openSharedChromium, type SharedBrowser } from './shared-chromium.ts';

const VIEWPORT = { width: 480, height: 480 };

for (const secure of [true, false]) {
  const scheme = secure ? 'https' : 'http';
  it(`an embed causes no message in the console of the page: ${scheme}`, async (t) => {
    const { browser, url } = await setUp(t, { secure });
    const { messages } = await openPage(t, browser, { url });
    assert.deepEqual(messages, []);
  });
}

it('self-test: the console messages of a page are found', async (t) => {
  const { browser, url, html, sites } = await setUp(t);
  const outdated = html.replace('allow="', 'allowfullscreen allow="web-share; ');
  assert.notEqual(outdated, html);
  sites.addPage('shop.test', '/', outdated);
  const { messages } = await openPage(t, browser, { url });
  assert.match(messages.join('\n'), /web-share/);
  assert.match(messages.join('\n'), /allowfullscreen/);
});

it('the picture is the same for visitors with a light and with a dark system', async (t) => {
  const { browser, url } = await setUp(t);
  const [light, dark] = [
    await openPage(t, browser, { url, colorScheme: 'light' }),
    await openPage(t, browser, { url, colorScheme: 'dark' }),
  ];
  assert.ok(light.pixels.equals(dark.pixels));
});

it('a refusal is the same for visitors with a light and with a dark system', async (t) => {
  const { browser, html, sites } = await setUp(t);
  const url = sites.addPage('evil.test', '/', html);
  const [light, dark] = [
    await openPage(t, browser, { url, colorScheme: 'light', state: undefined }),
    await openPage(t, browser, { url, colorScheme: 'dark', state: undefined }),
  ];
  assert.ok(light.pixels.equals(dark.pixels));
});

it('the iframe has the aspect ratio of the design', async (t) => {
  const { browser, url } = await setUp(t);
  const { iframe } = await openPage(t, browser, { url });
  assert.equal(iframe.width, VIEWPORT.width);
  assert.ok(Math.abs(iframe.width / iframe.height - 1.03) < 0.01, `${iframe.height}`);
});

/** Opens a service, and a page with the snippet of a cube. */
async function setUp(t: TestContext, { secure = false } = {}) {
  const { sites, html } = await openEmbeddedDesign(t, { secure });
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const body = `<style>body{margin:0}</style>${html}`;
  return { browser, sites, html: body, url: sites.addPage('shop.test', '/', body) };
}

type PageOptions = {
  url: string;
  colorScheme?: 'light' | 'dark';
  /** The state of the viewer to wait for; undefined if the frame has no viewer. */
  state?: string | undefined;
};

async function openPage(t: TestContext, browser: SharedBrowser, options: PageOptions) {
  const { url, colorScheme = 'light' } = options;
  const state = 'state' in options ? options.state : 'ready';
  const page = await browser.newPage({
    ignoreHTTPSErrors: true,
    colorScheme,
    viewport: VIEWPORT,
    reducedMotion: 'reduce',
  });
  t.after(() => page.close());
  await page.addInitScript(extendTimeLimits);
  const messages: string[] = [];
  page.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`));
  await page.goto(url);
  const iframe = page.locator('iframe');
  const root = state === undefined ? 'h1' : `html[data-state="${state}"]`;
  await iframe.contentFrame().locator(root).waitFor();
  // They come after the first frame.
  if (state === 'ready') await iframe.contentFrame().locator('#toolbar').waitFor();
  await waitForStablePicture(page);
  const { data: pixels } = await readScreenPixels(page);
  const box = await iframe.boundingBox();
  assert.ok(box);
  // Browsers without a GPU warn of reading the WebGL canvas back, which only the test does.
  return { pixels, iframe: box, messages: messages.filter((text) => !/ReadPixels/.test(text)) };
}
