import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Browser, BrowserContextOptions, Frame } from 'playwright-core';
import { openChromium } from '../../e2e/chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { createBoxGlb, type GlbBytes } from './box-models.ts';
import {
  findPixels,
  isGreen,
  openEmbeddedViewer,
  POLL_BY_TIMER,
  readScreenPixels,
  waitForControls,
  waitForPictureChange,
  waitForStablePicture,
  waitUntilLoaded,
} from './embedded-viewer.ts';
import { loseContext } from './lose-context.ts';
import { createTexturedBox } from './textured-box.ts';

type TestWindow = Window & {
  /** Samples of all renderbuffers that were not deleted. */
  liveSamples?: number;
  maxSamples?: number;
  /** Decoded images that were not closed. */
  openImages?: number;
  /** Images that were decoded. */
  decodings?: number;
  attributes?: WebGLContextAttributes;
};

/** CSS pixels of the frame; each is one device pixel. */
const [WIDTH, HEIGHT] = [600, 400];
const SAMPLES = 4;
const ANDROID =
  'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/153.0.0.0 Mobile Safari/537.36';

const isRed = (red: number, green: number, blue: number) => red > 120 && green < 90 && blue < 90;

describe('the memory of an embed', { concurrency: 2 }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  async function open(t: TestContext, model: GlbBytes, options: BrowserContextOptions = {}) {
    const opened = await openEmbeddedViewer(
      t,
      browser,
      { model },
      { reducedMotion: 'reduce', deviceScaleFactor: 1, script: countMemory, ...options },
    );
    await waitUntilLoaded(opened.frame);
    await waitForControls(opened.frame);
    return opened;
  }

  it('has no samples while nothing is drawn, and the canvas keeps its picture', async (t) => {
    const { frame, page, consoleErrors } = await open(t, createBoxGlb());
    await waitUntil('the samples are freed', async () => (await read(frame, 'liveSamples')) === 0);
    assert.equal(await read(frame, 'maxSamples'), WIDTH * HEIGHT * SAMPLES * 2, 'color and depth');
    assert.deepEqual(await read(frame, 'attributes'), { antialias: false, depth: false });
    assert.ok((await findPixels(page, isGreen)).count > 10_000);

    await waitForPictureChange(page, () => frame.locator('#view').press('ArrowLeft'));
    assert.ok((await findPixels(page, isGreen)).count > 10_000);
    await waitUntil('freed again', async () => (await read(frame, 'liveSamples')) === 0);
    assert.ok((await findPixels(page, isGreen)).count > 10_000);
    assert.deepEqual(consoleErrors, []);
  });

  it('its edges are as smooth as those that the browser draws', async (t) => {
    const pictures = await Promise.all(
      [{}, { userAgent: ANDROID }].map(async (options) => {
        const { frame, page } = await open(t, createBoxGlb(), options);
        assert.equal((await read(frame, 'attributes'))?.antialias, 'userAgent' in options);
        return (await readScreenPixels(page)).data;
      }),
    );
    assert.ok(pictures[0]?.equals(pictures[1] as Buffer), 'the same picture');
  });

  it('has samples for the size of the frame, also right after another size', async (t) => {
    const { frame, page } = await open(t, createBoxGlb());
    const { data } = await readScreenPixels(page);
    const resize = (width: number, height: number) =>
      page.locator('iframe').evaluate((iframe, size) => Object.assign(iframe.style, size), {
        width: `${width}px`,
        height: `${height}px`,
      });
    // The samples are there for a second only.
    const seen = frame.waitForFunction(
      (samples) => (window as TestWindow).liveSamples === samples,
      ((WIDTH * HEIGHT) / 4) * SAMPLES * 2,
      POLL_BY_TIMER,
    );
    await Promise.all([seen, resize(WIDTH / 2, HEIGHT / 2)]);
    await resize(WIDTH, HEIGHT);
    await waitForStablePicture(page);
    assert.ok((await readScreenPixels(page)).data.equals(data), 'the same picture as before');
  });

  it('has no decoded images of the file, and shows them again after the loss of the context', async (t) => {
    const { frame, page, server, consoleErrors } = await open(t, await createTexturedBox());
    await waitUntil('the image is freed', async () => (await read(frame, 'openImages')) === 0);
    assert.ok((await findPixels(page, isRed)).count > 10_000);
    const requests = server.requestedPaths.length;
    const decodings = (await read(frame, 'decodings')) ?? 0;
    await frame.evaluate(pressKeysWhenLost);
    await frame.evaluate(loseContext);
    await frame.waitForFunction(() => document.documentElement.dataset.suspended === undefined);
    await waitUntil('the texture', async () => (await findPixels(page, isRed)).count > 10_000);
    await waitUntil('freed again', async () => (await read(frame, 'openImages')) === 0);
    assert.equal(server.requestedPaths.length, requests, 'nothing is requested again');
    assert.equal(await read(frame, 'decodings'), decodings + 1, 'also if the visitor asks for it');
    assert.deepEqual(
      consoleErrors.filter((text) => !text.includes('Context Lost')),
      [],
    );
  });
});

