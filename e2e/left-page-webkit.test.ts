/** WebKit keeps a page that the visitor leaves, cancels its requests, and shows it again as it was. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { skipWithout } from '../scripts/optional-programs.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { createAnimatedBoxGlb } from '../viewer/testing/animated-models.ts';
import { isGreen, readScreenPixels } from '../viewer/testing/embedded-viewer.ts';
import { openEmbeddedDesign } from './embedded-design.ts';
import { openWebKitSession } from './webkit.ts';

/** A start of WebKit on a busy machine. */
const WAIT = { timeoutMs: 200_000 };
const HOSTNAMES = ['cloche.test', 'shop.test'];
/** More than have a WebGL context of their own. */
const EMBED_COUNT = 9;
const COLUMNS = 3;
/** CSS pixels. */
const SIZE = 100;
const SKIP = skipWithout('WebKitWebDriver', 'Xvfb', 'bwrap');

for (const [when, path] of [
  ['before the module script arrives', /^\/embed\/viewer\/viewer-/],
  ['while the model is loaded', /\.glb$/],
  ['while the controls are loaded', /^\/embed\/viewer\/mount-deferred/],
] as const) {
  const name = `a page in WebKit that is left ${when}, and opened again by back, shows the design with its controls`;
  test(name, { skip: SKIP }, async (t) => {
    const { proxy, sites, html } = await openEmbeddedDesign(t, { secure: true });
    const browser = await openBrowser(t);
    const countRequests = (pattern: RegExp) =>
      proxy.requested.filter((requested) => pattern.test(requested)).length;
    proxy.interferences = [{ path, cutAt: 0.5, hangs: true }];
    const next = sites.addPage('shop.test', '/next', GO_BACK);
    await browser.open(sites.addPage('shop.test', '/left', html.replace('loading="lazy"', '')));
    await waitUntil('the file is requested', () => countRequests(path) > 0, WAIT);
    proxy.interferences = [];
    // WebKit does not respond to some commands if a page leaves during them, so there is none until the page is back.
    await browser.run(
      `globalThis.isKept = true; setTimeout(() => { location.href = '${next}'; }, 100)`,
    );
    await waitUntil(
      'the design is requested again',
      () => countRequests(/^\/embed\/iframe/) > 1,
      WAIT,
    );
    await waitUntil('the file is requested again', () => countRequests(path) > 1, WAIT);
    await waitUntil('the model and the controls', () => browser.isComplete(0), WAIT);
    assert.equal(
      await browser.run('return globalThis.isKept'),
      true,
      'WebKit has loaded the page again',
    );
  });
}

test('a page in WebKit that is left when its designs are shown, and opened again by back, shows them', {
  skip: SKIP,
}, async (t) => {
  const { sites, html, proxy, origin } = await openEmbeddedDesign(t, {
    secure: true,
    model: createAnimatedBoxGlb({ animations: [] }),
  });
  const browser = await openBrowser(t);
  const next = sites.addPage('shop.test', '/next', GO_BACK);
  const style = `<style>body{margin:0;display:grid;grid-template-columns:repeat(${COLUMNS},${SIZE}px)}
iframe{width:${SIZE}px!important;height:${SIZE}px!important;aspect-ratio:auto!important}</style>`;
  const iframes = html.replace('loading="lazy"', '').repeat(EMBED_COUNT);
  await browser.open(sites.addPage('shop.test', '/left', style + iframes));
  const indices = Array.from({ length: EMBED_COUNT }, (_, index) => index);
  const isLoaded = () =>
    browser.run(`return document.readyState === 'complete' && frames.length === ${EMBED_COUNT}`);
  await waitUntil('the page is loaded', isLoaded, WAIT);
  for (const index of indices)
    await waitUntil(`embed ${index} is shown`, () => browser.isComplete(index), WAIT);
  await waitUntil('all designs are in the picture', () => browser.showsAll(indices), WAIT);
  const countLoaded = () => proxy.requested.filter((path) => path.startsWith('/embed/')).length;
  const loaded = countLoaded();
  // As above, there is no command until the page is back.
  await browser.run(
    `addEventListener('pageshow', () => { new Image().src = '${origin}/back'; });
    setTimeout(() => { location.href = '${next}'; }, 100)`,
  );
  await waitUntil('the page is back', () => proxy.requested.includes('/back'), WAIT);
  await waitUntil('all designs are in the picture again', () => browser.showsAll(indices), WAIT);
  assert.equal(countLoaded(), loaded, 'nothing is loaded again');
});

const GO_BACK = '<script>onload = () => setTimeout(() => history.back())</script>';

async function openBrowser(t: TestContext) {
  const { send } = await openWebKitSession(t, {
    capabilities: { acceptInsecureCerts: true, pageLoadStrategy: 'none' },
    hostnames: HOSTNAMES,
  });
  await send('POST', '/window/rect', { x: 0, y: 0, width: 500, height: 600 });
  const run = (script: string) => send('POST', '/execute/sync', { script, args: [] });
  const screenshot = async () => Buffer.from(String(await send('GET', '/screenshot')), 'base64');
  return {
    open: (url: string) => send('POST', '/url', { url }),
    run,
    /** Whether the model and the controls of an embed are there. */
    async isComplete(index: number) {
      await send('POST', '/frame', { id: index });
      const isComplete = await run(
        'return document.querySelector(`[data-state="ready"][data-interactive] #error[hidden]`) !== null',
      );
      await send('POST', '/frame/parent', {});
      return isComplete;
    },
    /** Whether the model of each embed, which is green, is in the picture. */
    async showsAll(indices: readonly number[]) {
      const { data, width } = await readScreenPixels({ screenshot });
      return indices.every((index) => {
        const x = ((index % COLUMNS) + 0.5) * SIZE;
        const y = (Math.floor(index / COLUMNS) + 0.5) * SIZE;
        const offset = (Math.round(y) * width + Math.round(x)) * 3;
        const [red = 0, green = 0, blue = 0] = data.subarray(offset, offset + 3);
        return isGreen(red, green, blue);
      });
    },
  };
}
