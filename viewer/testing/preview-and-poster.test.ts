import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { createBoxGlb } from './box-models.ts';
import {
  findPixels,
  isGreen,
  openEmbeddedViewer,
  readScreenPixels,
  unloadOutOfView,
  waitForControls,
  waitForPictureChange,
  waitForPoster,
  waitForStablePicture,
  waitUntilLoaded,
} from './embedded-viewer.ts';
import { renderInlinePoster } from './inline-poster.ts';
import { createBoxShadow } from './shadow-image.ts';
import { openViewerServer, sendProblem, type ViewerServerOptions } from './test-server.ts';
import { createTexturedBox } from './textured-box.ts';

const BLUE = [0.02, 0.1, 0.7] as const;
const model = createBoxGlb();
const preview = createBoxGlb({ color: BLUE });
const bounds = {
  min: [-0.5, -0.5, -0.5],
  max: [0.5, 0.5, 0.5],
} satisfies ViewerConfig['model']['bounds'];

const isBlue = (red: number, green: number, blue: number) =>
  blue > 70 && blue > 1.5 * green && blue > 1.6 * red;
const isRed = (red: number, green: number, blue: number) => red > 150 && green < 90 && blue < 90;
const isBackgroundColor = (red: number, green: number, blue: number) =>
  Math.abs(red - 0xc8) < 6 && Math.abs(green - 0xd4) < 6 && Math.abs(blue - 0xe0) < 6;

const disc = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><circle cx="200" cy="150" r="90" fill="#e01010"/></svg>',
);

/** Creates a handler that sends the file after `release` has been called. */
function createDelayedFile(file: Uint8Array) {
  const waiting: ServerResponse[] = [];
  let released = false;
  return {
    handle(response: ServerResponse) {
      if (released) response.writeHead(200).end(file);
      else waiting.push(response);
    },
    release() {
      released = true;
      for (const response of waiting) response.writeHead(200).end(file);
    },
  };
}

const createConfig = (more: Partial<ViewerConfig> = {}): Partial<ViewerConfig> => ({
  model: { url: '/model.glb', bytes: model.byteLength, bounds },
  preview: { url: '/preview.glb', bytes: preview.byteLength },
  ...more,
});

/** Runs in the page: records the states after `loading`. The scripts wait for the poster, and images are decoded slowly. */
function recordStates(): void {
  const { createImageBitmap } = window;
  window.createImageBitmap = async (...args: unknown[]) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return createImageBitmap(...(args as [ImageBitmapSource]));
  };
  const { setTimeout } = window;
  window.setTimeout = ((handler: () => void, ms?: number) =>
    ms === 100 ? 0 : setTimeout(handler, ms)) as never;
  const states: (string | undefined)[] = [];
  Object.assign(window, { states });
  const observer = new MutationObserver(() => {
    const { state } = document.documentElement.dataset;
    if (state !== 'loading' && state !== states.at(-1)) states.push(state);
  });
  observer.observe(document, { subtree: true, attributeFilter: ['data-state'] });
}

/** Lists the ids of the elements that the browser paints in layers of their own. */
async function listLayers(page: Page, nodeName: string): Promise<(string | undefined)[]> {
  const session = await page.context().newCDPSession(page);
  const changed = new Promise<LayerTreeChange>((resolve) =>
    session.on('LayerTree.layerTreeDidChange', resolve),
  );
  await session.send('DOM.enable');
  await session.send('LayerTree.enable');
  const { layers = [] } = await changed;
  const nodes = await Promise.all(
    layers.flatMap(({ backendNodeId }) =>
      backendNodeId === undefined ? [] : session.send('DOM.describeNode', { backendNodeId }),
    ),
  );
  await session.detach();
  return nodes
    .filter(({ node }) => node.nodeName === nodeName)
    .map(({ node: { attributes = [] } }) => attributes[attributes.indexOf('id') + 1]);
}

type LayerTreeChange = { layers?: { backendNodeId?: number }[] };

