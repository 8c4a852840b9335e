import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { ReactApp } from './react-app.ts';
import { DESIGN, openSdkPage, readCalls, waitForViewer } from './sdk-page.ts';

const DOCUMENT = `SERVICE/embed/iframe/v1/${DESIGN}?token=t&amp;variant-name=Oak&amp;title=Oak+chair`;

describe('<ClocheViewer> of React', () => {
  let browser: SharedBrowser;
  let script: string;
  before(async () => {
    browser = await openSharedChromium();
    const { outputFiles } = await build({
      entryPoints: [join(import.meta.dirname, 'react-client.ts')],
      bundle: true,
      write: false,
      format: 'iife',
      conditions: ['cloche:source'],
      // With the warnings of React, such as those of a server that has rendered something else.
      define: { 'process.env.NODE_ENV': '"development"' },
    });
    script = outputFiles[0]?.text ?? '';
  });
  after(() => browser.close());

  const render = (service: string) =>
    renderToString(createElement(ReactApp, { service, design: DESIGN }));

  async function open(
    t: Parameters<typeof openSdkPage>[0],
    html: string,
    wrap = (page: string) => page,
    inlineRef = false,
  ) {
    const props = JSON.stringify({ service: 'SERVICE', design: DESIGN, inlineRef });
    const opened = await openSdkPage(t, browser, {
      html: wrap(
        `<div id="app" data-props='${props}'>${html}</div><script src="/app.js"></script>`,
      ),
      files: { '/app.js': script },
    });
    await opened.page.waitForFunction(() => window.handle !== undefined);
    return opened;
  }

  it('is a snippet in the HTML of a server', () => {
    // `new URL` needs a real one.
    const html = render('https://cloche.example.com');
    const src = DOCUMENT.replace('SERVICE', 'https://cloche.example.com');
    assert.equal(
      html.replace(/<button.*/, ''),
      `<main><iframe referrerPolicy="strict-origin" allow="fullscreen; xr-spatial-tracking" class="view" style="display:block;width:100%;aspect-ratio:4/3;border:0;height:100px" loading="lazy" title="Oak chair" src="${src}"></iframe></main>`,
    );
  });

  it('connects to the HTML of a server, which loads once', async (t) => {
    const html = render('http://cloche.example').replace('http://cloche.example', 'SERVICE');
    const { page, messages, requests } = await open(t, html);
    const frame = await waitForViewer(page);
    assert.deepEqual(await page.evaluate(() => window.handle.getVariants()), ['Oak']);
    assert.equal(requests.length, 1);
    assert.deepEqual(await readCalls(frame), ['getVariants()']);
    assert.deepEqual(listWarnings(messages), []);
  });

  it('a client uses the language of the page, and the HTML of a server stays as it is', async (t) => {
    const inGerman = (html: string) =>
      `<script>document.documentElement.lang = 'de'</script>${html}`;
    const client = await open(t, '', inGerman);
    await waitForViewer(client.page);
    const html = render('http://cloche.example').replace('http://cloche.example', 'SERVICE');
    const hydrated = await open(t, html, inGerman);
    await waitForViewer(hydrated.page);
    const queries = [...client.requests, ...hydrated.requests].map((path) => path.split('?')[1]);
    const query = 'token=t&variant-name=Oak&title=Oak+chair';
    assert.deepEqual(queries, [`${query}&lang=de`, query]);
    assert.deepEqual(listWarnings([...client.messages, ...hydrated.messages]), []);
  });

  it('StrictMode, which mounts twice, leaves one connection', async (t) => {
    const { page, messages } = await open(t, '');
    const frame = await waitForViewer(page);
    await waitUntil('the second mount', () => page.evaluate(() => window.log.length === 3));
    assert.deepEqual(await page.evaluate(() => window.log), ['ref', 'no ref', 'ref']);
    assert.deepEqual(await page.evaluate(() => window.handle.getVariants()), ['Oak']);
    // The second mount connects again if the document is already there.
    const synCount = await frame.evaluate(() => window.viewer.synCount);
    assert.ok(synCount === 1 || synCount === 2, `${synCount}`);
    assert.deepEqual(await page.evaluate(() => window.handle.getVariants()), ['Oak']);
    assert.deepEqual(await readCalls(frame), ['getVariants()', 'getVariants()']);
    assert.equal(await frame.evaluate(() => window.viewer.synCount), synCount);
    assert.deepEqual(listWarnings(messages), []);
  });

  it('a function as ref that each rendering creates gets the same connection', async (t) => {
    const { page } = await open(t, '', undefined, true);
    const frame = await waitForViewer(page);
    await waitUntil('the second mount', () => page.evaluate(() => window.log.length >= 3));
    await page.evaluate(() => window.handle.getVariants());
    const handle = await page.evaluateHandle(() => window.handle);
    const synCount = await frame.evaluate(() => window.viewer.synCount);
    await click(page, 'Ash');
    await waitUntil('the call', async () => (await readCalls(frame)).length === 2);
    await click(page, 'Default');
    await waitUntil('the call', async () => (await readCalls(frame)).length === 3);
    assert.equal(await handle.evaluate((handle) => handle === window.handle), true);
    assert.equal(await frame.evaluate(() => window.viewer.synCount), synCount);
    assert.equal((await page.evaluate(() => window.log)).at(-1), 'ref');
  });

  it('sends changed options, and loads nothing again', async (t) => {
    const { page, requests } = await open(t, '');
    const frame = await waitForViewer(page);
    await click(page, 'Ash');
    await click(page, 'Default');
    await waitUntil('the calls', async () => (await readCalls(frame)).length === 2);
    assert.deepEqual(await readCalls(frame), [
      'setOptions({"variantName":"Ash"})',
      'setOptions({"variantName":null})',
    ]);
    assert.equal(requests.length, 1);
  });

  it('calls the handlers of the last render', async (t) => {
    const { page } = await open(t, '');
    const frame = await waitForViewer(page);
    await click(page, 'Ash');
    await frame.evaluate(() =>
      window.viewer.send({ type: 'event', name: 'pick', detail: { part: { name: 'leg' } } }),
    );
    await waitUntil('the event', () =>
      page.evaluate(() => window.log.includes('pick leg with Ash')),
    );
  });

  it('another token is another iframe and another handle', async (t) => {
    const { page } = await open(t, '');
    await waitForViewer(page);
    const previous = await page.evaluateHandle(() => window.handle);
    await click(page, 'Other');
    await page.waitForFunction((handle) => window.handle !== handle, previous);
    assert.deepEqual(await page.evaluate(() => window.handle.getVariants()), ['Oak']);
    const code = await previous.evaluate((handle) => handle.play().catch(({ code }) => code));
    assert.equal(code, 'sdk.destroyed');
  });

  it('a component that is removed ends its connection', async (t) => {
    const { page } = await open(t, '');
    await waitForViewer(page);
    await click(page, 'Remove');
    await waitUntil('the ref', () => page.evaluate(() => window.log.at(-1) === 'no ref'));
    const code = await page.evaluate(() => window.handle.play().catch(({ code }) => code));
    assert.equal(code, 'sdk.destroyed');
    assert.equal(await page.locator('iframe').count(), 0);
  });
});

function click(page: Page, name: string): Promise<void> {
  return page.getByRole('button', { name }).click();
}

/** Without the advertisement of React. */
function listWarnings(messages: string[]): string[] {
  return messages.filter((message) => !/^info:|DevTools/.test(message));
}
