import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from '../../e2e/chromium.ts';
import { composePage, hashOf } from '../build/page.ts';
import { makeBox, packGlb } from './models.ts';
import { openServer, type Served, sendProblem } from './serve.ts';
import { attended, eventually, findPixels, isGreen, openFramed, settle } from './stage.ts';

const box = makeBox();

describe('the framed page and what surrounds it', { concurrency: 3 }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  it('asks for model and script together, and for nothing it does not need', async (t) => {
    const { server, frame, complaints } = await openFramed(t, browser, { model: box });
    await settle(frame);
    await attended(frame);
    const [, , ...asked] = server.asked;
    const first = asked.slice(0, 4).join(' ');
    assert.match(first, /\/model\.glb/);
    assert.match(first, /\/viewer-[^ ]+\.js/);
    assert.doesNotMatch(asked.join(' '), /draco|basis|meshopt|KTX2|animation/i);
    assert.deepEqual(complaints, []);
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
    const { frame, complaints } = await openFramed(t, browser, { model: box }, { script });
    assert.equal(await settle(frame), 'ready');
    assert.deepEqual(complaints, []);
    assert.deepEqual(await frame.page().context().cookies(), []);
  });

  it('refuses at the top, and asks for no model', async (t) => {
    const server = await openServer({ model: box });
    t.after(() => server[Symbol.asyncDispose]());
    const page = await browser.newPage();
    t.after(() => page.close());
    await page.goto(server.frameUrl);
    assert.equal(await settle(page.mainFrame()), 'refused');
    assert.match(await page.locator('#failure').innerText(), /inside another page/);
    assert.equal(await page.locator('#framed').count(), 0);
    assert.doesNotMatch(server.asked.join(' '), /model/);
  });

  it('refuses under an ancestor that is not listed, and names it', async (t) => {
    const framed = { origins: ['https://other.example'] };
    const { server, frame } = await openFramed(t, browser, { model: box, framed });
    assert.equal(await settle(frame), 'refused');
    assert.match(await frame.locator('#failure').innerText(), /http:\/\/shop\.test:\d+ is not/);
    assert.equal(await frame.locator('#framed').count(), 0);
    assert.doesNotMatch(server.asked.join(' '), /model/);
  });

  it('shows a name that looks like HTML as text', async (t) => {
    const name = '<img src=x onerror="alert(1)"> & "Söns" </script>';
    const { frame, complaints } = await openFramed(t, browser, { model: box, name });
    await settle(frame);
    assert.equal(await frame.locator('h1').textContent(), name);
    assert.equal(await frame.locator('#view').getAttribute('aria-label'), name);
    assert.deepEqual(complaints, []);
  });

  it('shows the name at once, and a bar when the model takes its time', async (t) => {
    let finish = () => {};
    const { frame } = await openFramed(t, browser, {
      name: 'A slow chair',
      model: box,
      answer: (response) => {
        response.writeHead(200, { 'content-type': 'model/gltf-binary' });
        response.write(box.subarray(0, Math.floor(box.byteLength * 0.4)));
        finish = () => response.end(box.subarray(Math.floor(box.byteLength * 0.4)));
      },
    });
    await frame.waitForFunction(() => (document.querySelector('progress')?.value ?? 0) > 30);
    await eventually('the bar is seen', () =>
      frame.evaluate(() => {
        const bar = document.querySelector('progress') as Element;
        return getComputedStyle(bar).opacity === '1';
      }),
    );
    const seen = await frame.evaluate(() => ({
      bar: document.querySelector('progress')?.value,
      opacity: getComputedStyle(document.querySelector('progress') as Element).opacity,
      name: (document.querySelector('#waiting p') as HTMLElement).innerText,
      state: document.documentElement.dataset.state,
    }));
    assert.ok(Math.abs((seen.bar ?? 0) - 40) < 2, `${seen.bar}`);
    assert.deepEqual(
      { opacity: seen.opacity, name: seen.name, state: seen.state },
      { opacity: '1', name: 'A slow chair', state: 'loading' },
    );
    finish();
    assert.equal(await settle(frame), 'ready');
  });

  const failures: [why: string, served: Served, words: RegExp, button: string | undefined][] = [
    [
      'a stale grant',
      { answer: (response) => sendProblem(response, 403, 'embed.grant', 'Stale.') },
      /Reload the page/,
      'Reload',
    ],
    [
      'a refusal',
      {
        answer: (response) =>
          sendProblem(response, 403, 'embed.cross-site', 'For the viewer only.'),
      },
      /For the viewer only/,
      undefined,
    ],
    [
      'a service that is down',
      {
        answer: (response) => sendProblem(response, 503, 'server.unavailable', 'Back in a minute.'),
      },
      /Back in a minute/,
      'Try again',
    ],
    [
      'no connection',
      { answer: (response) => response.destroy() },
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
        model: makeBox({
          change: (gltf) => Object.assign(gltf, { extensionsRequired: ['ACME_foam'] }),
        }),
      },
      /ACME_foam/,
      undefined,
    ],
    [
      'accessors that lead nowhere',
      { model: makeBox({ change: (gltf) => Object.assign(gltf, { bufferViews: [] }) }) },
      /damaged/,
      undefined,
    ],
  ];
  for (const [why, served, words, button] of failures) {
    it(`says what is wrong: ${why}`, async (t) => {
      const { frame } = await openFramed(t, browser, served);
      assert.equal(await settle(frame), 'failed');
      assert.match(await frame.locator('#failure').innerText(), words);
      const buttons = await frame.locator('button:visible').allInnerTexts();
      assert.deepEqual(buttons, button === undefined ? [] : [button]);
    });
  }

  it('tries again, and then shows it', async (t) => {
    let times = 0;
    const { server, page, frame } = await openFramed(t, browser, {
      model: box,
      answer: (response) => {
        times++;
        sendProblem(response, 503, 'server.unavailable', 'Not yet.');
      },
    });
    await settle(frame);
    server.serve({ model: box });
    await frame.getByRole('button', { name: 'Try again' }).click();
    assert.equal(await settle(frame), 'ready');
    await attended(frame);
    assert.equal(times, 1);
    assert.ok((await findPixels(page, isGreen)).count > 1000);
  });

  it('says so where there is no WebGL', async (t) => {
    const script = () => {
      HTMLCanvasElement.prototype.getContext = () => null;
    };
    const { frame, complaints } = await openFramed(t, browser, { model: box }, { script });
    assert.equal(await settle(frame), 'failed');
    assert.match(await frame.locator('#failure').innerText(), /can’t show 3D/);
    assert.deepEqual(complaints, []);
  });
});

describe('the built page', () => {
  const read = (file: string) => readFile(join(import.meta.dirname, '../dist', file), 'utf8');

  it('has its slots, its hashes, and no style in an attribute', async () => {
    const page = await read('page.html');
    const { scriptHashes, styleHashes } = JSON.parse(await read('page.json'));
    const inline = (tag: string) =>
      [...page.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, text]) =>
        hashOf(text ?? ''),
      );
    assert.deepEqual(inline('script'), scriptHashes);
    assert.deepEqual(inline('style'), styleHashes);
    assert.doesNotMatch(page, /\sstyle=|\[\[/);
    assert.deepEqual([...new Set(page.match(/\{\{\w+\}\}/g))], ['{{title}}', '{{framed}}']);
  });

  it('keeps replacement patterns in its parts as they are', (_: TestContext) => {
    const page = composePage({
      template: '[[style]][[boot]][[script]]',
      style: '$&',
      boot: "$'",
      scripts: { entry: 'a.js', imported: [] },
    });
    assert.match(page, /<style>\$&<\/style><script>\$'<\/script>/);
  });
});