const waitForState = (page: Page, state: string) =>
  waitUntil(`the state is ${state}`, async () => {
    const now = await page.frames()[1]?.evaluate(() => document.documentElement.dataset.state);
    return now === state;
  });

describe('preview and poster', { concurrency: 3 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  /** Opens a page whose preview loads immediately and whose model is delayed. */
  async function openDelayed(t: TestContext, served: ViewerServerOptions = {}) {
    const delayed = createDelayedFile(served.model ?? model);
    const opened = await openEmbeddedViewer(t, browser, {
      modelHandler: delayed.handle,
      files: { '/preview.glb': preview },
      config: createConfig(),
      ...served,
    });
    return { ...opened, delayed };
  }

  /** Calls `openDelayed`, and waits until the preview can be rotated. */
  async function openPreview(t: TestContext, served: ViewerServerOptions = {}) {
    const opened = await openDelayed(t, served);
    await waitForState(opened.page, 'preview');
    await waitForControls(opened.frame);
    return opened;
  }

  it('shows color and inline poster first, then the poster', async (t) => {
    const poster = createDelayedFile(await sharp(disc).webp().toBuffer());
    const greenDisc = Buffer.from(disc.toString().replace('#e01010', '#10a010'));
    const { server, page, consoleErrors } = await openEmbeddedViewer(t, browser, {
      inlinePoster: await renderInlinePoster(greenDisc),
      files: { '/preview.glb': () => {}, '/small.webp': poster.handle },
      config: createConfig({
        posterPlaceholder: { background: '#c8d4e0' },
        posters: [
          { url: '/small.webp', width: 400, height: 300 },
          { url: '/large.webp', width: 800, height: 600 },
        ],
      }),
    });
    // Browsers may paint a frame before they have decoded an image.
    await waitUntil('color and inline poster are visible', async () => {
      const color = await findPixels(page, isBackgroundColor);
      return color.count > 200 && (await findPixels(page, isGreen)).count > 10_000;
    });
    poster.release();
    await waitUntil('only the poster is visible', async () => {
      const [red, green] = [await findPixels(page, isRed), await findPixels(page, isGreen)];
      return red.count > 25_000 && green.count === 0;
    });
    const { left, right, top, bottom } = await findPixels(page, isRed);
    // Centered and as large as fits: 400 pixels of the poster are 533 CSS pixels here.
    assert.ok(Math.abs(right - left - 240) < 4 && Math.abs(bottom - top - 240) < 4);
    assert.ok(Math.abs(left + right - 600) < 4 && Math.abs(top + bottom - 400) < 4);
    assert.doesNotMatch(server.requestedPaths.join(' '), /large|model/);
    assert.deepEqual(consoleErrors, []);
  });

  it('with an inline poster, icon and title are not shown, also before the first script runs', async () => {
    const areVisible = async (inlinePoster: string) => {
      await using server = await openViewerServer({ model, inlinePoster });
      await using page = await browser.newPage();
      const { port } = new URL(server.frameUrl);
      const response = await fetch(`http://127.0.0.1:${port}/frame`);
      const [body = ''] = (await response.text()).split('<script type="application/json"');
      await page.route('**/frame', (route) => route.fulfill({ contentType: 'text/html', body }));
      await page.goto(server.frameUrl);
      assert.equal(await page.locator('html').getAttribute('data-inline-poster'), null);
      const icon = await page.locator('#loading > svg').isVisible();
      return [icon, await page.locator('#loading > p').isVisible()];
    };
    const unchecked = await renderInlinePoster(await sharp(disc).webp().toBuffer());
    const checked = unchecked.replace(/<\/?template[^>]*>/g, '');
    assert.deepEqual(await areVisible(unchecked), [false, false]);
    assert.deepEqual(await areVisible(checked), [false, false]);
    assert.deepEqual(await areVisible(''), [true, true]);
  });

  it('each poster is in a layer of its own, so that the background is painted once', async (t) => {
    const poster = createDelayedFile(await sharp(disc).webp().toBuffer());
    const { page, frame } = await openEmbeddedViewer(t, browser, {
      inlinePoster: await renderInlinePoster(await sharp(disc).webp().toBuffer()),
      modelHandler: () => {},
      files: { '/poster.webp': poster.handle },
      config: { posters: [{ url: '/poster.webp', width: 400, height: 300 }] },
      // In the process of the page, whose layers the session lists.
      frameHost: 'cloche.shop.test',
    });
    await frame.locator('#inline-poster').waitFor();
    assert.deepEqual(await listLayers(page, 'IMG'), ['inline-poster']);
    poster.release();
    await frame.locator('#poster').waitFor();
    assert.deepEqual(await listLayers(page, 'IMG'), ['poster']);
  });

  it('evaluates the scripts after the poster, but does not wait long for it', async (t) => {
    const poster = createDelayedFile(await sharp(disc).webp().toBuffer());
    const served = {
      model,
      files: { '/poster.webp': poster.handle },
      config: { posters: [{ url: '/poster.webp', width: 400, height: 300 }] },
    };
    const { frame } = await openEmbeddedViewer(t, browser, served, { script: waitForPoster });
    await frame.waitForFunction(() => globalThis.clocheBootstrap !== undefined);
    assert.equal(await frame.locator('script[src]').count(), 0);
    poster.release();
    await frame.waitForSelector('script[src]', { state: 'attached' });
    assert.equal(await frame.locator('#poster').count(), 1);

    const late = { ...served, files: { '/poster.webp': () => {} } };
    const { frame: lateFrame } = await openEmbeddedViewer(t, browser, late);
    assert.equal(await waitUntilLoaded(lateFrame), 'ready');
    assert.equal(await lateFrame.locator('#poster').count(), 0);
  });

  it('with an inline poster, evaluates the scripts before the poster has arrived', async (t) => {
    const served = {
      model,
      inlinePoster: await renderInlinePoster(await sharp(disc).webp().toBuffer()),
      files: { '/poster.webp': () => {} },
      config: { posters: [{ url: '/poster.webp', width: 400, height: 300 }] },
    };
    const { frame } = await openEmbeddedViewer(t, browser, served, { script: waitForPoster });
    assert.equal(await waitUntilLoaded(frame), 'ready');
  });

  it('loads what the script of the controls imports together with it, not after it', async (t) => {
    const { page, frame } = await openEmbeddedViewer(t, browser, { model });
    await waitForState(page, 'ready');
    await frame.waitForSelector('[data-interactive]', { state: 'attached' });
    const { imports, controls } = await frame.evaluate(() => {
      const [drawn] = performance.getEntriesByName('cloche-first-frame');
      const scripts = performance
        .getEntriesByType('resource')
        .filter(
          ({ name, startTime }) => name.endsWith('.js') && startTime > (drawn?.startTime ?? 0),
        );
      const isControls = ({ name }: PerformanceEntry) => name.includes('/mount-deferred-features-');
      return {
        imports: scripts.filter((script) => !isControls(script)).map((script) => script.startTime),
        controls: scripts.find(isControls)?.startTime ?? 0,
      };
    });
    assert.ok(imports.length > 0);
    const late = imports.filter((start) => start > controls);
    assert.deepEqual(late, [], `the controls were requested after ${controls} ms`);
  });

  it('shows the preview, and requests the model only after the preview has arrived', async (t) => {
    const delayed = createDelayedFile(preview);
    const { server, page, frame, consoleErrors } = await openEmbeddedViewer(t, browser, {
      model,
      files: { '/preview.glb': delayed.handle },
      config: createConfig(),
    });
    await frame.waitForFunction(() => globalThis.clocheBootstrap === undefined);
    await waitUntil('the first requests', () =>
      [/preview/, /viewer-\w+\.js/].every((early) => early.test(server.requestedPaths.join(' '))),
    );
    // Long enough for the viewer to request the model too early.
    await page.waitForTimeout(500);
    assert.doesNotMatch(server.requestedPaths.join(' '), /model/);
    delayed.release();
    await waitForState(page, 'ready');
    await waitForStablePicture(page);
    assert.ok((await findPixels(page, isGreen)).count > 10_000);
    assert.equal((await findPixels(page, isBlue)).count, 0);
    assert.deepEqual(consoleErrors, []);
  });

  const lateModels = {
    'later than a fast network lets expect': { delayMs: 900, bytes: model.byteLength },
    'while the preview is prepared, although it seemed to be large': {
      delayMs: 0,
      bytes: 100_000_000,
    },
  };
  for (const [when, { delayMs, bytes }] of Object.entries(lateModels))
    for (const hasPoster of [true, false])
      it(`the model arrives ${when}: the preview is ${hasPoster ? 'not drawn under a poster' : 'drawn'}`, async (t) => {
        const posters = [{ url: '/poster.webp', width: 400, height: 300 }];
        const config = createConfig(hasPoster ? { posters } : {});
        const served: ViewerServerOptions = {
          modelHandler: (response) => setTimeout(() => response.writeHead(200).end(model), delayMs),
          files: {
            '/preview.glb': await createTexturedBox(undefined, 'webp'),
            '/poster.webp': await sharp(disc).webp().toBuffer(),
          },
          config: { ...config, model: { url: '/model.glb', bytes, bounds } },
        };
        const { frame } = await openEmbeddedViewer(t, browser, served, { script: recordStates });
        await frame.waitForFunction(() => document.documentElement.dataset.state === 'ready');
        const states = await frame.evaluate(() => (window as { states?: string[] }).states);
        assert.deepEqual(states, hasPoster ? ['ready'] : ['preview', 'ready']);
      });

  it('a model that supersedes the preview, but is damaged: the preview is shown with a notice', async (t) => {
    const posters = [{ url: '/poster.webp', width: 400, height: 300 }];
    const served: ViewerServerOptions = {
      modelHandler: (response) => response.writeHead(200).end('no model'),
      files: {
        '/preview.glb': await createTexturedBox(undefined, 'webp'),
        '/poster.webp': await sharp(disc).webp().toBuffer(),
      },
      config: { ...createConfig({ posters }), model: { url: '/model.glb', bytes: 1e8, bounds } },
    };
    const { frame } = await openEmbeddedViewer(t, browser, served, { script: recordStates });
    await frame.locator('#preview-notice').waitFor();
    const states = await frame.evaluate(() => (window as { states?: string[] }).states);
    assert.deepEqual(states, ['preview']);
  });

  it('lets the preview be rotated; the model replaces it without moving the camera', async (t) => {
    const { page, delayed, consoleErrors } = await openPreview(t);
    const initial = await findPixels(page, isBlue);
    assert.ok(initial.count > 10_000);
    await waitForPictureChange(page, async () => {
      await page.mouse.move(300, 200);
      await page.mouse.down();
      await page.mouse.move(380, 230, { steps: 3 });
      await page.mouse.up();
    });
    const rotated = await findPixels(page, isBlue);
    assert.notEqual(rotated.count, initial.count);
    delayed.release();
    await waitForState(page, 'ready');
    await waitForStablePicture(page);
    const { left, right, top, bottom } = await findPixels(page, isGreen);
    for (const [after, before] of [
      [left, rotated.left],
      [right, rotated.right],
      [top, rotated.top],
      [bottom, rotated.bottom],
    ] as const) {
      assert.ok(Math.abs(after - before) <= 1, `${after}, and ${before} before`);
    }
    assert.deepEqual(consoleErrors, []);
  });

  it('replaces the preview with an equal model without a visible change in any frame', async (t) => {
    const same = { files: { '/preview.glb': model } };
    const { page, delayed } = await openPreview(t, same);
    const before = (await readScreenPixels(page)).data;
    delayed.release();
    let ready = false;
    const isReady = waitForState(page, 'ready').then(() => {
      ready = true;
    });
    for (let remaining = 3; remaining > 0; remaining -= Number(ready)) {
      const now = (await readScreenPixels(page)).data;
      const sum = now.reduce(
        (total, value, index) => total + Math.abs(value - (before[index] ?? 0)),
        0,
      );
      // The progress bar appears and disappears in the meantime.
      assert.ok(sum / now.length < 0.4, `${sum / now.length}`);
    }
    await isReady;
  });

  it('resets the camera when preview and model have different bounds', async (t) => {
    const { page, delayed } = await openPreview(t, {
      model: createBoxGlb({ size: [0.4, 2, 0.4] }),
    });
    delayed.release();
    await waitForState(page, 'ready');
    await waitForStablePicture(page);
    const { top, bottom } = await findPixels(page, isGreen);
    assert.ok((bottom - top) / 400 > 0.7 && (bottom - top) / 400 < 0.85, `${top} to ${bottom}`);
  });

  const failures: [reason: string, file: Uint8Array | ((response: ServerResponse) => void)][] = [
    ['is interrupted', (response) => response.destroy()],
    ['is not a model', new Uint8Array([1, 2, 3])],
  ];
  for (const [reason, file] of failures) {
    it(`shows the model without a preview when the preview ${reason}`, async (t) => {
      const files = { '/preview.glb': file };
      const { page } = await openEmbeddedViewer(t, browser, {
        model,
        files,
        config: createConfig(),
      });
      await waitForState(page, 'ready');
      await waitForStablePicture(page);
      assert.ok((await findPixels(page, isGreen)).count > 10_000);
    });
  }

  it('shows the preview with a notice if the model cannot be loaded, until "Try again" loads it', async (t) => {
    const modelHandler = (response: ServerResponse) =>
      sendProblem(response, 503, 'server.unavailable', 'Not now.');
    const { server, page, frame } = await openPreview(t, { modelHandler });
    const retryButton = frame.getByRole('button', { name: 'Try again' });
    await retryButton.waitFor();
    assert.match(await frame.locator('#preview-notice').innerText(), /Only a preview/);
    assert.ok((await findPixels(page, isBlue)).count > 10_000);
    server.setOptions({ model, config: createConfig() });
    await retryButton.click();
    await waitForState(page, 'ready');
    await retryButton.waitFor({ state: 'hidden' });
  });

  it('shows the model without a notice if it can be loaded when the document is in view again', async (t) => {
    const held = Promise.withResolvers<void>();
    const modelHandler = (response: ServerResponse) =>
      void held.promise.then(() => sendProblem(response, 503, 'server.unavailable', 'Not now.'));
    const { server, page, frame } = await openPreview(t, { modelHandler });
    held.resolve();
    const notice = frame.locator('#preview-notice');
    await notice.waitFor({ state: 'visible' });
    server.setOptions({ model, config: createConfig() });
    await unloadOutOfView(page, frame);
    await page.evaluate(() => {
      document.body.style.paddingTop = '';
    });
    await waitForState(page, 'ready');
    await notice.waitFor({ state: 'hidden' });
    await waitForStablePicture(page);
    assert.ok((await findPixels(page, isGreen)).count > 10_000);
  });

  it('without WebGL: shows poster, description and an error', async (t) => {
    const script = () => {
      const { getContext } = HTMLCanvasElement.prototype;
      HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string) {
        return kind === '2d' ? getContext.call(this, kind) : null;
      } as never;
    };
    const red = { width: 400, height: 300, channels: 3, background: '#e01010' } as const;
    const description = 'Oak, oiled. <img src=x onerror="alert(1)">';
    const served = {
      files: { '/preview.glb': preview, '/p.webp': await sharp({ create: red }).webp().toBuffer() },
      config: createConfig({
        design: { id: '00000000-0000-4000-8000-000000000000', name: 'A chair', description },
        posters: [{ url: '/p.webp', width: 400, height: 300 }],
      }),
    };
    const { page, frame, consoleErrors } = await openEmbeddedViewer(t, browser, served, { script });
    await waitForState(page, 'failed');
    await frame.getByRole('img', { name: 'A chair' }).waitFor();
    await waitForStablePicture(page);
    assert.ok((await findPixels(page, isRed)).count > 100_000);
    assert.equal(await frame.locator('#description').textContent(), description);
    await frame.locator('#error', { hasText: 'cannot show 3D' }).waitFor();
    await waitUntil('the advice', () => consoleErrors.length > 0);
    assert.match(consoleErrors.join('\n'), /^Cloche: viewer\.no-webgl: /);
  });

  it('poster mode: the model is drawn once, and once for each size after that', async (t) => {
    const model = createBoxGlb();
    const server = await openViewerServer({ model, config: createConfig({ posterMode: true }) });
    t.after(() => server[Symbol.asyncDispose]());
    const page = await browser.newPage({ viewport: { width: 600, height: 400 } });
    t.after(() => page.close());
    await page.addInitScript(() => {
      const { drawElements } = WebGL2RenderingContext.prototype;
      const draws: number[] = [];
      Object.assign(globalThis, { draws });
      WebGL2RenderingContext.prototype.drawElements = function (...args) {
        // Not the background, which has two triangles.
        if (args[1] > 6) draws.push(this.drawingBufferWidth);
        return drawElements.apply(this, args);
      };
    });
    await page.goto(server.frameUrl);
    await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
    await page.screenshot();
    await page.setViewportSize({ width: 300, height: 200 });
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    await page.screenshot();
    assert.deepEqual(await page.evaluate('draws'), [600, 300]);
  });

  it('poster mode: renders the model and its shadow on a transparent background', async (t) => {
    const shadowed = createBoxGlb({ shadow: await createBoxShadow() });
    const server = await openViewerServer({
      model: shadowed,
      config: createConfig({ posterMode: true }),
    });
    t.after(() => server[Symbol.asyncDispose]());
    const page = await browser.newPage({ viewport: { width: 600, height: 400 } });
    t.after(() => page.close());
    await page.goto(server.frameUrl);
    await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
    const png = await page.screenshot({ omitBackground: true });
    const poster = await sharp(png).ensureAlpha().raw().toBuffer();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.background), '#dfe2e7');
    assert.deepEqual([...poster.subarray(0, 4)], [0, 0, 0, 0]);
    assert.doesNotMatch(server.requestedPaths.join(' '), /preview|mount-deferred-features/);

    const served = { model: shadowed, config: createConfig({ preview: undefined } as never) };
    const embedded = await openEmbeddedViewer(t, browser, served, { deviceScaleFactor: 1 });
    await waitForState(embedded.page, 'ready');
    await waitForControls(embedded.frame);
    // The poster has no controls.
    await embedded.frame.evaluate(() => {
      (document.getElementById('toolbar') as HTMLElement).style.visibility = 'hidden';
    });
    await waitForStablePicture(embedded.page);
    const { data } = await readScreenPixels(embedded.page);
    let [opaque, difference] = [0, 0];
    for (let pixel = 0; pixel < data.length / 3; pixel++) {
      if (poster[pixel * 4 + 3] !== 255) continue;
      opaque++;
      for (let channel = 0; channel < 3; channel++) {
        difference = Math.max(
          difference,
          Math.abs((poster[pixel * 4 + channel] ?? 0) - (data[pixel * 3 + channel] ?? 0)),
        );
      }
    }
    assert.ok(opaque > 20_000, `${opaque} pixels`);
    assert.ok(difference <= 2, `${difference}`);
    const shadow = poster.filter((value, index) => index % 4 === 3 && value > 20 && value < 200);
    assert.ok(shadow.length > 2000, `${shadow.length} pixels of shadow`);
  });
});
