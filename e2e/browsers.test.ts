/** The methods, the main events and some options of the viewer in Firefox and WebKit. e2e/protocol-1.test.ts has all, in Chromium. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { skipWithout } from '../scripts/optional-programs.ts';
import { createAnimatedBoxGlb } from '../viewer/testing/animated-models.ts';
import { openEmbeddedDesign } from './embedded-design.ts';
import { extendTimeLimits } from './extend-time-limits.ts';
import { openFirefox } from './firefox.ts';
import { openWebKit } from './webkit.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures/protocol-1');
const HOSTNAMES = ['shop.test', 'evil.test', 'cloche.test'];

/** Opens a page and runs the body of an async function in it. Returns its result as JSON. */
type RunInPage = (url: string, functionBody: string) => Promise<unknown>;

const browsers: readonly [
  name: string,
  skip: string | false,
  open: (t: TestContext) => Promise<RunInPage>,
][] = [
  ['Firefox', skipWithout('firefox-esr', 'Xvfb'), openFirefoxPage],
  ['WebKit', skipWithout('WebKitWebDriver', 'Xvfb'), openWebKitPage],
];

for (const [name, skip, openPage] of browsers) {
  describe(`a host page in ${name}`, { skip }, () => {
    it('uses methods, events and options of its embed', async (t) => {
      const { sites, html, origin } = await openDesign(t);
      const embed = html.replace('?token=', '?loading=click&amp;exposure=2&amp;token=');
      const url = sites.addPage('shop.test', '/', (await readScripts()) + embed);
      const run = await openPage(t);
      const results = (await run(
        url,
        `const iframe = document.querySelector('iframe');
        const connection = await connectProtocol1(iframe, '${origin}', { timeoutMs: 60000 });
        const before = await connection.call('getOptions');
        const results = await exerciseProtocol1(connection);
        // Sent with the next frame, which a browser may delay beyond the end of the exercise.
        while (protocol1Events['camera-change'].length === 0) await new Promise((done) => setTimeout(done, 20));
        const blob = await connection.call('toBlob', { type: 'image/png', width: 64, height: 48 });
        const context = document.createElement('canvas').getContext('2d');
        context.drawImage(await createImageBitmap(blob), 0, 0);
        const [red, green, blue] = context.getImageData(32, 24, 1, 1).data;
        const isColored = Math.max(red, green, blue) - Math.min(red, green, blue) > 40;
        const events = Object.entries(protocol1Events).filter(([, details]) => details.length > 0);
        return { ...results, before, isColored, events: events.map(([name]) => name).sort() };`,
      )) as Record<string, unknown>;
      assert.deepEqual(results.before, { exposure: 2, loading: 'click' });
      assert.deepEqual(results.getVariant, 'Pink');
      assert.deepEqual(results.getAnimation, {
        name: 'Spin',
        duration: 2,
        playing: false,
        time: 0.5,
      });
      assert.deepEqual(results.toBlob, { type: 'image/png', hasBytes: true });
      assert.equal(
        results.isColored,
        true,
        'the model is in the picture, in front of a gray background',
      );
      assert.equal(results.invalid, 'viewer.invalid-argument');
      assert.deepEqual(results.events, [
        ...['camera-change', 'load', 'model-visibility', 'pause', 'play', 'progress'],
      ]);
    });

    it('that is not listed gets only the code of the refusal', async (t) => {
      const { sites, html, origin } = await openDesign(t);
      const url = sites.addPage('evil.test', '/', (await readScripts()) + html);
      const run = await openPage(t);
      // The refusal has been posted before the client starts: the page repeats it.
      const code = await run(
        url,
        `const iframe = document.querySelector('iframe');
        const connecting = connectProtocol1(iframe, '${origin}', { timeoutMs: 60000 });
        return connecting.then(() => 'connected', ({ code }) => code);`,
      );
      assert.equal(code, 'embed.origin');
    });
  });
}

async function openDesign(t: TestContext) {
  const model = createAnimatedBoxGlb({ animations: ['Spin'], variants: ['Pink'] });
  const design = await openEmbeddedDesign(t, { model });
  return { ...design, html: design.html.replace('loading="lazy"', '') };
}

async function readScripts(): Promise<string> {
  const files = ['client.js', 'exercise.js'].map((file) => readFile(join(FIXTURES, file), 'utf8'));
  return (await Promise.all(files)).map((script) => `<script>${script}</script>`).join('');
}

async function openFirefoxPage(t: TestContext): Promise<RunInPage> {
  const browser = await openFirefox(t, HOSTNAMES);
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  await page.evaluateOnNewDocument(extendTimeLimits);
  return async (url, functionBody) => {
    // The refusal comes as soon as its document has been parsed.
    await page.goto(url, { waitUntil: 'domcontentloaded' });
    return page.evaluate(`(async () => { ${functionBody} })()`);
  };
}

async function openWebKitPage(t: TestContext): Promise<RunInPage> {
  const page = await openWebKit(t);
  return async (url, functionBody) => {
    await page.open(url);
    return page.run(functionBody);
  };
}
