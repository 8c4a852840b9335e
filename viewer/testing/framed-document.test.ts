import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { composePage, toCspHash } from '../build/compose-page.ts';
import { en } from '../src/i18n/en.ts';
import { getMessages } from '../src/i18n/translations.ts';
import { createBoxGlb, packGlb } from './box-models.ts';
import {
  findPixels,
  isGreen,
  openEmbeddedViewer,
  waitForControls,
  waitUntilLoaded,
} from './embedded-viewer.ts';
import { openViewerServer, sendProblem, type ViewerServerOptions } from './test-server.ts';

const boxGlb = createBoxGlb();

const EMPTY_PAGE = {
  template: '',
  firstStyle: '',
  themeStyle: '',
  style: '',
  showSent: '',
  boot: '',
  clickToLoad: { style: '', script: '' },
  scripts: { entry: 'a.js' },
  language: 'en' as const,
  scriptMessages: {},
  deferredMessages: 'messages.json',
};

describe('the framed document', { concurrency: 3 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  it('requests model and script in parallel, and no unnecessary decoder', async (t) => {
    const { server, frame, consoleErrors } = await openEmbeddedViewer(t, browser, {
      model: boxGlb,
    });
    await waitUntilLoaded(frame);
    await waitForControls(frame);
    const [, , ...requested] = server.requestedPaths;
    // The files that the document requests itself: three scripts, the decoder and the model, in any order.
    const first = requested.slice(0, 5).join(' ');
    assert.match(first, /\/model\.glb/);
    assert.match(first, /\/viewer-[^ ]+\.js/);
    assert.doesNotMatch(requested.join(' '), /basis|KTX2|variants/i);
    assert.deepEqual(consoleErrors, []);
  });

  it('uses no cookies and no storage', async (t) => {
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

  it('opened outside an iframe: refuses, and requests no model', async (t) => {
    const server = await openViewerServer({ model: boxGlb });
    t.after(() => server[Symbol.asyncDispose]());
    const page = await browser.newPage();
    t.after(() => page.close());
    await page.goto(server.frameUrl);
    assert.equal(await waitUntilLoaded(page.mainFrame()), 'refused');
    assert.match(await page.locator('#error').innerText(), /This 3D view is not available here\./);
    assert.equal(await page.locator('#viewer-config').count(), 0);
    assert.doesNotMatch(server.requestedPaths.join(' '), /model/);
  });

  it('embedded in a page that is not allowed: refuses, and names the origin to its author only', async (t) => {
    const config = { allowedOrigins: ['https://other.example'] };
    const { server, frame, consoleErrors } = await openEmbeddedViewer(t, browser, {
      model: boxGlb,
      name: 'Prototype of next year',
      config,
    });
    assert.equal(await waitUntilLoaded(frame), 'refused');
    await waitUntil('the advice', () => consoleErrors.length > 0);
    const message = frame.locator('#error');
    assert.doesNotMatch(await message.innerText(), /shop\.test/);
    await message.getByText('For the site’s author').click();
    const advice = /embed\.origin: A page around this iframe is on http:\/\/shop\.test:\d+,/;
    assert.match(await message.innerText(), advice);
    assert.equal(consoleErrors.length, 1);
    assert.match(consoleErrors[0] ?? '', advice);
    assert.doesNotMatch(await frame.content(), /Prototype|other\.example/);
    assert.doesNotMatch(await frame.title(), /Prototype/);
    assert.equal(await frame.locator('a:visible, button:visible').count(), 0);
    assert.doesNotMatch(server.requestedPaths.join(' '), /model/);
  });

  it('in Arabic: an English detail is marked as English, from left to right', async (t) => {
    const { frame } = await openEmbeddedViewer(t, browser, {
      language: 'ar',
      modelHandler: (response) => sendProblem(response, 503, 'server.busy', 'Busy.'),
    });
    assert.equal(await waitUntilLoaded(frame), 'failed');
    const advice = frame.locator('#error details p');
    assert.match((await advice.textContent()) ?? '', /Busy\.$/);
    assert.deepEqual(
      [await advice.getAttribute('lang'), await advice.getAttribute('dir')],
      ['en', 'ltr'],
    );
    assert.equal(await frame.evaluate(() => document.dir), 'rtl');
  });

  it('shows a name that looks like HTML as text', async (t) => {
    const name = '<img src=x onerror="alert(1)"> & "Söns" </script>';
    const { frame, consoleErrors } = await openEmbeddedViewer(t, browser, { model: boxGlb, name });
    await waitUntilLoaded(frame);
    assert.equal(await frame.locator('h1').textContent(), name);
    assert.equal(await frame.locator('#view').getAttribute('aria-label'), name);
    assert.deepEqual(consoleErrors, []);
  });

  it('shows the name immediately, and a progress bar while the model is loading', async (t) => {
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
    await waitUntil('the progress bar is visible', () =>
      frame.evaluate(() => {
        const bar = document.querySelector('progress') as Element;
        return getComputedStyle(bar).opacity === '1';
      }),
    );
    const shown = await frame.evaluate(() => ({
      progress: document.querySelector('progress')?.value,
      opacity: getComputedStyle(document.querySelector('progress') as Element).opacity,
      name: (document.querySelector('#loading p') as HTMLElement).innerText,
      state: document.documentElement.dataset.state,
    }));
    assert.ok(Math.abs((shown.progress ?? 0) - 40) < 2, `${shown.progress}`);
    assert.deepEqual(
      { opacity: shown.opacity, name: shown.name, state: shown.state },
      { opacity: '1', name: 'A slow chair', state: 'loading' },
    );
    finish();
    assert.equal(await waitUntilLoaded(frame), 'ready');
  });

  it('loads itself again if its grant has expired, because it comes into view late', async (t) => {
    let requests = 0;
    const { frame, server } = await openEmbeddedViewer(
      t,
      browser,
      {
        // Otherwise the request is repeated if Chromium takes the document for one that is not in view.
        config: { options: { loading: 'eager' } },
        modelHandler: (response) => {
          requests += 1;
          if (requests === 1) sendProblem(response, 403, 'embed.grant', 'Stale.');
          else response.writeHead(200, { 'content-type': 'model/gltf-binary' }).end(boxGlb);
        },
      },
      {
        script: () => {
          const now = performance.now.bind(performance);
          performance.now = () => now() + 3_600_000;
        },
      },
    );
    await frame.waitForFunction(() => document.documentElement.dataset.state === 'ready');
    assert.equal(server.requestedPaths.filter((path) => path === '/frame').length, 2);
    assert.equal(requests, 2);
  });

  const failures: [
    reason: string,
    served: ViewerServerOptions,
    title: string,
    advice: RegExp,
    recovery: string | undefined,
  ][] = [
    [
      'an expired grant',
      { modelHandler: (response) => sendProblem(response, 403, 'embed.grant', 'Stale.') },
      'The 3D view could not be loaded.',
      /viewer\.grant-expired: Stale/,
      'Reload',
    ],
    [
      'a refused request',
      {
        modelHandler: (response) =>
          sendProblem(response, 403, 'embed.cross-site', 'For the viewer only.'),
      },
      'This 3D view is not available here.',
      /viewer\.refused: For the viewer only/,
      undefined,
    ],
    [
      'a service that is not available',
      {
        modelHandler: (response) =>
          sendProblem(response, 503, 'server.unavailable', 'Back in a minute.'),
      },
      'This 3D view is not available right now.',
      /viewer\.unavailable: Back in a minute/,
      'Try again',
    ],
    [
      'no connection',
      { modelHandler: (response) => response.destroy() },
      'The 3D view could not be loaded.',
      /viewer\.offline: .*Failed to fetch/,
      'Try again',
    ],
    [
      'a file that is not a model',
      { model: new Uint8Array([1, 2, 3]) },
      'This 3D view cannot be shown.',
      /viewer\.invalid-file: .*damaged/,
      undefined,
    ],
    [
      'an empty scene',
      { model: packGlb({ asset: { version: '2.0' }, scene: 0, scenes: [{}] }) },
      'This 3D view is empty.',
      /contains nothing visible/,
      undefined,
    ],
    [
      'no scene',
      { model: packGlb({ asset: { version: '2.0' } }) },
      'This 3D view is empty.',
      /contains nothing visible/,
      undefined,
    ],
    [
      'an unsupported extension',
      {
        model: createBoxGlb({
          change: (gltf) => Object.assign(gltf, { extensionsRequired: ['ACME_foam'] }),
        }),
      },
      'This 3D view cannot be shown.',
      /ACME_foam/,
      undefined,
    ],
    [
      'accessors without buffer views',
      { model: createBoxGlb({ change: (gltf) => Object.assign(gltf, { bufferViews: [] }) }) },
      'This 3D view cannot be shown.',
      /damaged/,
      undefined,
    ],
  ];
  for (const [reason, served, title, advice, recovery] of failures) {
    it(`shows a message to the visitor, and the cause to the author: ${reason}`, async (t) => {
      const { frame, consoleErrors } = await openEmbeddedViewer(t, browser, served);
      assert.equal(await waitUntilLoaded(frame), 'failed');
      // Some texts are loaded when they are shown.
      await waitUntil('the advice', () => consoleErrors.some((line) => advice.test(line)));
      const message = frame.locator('#error');
      const showsTitle = async () => (await message.locator('h2').innerText()) === title;
      await waitUntil(`the title "${title}"`, showsTitle);
      assert.doesNotMatch(await message.innerText(), advice);
      const ways = await message.locator('button:visible, a:visible').allInnerTexts();
      assert.deepEqual(ways, recovery === undefined ? [] : [recovery]);
      await message.getByText('For the site’s author').click();
      assert.match(await message.innerText(), advice);
      assert.match(consoleErrors.join('\n'), advice);
    });
  }

  it('loads the design when the visitor clicks "Try again"', async (t) => {
    let failedRequests = 0;
    const { server, page, frame } = await openEmbeddedViewer(t, browser, {
      model: boxGlb,
      modelHandler: (response) => {
        failedRequests++;
        sendProblem(response, 503, 'server.unavailable', 'Not yet.');
      },
    });
    await waitUntilLoaded(frame);
    // There is no second attempt, but Chromium may take the document for one that is not in view at first.
    assert.ok(failedRequests === 1 || failedRequests === 2, `${failedRequests} requests`);
    server.setOptions({ model: boxGlb });
    await frame.getByRole('button', { name: 'Try again' }).click();
    assert.equal(await waitUntilLoaded(frame), 'ready');
    await waitForControls(frame);
    assert.ok((await findPixels(page, isGreen)).count > 1000);
  });

  it('shows an error without WebGL', async (t) => {
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
    await frame.locator('#error', { hasText: 'cannot show 3D' }).waitFor();
    await waitUntil('the advice', () => consoleErrors.length > 0);
    assert.match(consoleErrors.join('\n'), /^Cloche: viewer\.no-webgl: /);
  });
});

describe('the template of the framed document', () => {
  const read = (file: string) => readFile(join(import.meta.dirname, '../dist', file), 'utf8');

  it('has the slots of the server, valid hashes and no style attributes', async () => {
    const page = await read('framed-document.html');
    const { scriptHashes, styleHashes } = JSON.parse(await read('csp-hashes.json'));
    const inline = (tag: string) =>
      [...page.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, text]) =>
        toCspHash(text ?? ''),
      );
    assert.deepEqual(inline('script'), scriptHashes);
    assert.deepEqual(inline('style'), styleHashes);
    assert.doesNotMatch(page, /\sstyle=|\[\[/);
    assert.deepEqual(
      [...new Set(page.match(/\{\{\w+\}\}/g))],
      [
        '{{rootAttributes}}',
        '{{title}}',
        '{{backgroundStyle}}',
        '{{inlinePoster}}',
        '{{viewerConfig}}',
      ],
    );
  });

  it('and its scripts do not contain the controls, which are loaded after the first frame', async () => {
    const page = await read('framed-document.html');
    const firstScripts = [...page.matchAll(/\/embed\/viewer\/([\w.-]+\.js)"/g)].map(
      ([, name]) => name,
    );
    assert.ok(firstScripts.length >= 2);
    const controls = /rotate-left|#toolbar \.bar/;
    assert.doesNotMatch(page, controls);
    const withControls: string[] = [];
    for (const name of await readdir(join(import.meta.dirname, '../dist/assets'))) {
      if (name.endsWith('.js') && controls.test(await read(`assets/${name}`)))
        withControls.push(name);
    }
    assert.equal(withControls.length, 1, withControls.join());
    assert.ok(!firstScripts.includes(withControls[0]));
  });

  it('has, with the file of deferred texts, all texts of the viewer', async () => {
    const page = await read('framed-document.html');
    const [, json = ''] = /id="messages"[^>]*>(.*?)<\/script>/.exec(page) ?? [];
    const [file = ''] = /messages-en-\w+\.json/.exec(page) ?? [];
    const texts = { ...JSON.parse(json), ...JSON.parse(await read(`assets/${file}`)) };
    const template = await readFile(
      join(import.meta.dirname, '../page/framed-document.html'),
      'utf8',
    );
    const missing = Object.keys(en).filter(
      (key) =>
        texts[key] === undefined &&
        !template.includes(`[[text:${key}]]`) &&
        !/^(errorPage|previewPage|sharePage|snippet)\./.test(key),
    );
    assert.deepEqual(missing, []);
  });

  it('inserts parts with `$&` unchanged', () => {
    const page = composePage({
      ...EMPTY_PAGE,
      template: '[[style]][[boot]]',
      style: '$&',
      boot: "$'",
    });
    assert.match(page, /<style>\$&<\/style><script>\$'<\/script>/);
  });

  it('contains the texts of its language; an unknown slot is an error', () => {
    const template = '<html lang="en" dir="ltr">[[text:view.reset]]';
    const [english, arabic] = (['en', 'ar'] as const).map((language) =>
      composePage({ ...EMPTY_PAGE, template, language }),
    );
    assert.equal(english, `<html lang="en" dir="ltr">${en['view.reset']}`);
    assert.equal(arabic, `<html lang="ar" dir="rtl">${getMessages('ar')['view.reset']}`);
    assert.throws(
      () => composePage({ ...EMPTY_PAGE, template: '[[text:view.resett]]' }),
      /unknown slot/,
    );
  });

  it('cannot be ended by the texts for its scripts', () => {
    const page = composePage({
      ...EMPTY_PAGE,
      template: '[[messages]]',
      scriptMessages: { 'view.reset': '</script><!--' },
    });
    assert.equal(page.match(/<\/script>/g)?.length, 1);
    assert.doesNotMatch(page, /<!--/);
  });
});
