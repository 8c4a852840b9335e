import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from '../../e2e/chromium.ts';
import { composePage, toCspHash } from '../build/compose-page.ts';
import { createBoxGlb, packGlb } from './box-models.ts';
import {
  findPixels,
  isGreen,
  openEmbeddedViewer,
  waitForControls,
  waitUntil,
  waitUntilLoaded,
} from './embedded-viewer.ts';
import { openViewerServer, sendProblem, type ViewerServerOptions } from './test-server.ts';

const boxGlb = createBoxGlb();

describe('the framed page and what surrounds it', { concurrency: 3 }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  it('asks for model and script together, and for nothing it does not need', async (t) => {
    const { server, frame, consoleErrors } = await openEmbeddedViewer(t, browser, {
      model: boxGlb,
    });
    await waitUntilLoaded(frame);
    await waitForControls(frame);
    const [, , ...asked] = server.requestedPaths;
    const first = asked.slice(0, 4).join(' ');
    assert.match(first, /\/model\.glb/);
    assert.match(first, /\/viewer-[^ ]+\.js/);
    assert.doesNotMatch(asked.join(' '), /draco|basis|meshopt|KTX2|animation/i);
    assert.deepEqual(consoleErrors, []);
  });

  it('leaves no cookie and no storage', async (t) => {
    const script = () => {
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches']) {
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException(`${name} was touched`, 'SecurityError');
          },
        });
      }
    };
    const { frame, consoleErrors } = await openEmbeddedViewer(
      t,
      browser,
      { model: boxGlb },
      { script },
    );
    assert.equal(await waitUntilLoaded(frame), 'ready');
    assert.deepEqual(consoleErrors, []);
    assert.deepEqual(await frame.page().context().cookies(), []);
  });

  it('refuses at the top, and asks for no model', async (t) => {
    const server = await openViewerServer({ model: boxGlb });
    t.after(() => server[Symbol.asyncDispose]());
    const page = await browser.newPage();
    t.after(() => page.close());
    await page.goto(server.frameUrl);
    assert.equal(await waitUntilLoaded(page.mainFrame()), 'refused');
    assert.match(await page.locator('#error').innerText(), /inside another page/);
    assert.equal(await page.locator('#viewer-config').count(), 0);
    assert.doesNotMatch(server.requestedPaths.join(' '), /model/);
  });

  it('refuses under an ancestor that is not listed, and names it', async (t) => {
    const config = { allowedOrigins: ['https://other.example'] };
    const { server, frame } = await openEmbeddedViewer(t, browser, { model: boxGlb, config });
    assert.equal(await waitUntilLoaded(frame), 'refused');
    assert.match(await frame.locator('#error').innerText(), /http:\/\/shop\.test:\d+ is not/);
    assert.equal(await frame.locator('#viewer-config').count(), 0);
    assert.doesNotMatch(server.requestedPaths.join(' '), /model/);
  });

  it('shows a name that looks like HTML as text', async (t) => {
    const name = '<img src=x onerror="alert(1)"> & "Söns" </script>';
    const { frame, consoleErrors } = await openEmbeddedViewer(t, browser, { model: boxGlb, name });
    await waitUntilLoaded(frame);
    assert.equal(await frame.locator('h1').textContent(), name);
    assert.equal(await frame.locator('#view').getAttribute('aria-label'), name);
    assert.deepEqual(consoleErrors, []);
  });

  it('shows the name at once, and a bar when the model takes its time', async (t) => {
    let finish = () => {};
    const { frame } = await openEmbeddedViewer(t, browser, {
      name: 'A slow chair',
      model: boxGlb,
      modelHandler: (response) => {
        response.writeHead(200, { 'content-type': 'model/gltf-binary' });
        response.write(boxGlb.subarray(0, Math.floor(boxGlb.byteLength * 0.4)));
        finish = () => response.end(boxGlb.subarray(Math.floor(boxGlb.byteLength * 0.4)));
      },
    });
    await frame.waitForFunction(() => (document.querySelector('progress')?.value ?? 0) > 30);
    await waitUntil('the bar is seen', () =>
      frame.evaluate(() => {
        const bar = document.querySelector('progress') as Element;
        return getComputedStyle(bar).opacity === '1';
      }),
    );
    const seen = await frame.evaluate(() => ({
      bar: document.querySelector('progress')?.value,
      opacity: getComputedStyle(document.querySelector('progress') as Element).opacity,
      name: (document.querySelector('#loading p') as HTMLElement).innerText,
      state: document.documentElement.dataset.state,
    }));
    assert.ok(Math.abs((seen.bar ?? 0) - 40) < 2, `${seen.bar}`);
    assert.deepEqual(
      { opacity: seen.opacity, name: seen.name, state: seen.state },
      { opacity: '1', name: 'A slow chair', state: 'loading' },
    );
    finish();
    assert.equal(await waitUntilLoaded(frame), 'ready');
  });

  const failures: [
    why: string,
    served: ViewerServerOptions,
    words: RegExp,
    button: string | undefined,
  ][] = [
    [
      'a stale grant',
      { modelHandler: (response) => sendProblem(response, 403, 'embed.grant', 'Stale.') },
      /Reload the page/,
      'Reload',
    ],
    [
      'a refusal',
      {
        modelHandler: (response) =>
          sendProblem(response, 403, 'embed.cross-site', 'For the viewer only.'),
      },
      /For the viewer only/,
      undefined,
    ],
    [
      'a service that is down',
      {
        modelHandler: (response) =>
          sendProblem(response, 503, 'server.unavailable', 'Back in a minute.'),
      },
      /Back in a minute/,
      'Try again',
    ],
    [
      'no connection',
      { modelHandler: (response) => response.destroy() },
      /connection failed/,
      'Try again',
    ],
    ['a file that is no model', { model: new Uint8Array([1, 2, 3]) }, /damaged/, undefined],
    [
      'an empty scene',
      { model: packGlb({ asset: { version: '2.0' }, scene: 0, scenes: [{}] }) },
      /no shapes/,
      undefined,
    ],
    ['no scene at all', { model: packGlb({ asset: { version: '2.0' } }) }, /no shapes/, undefined],
    [
      'an extension nobody reads',
      {
        model: createBoxGlb({
          change: (gltf) => Object.assign(gltf, { extensionsRequired: ['ACME_foam'] }),
        }),
      },
      /ACME_foam/,
      undefined,
    ],
    [
      'accessors that lead nowhere',
      { model: createBoxGlb({ change: (gltf) => Object.assign(gltf, { bufferViews: [] }) }) },
      /damaged/,
      undefined,
    ],
  ];
  for (const [why, served, words, button] of failures) {
    it(`says what is wrong: ${why}`, async (t) => {
      const { frame } = await openEmbeddedViewer(t, browser, served);
      assert.equal(await waitUntilLoaded(frame), 'failed');
      assert.match(await frame.locator('#error').innerText(), words);
      const buttons = await frame.locator('button:visible').allInnerTexts();
      assert.deepEqual(buttons, button === undefined ? [] : [button]);
    });
  }

  it('tries again, and then shows it', async (t) => {
    let times = 0;
    const { server, page, frame } = await openEmbeddedViewer(t, browser, {
      model: boxGlb,
      modelHandler: (response) => {
        times++;
        sendProblem(response, 503, 'server.unavailable', 'Not yet.');
      },
    });
    await waitUntilLoaded(frame);
    server.setOptions({ model: boxGlb });
    await frame.getByRole('button', { name: 'Try again' }).click();
    assert.equal(await waitUntilLoaded(frame), 'ready');
    await waitForControls(frame);
    assert.equal(times, 1);
    assert.ok((await findPixels(page, isGreen)).count > 1000);
  });

  it('says so where there is no WebGL', async (t) => {
    const script = () => {
      HTMLCanvasElement.prototype.getContext = () => null;
    };
    const { frame, consoleErrors } = await openEmbeddedViewer(
      t,
      browser,
      { model: boxGlb },
      { script },
    );
    assert.equal(await waitUntilLoaded(frame), 'failed');
    assert.match(await frame.locator('#error').innerText(), /can’t show 3D/);
    assert.deepEqual(consoleErrors, []);
  });
});

describe('the built page', () => {
  const read = (file: string) => readFile(join(import.meta.dirname, '../dist', file), 'utf8');

  it('has its slots, its hashes, and no style in an attribute', async () => {
    const page = await read('framed-document.html');
    const { scriptHashes, styleHashes } = JSON.parse(await read('csp-hashes.json'));
    const inline = (tag: string) =>
      [...page.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, text]) =>
        toCspHash(text ?? ''),
      );
    assert.deepEqual(inline('script'), scriptHashes);
    assert.deepEqual(inline('style'), styleHashes);
    assert.doesNotMatch(page, /\sstyle=|\[\[/);
    assert.deepEqual([...new Set(page.match(/\{\{\w+\}\}/g))], ['{{title}}', '{{viewerConfig}}']);
  });

  it('keeps replacement patterns in its parts as they are', (_: TestContext) => {
    const page = composePage({
      template: '[[style]][[boot]][[script]]',
      style: '$&',
      boot: "$'",
      scripts: { entry: 'a.js', staticImports: [] },
    });
    assert.match(page, /<style>\$&<\/style><script>\$'<\/script>/);
  });
});