describe('the environment map', () => {
  it('is not kept in memory, and is there again after the loss of the context', async (t) => {
    const browser = await openChromium();
    t.after(() => browser.close());
    // In the site of the page, whose process the session examines.
    const model = createBoxGlb({
      // Metal, which samples it on all devices.
      change: (gltf) => {
        gltf.materials = [{ pbrMetallicRoughness: { metallicFactor: 1 } }];
      },
    });
    const served = { model, frameHost: 'cloche.shop.test' };
    const { frame, page } = await openEmbeddedViewer(t, browser, served, { script: recordUploads });
    await waitUntilLoaded(frame);
    await waitForControls(frame);
    const before = (await readScreenPixels(page)).data;
    const session = await page.context().newCDPSession(page);
    const countKept = async () => {
      await session.send('HeapProfiler.collectGarbage');
      return frame.evaluate(() => {
        const uploads = (window as never as { uploads: WeakRef<object>[] }).uploads;
        return uploads.filter((upload) => upload.deref() !== undefined).length;
      });
    };
    const countUploads = () =>
      frame.evaluate(() => (window as never as { uploads: unknown[] }).uploads.length);
    const uploadCount = await countUploads();
    assert.ok(uploadCount > 0);
    await waitUntil('nothing is kept', async () => (await countKept()) === 0);
    await frame.evaluate(loseContext);
    await frame.waitForFunction(() => document.documentElement.dataset.suspended === undefined);
    await waitForStablePicture(page);
    assert.ok((await readScreenPixels(page)).data.equals(before), 'the same picture');
    assert.equal(await countUploads(), 2 * uploadCount);
    await waitUntil('nothing is kept again', async () => (await countKept()) === 0);
  });
});

/** Runs in each document before all scripts: records the data of the faces of the environment map. */
function recordUploads(): void {
  const uploads: WeakRef<object>[] = [];
  Object.assign(window, { uploads });
  const { texSubImage2D, TEXTURE_CUBE_MAP_POSITIVE_X: firstFace } =
    WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.texSubImage2D = function (this: object, ...args: unknown[]) {
    const [target, data] = [args[0] as number, args.at(-1)];
    const isFace = target >= firstFace && target < firstFace + 6;
    if (isFace && data instanceof Uint8Array) uploads.push(new WeakRef(data));
    texSubImage2D.apply(this as never, args as never);
  } as never;
}

function read<Key extends keyof TestWindow>(frame: Frame, key: Key): Promise<TestWindow[Key]> {
  return frame.evaluate((name) => (window as TestWindow)[name], key) as Promise<TestWindow[Key]>;
}

/** Runs in each document before all scripts. */
function countMemory(): void {
  const page = window as TestWindow;
  Object.assign(page, { liveSamples: 0, maxSamples: 0, openImages: 0 });
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...args: unknown[]) {
    const context = getContext.apply(this, args as never) as WebGL2RenderingContext | null;
    if (args[0] === 'webgl2' && context) {
      const { antialias, depth } = context.getContextAttributes() as WebGLContextAttributes;
      page.attributes = { antialias, depth } as WebGLContextAttributes;
    }
    return context;
  } as never;
  const samples = new Map<unknown, number>();
  const update = () => {
    page.liveSamples = [...samples.values()].reduce((sum, count) => sum + count, 0);
    page.maxSamples = Math.max(page.maxSamples ?? 0, page.liveSamples);
  };
  const { renderbufferStorageMultisample, deleteRenderbuffer } = WebGL2RenderingContext.prototype;
  Object.assign(WebGL2RenderingContext.prototype, {
    renderbufferStorageMultisample(this: WebGL2RenderingContext, ...args: number[]) {
      const [, count = 0, , width = 0, height = 0] = args;
      samples.set(this.getParameter(this.RENDERBUFFER_BINDING), count * width * height);
      update();
      renderbufferStorageMultisample.apply(this, args as never);
    },
    deleteRenderbuffer(this: WebGL2RenderingContext, renderbuffer: WebGLRenderbuffer) {
      samples.delete(renderbuffer);
      update();
      deleteRenderbuffer.call(this, renderbuffer);
    },
  });
  const { createImageBitmap } = window;
  window.createImageBitmap = async (...args: unknown[]) => {
    const bitmap = await createImageBitmap(...(args as [ImageBitmapSource]));
    page.openImages = (page.openImages ?? 0) + 1;
    page.decodings = (page.decodings ?? 0) + 1;
    return bitmap;
  };
  const { close } = ImageBitmap.prototype;
  ImageBitmap.prototype.close = function () {
    page.openImages = (page.openImages ?? 0) - 1;
    close.call(this);
  };
}

/** Runs in the framed document: the visitor presses keys at the moment the context is lost. */
function pressKeysWhenLost(): void {
  const view = document.getElementById('view') as HTMLElement;
  const press = () => view.dispatchEvent(new KeyboardEvent('keydown', { key: 'a' }));
  document.querySelector('canvas')?.addEventListener('webglcontextlost', () => {
    for (let count = 0; count < 3; count++) press();
  });
}
