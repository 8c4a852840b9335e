import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { createBoxGlb, createMeshoptBoxGlb } from './box-models.ts';
import {
  findPixels,
  isGreen,
  openEmbeddedViewer,
  setPixelRatio,
  waitForControls,
  waitForPoster,
  waitForStablePicture,
} from './embedded-viewer.ts';
import { loseContext } from './lose-context.ts';
import type { ViewerServerOptions } from './test-server.ts';

type TestWindow = Window & {
  /** Vertex and index buffers that were created and not deleted. */
  liveBuffers?: number;
  /** Uploads to buffers while a frame is drawn. */
  uploadsInFrames?: number;
};

const isRed = (red: number, green: number, blue: number) => red > 150 && green < 90 && blue < 90;
const SMALL_FRAME = { width: '300px', height: '300px' };
/** In it, the box is larger than the `maxSize` of its first geometry. */
const LARGE_FRAME = { width: '900px', height: '900px' };
const VIEWPORT = { width: 900, height: 900 };

/** In a large frame, the whole box has more pixels than this, and its first geometry has fewer. */
const ALL_SIDES = 200_000;

describe('geometry levels', { concurrency: 2 }, () => {
  let browser: SharedBrowser;
  let full: Uint8Array;
  let poster: Buffer;
  before(async () => {
    browser = await openSharedChromium();
    full = await createMeshoptBoxGlb();
    const red = { width: 400, height: 300, channels: 3, background: '#e01010' } as const;
    poster = await sharp({ create: red }).webp().toBuffer();
  });
  after(() => browser.close());

  /** The first geometry is a box of which one side is visible, the other one a whole box. */
  function createServed(frameSize: ViewerServerOptions['frameSize']): ViewerServerOptions {
    const first = createBoxGlb({
      change({ accessors }) {
        const indices = (accessors as { count: number }[])[3] as { count: number };
        indices.count = 12;
      },
    });
    const toGeometry = (url: string, triangles: number, { byteLength: bytes }: Uint8Array) => ({
      url,
      triangles,
      bytes,
    });
    return {
      ...(frameSize && { frameSize }),
      files: { '/first.glb': first, '/full.glb': full, '/poster.webp': poster },
      config: {
        model: {
          url: '/full.glb',
          bytes: full.byteLength,
          bounds: { min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] },
        },
        levels: {
          geometries: [
            { ...toGeometry('/first.glb', 20_000, first), maxSize: 280 },
            toGeometry('/full.glb', 1_000_000, full),
          ],
          textures: [],
        },
      },
    };
  }

  async function open(t: TestContext, served: ViewerServerOptions, script = countBuffers) {
    const opened = await openEmbeddedViewer(t, browser, served, {
      reducedMotion: 'reduce',
      deviceScaleFactor: 1,
      viewport: VIEWPORT,
      script,
    });
    const { frame, server } = opened;
    await frame.waitForSelector('html[data-state="ready"]', { state: 'attached' });
    return {
      ...opened,
      // The first request is repeated if Chromium takes the document for one that is not in view.
      geometries: () =>
        server.requestedPaths
          .filter((path) => path.endsWith('.glb'))
          .filter((path, index, paths) => path !== '/first.glb' || paths.indexOf(path) === index),
      read: (key: 'liveBuffers' | 'uploadsInFrames') =>
        frame.evaluate((name) => (window as TestWindow)[name], key),
      isRevealed: () =>
        frame.evaluate(() => document.documentElement.dataset.revealed !== undefined),
    };
  }

  it('the first one is loaded, and the larger one after zooming in, without an upload in a frame', async (t) => {
    const opened = await open(t, createServed(SMALL_FRAME));
    const { frame, page, geometries, read, consoleErrors } = opened;
    await waitForControls(frame);
    assert.deepEqual(geometries(), ['/first.glb']);
    const { count: side } = await findPixels(page, isGreen);
    assert.ok(side > 1000, `${side} pixels of one side`);
    const before = await read('liveBuffers');
    const uploads = await read('uploadsInFrames');
    for (let step = 0; step < 6; step++) await frame.locator('#view').press('+');
    await waitUntil('the larger one is requested', async () => geometries().includes('/full.glb'));
    await frame.locator('#view').press('r');
    await waitForStablePicture(page);
    await seeGreen(page, 1.5 * side);
    assert.deepEqual(geometries(), ['/first.glb', '/full.glb']);
    await waitUntil(
      'the first one is released',
      async () => (await read('liveBuffers')) === before,
    );
    assert.equal(await read('uploadsInFrames'), uploads);
    assert.deepEqual(consoleErrors, []);
  });

  it('the larger one is loaded when the page is zoomed', async (t) => {
    const { frame, page, geometries } = await open(t, createServed(SMALL_FRAME));
    await waitForControls(frame);
    assert.deepEqual(geometries(), ['/first.glb']);
    await setPixelRatio(page, 2);
    await waitUntil('the larger one is requested', async () => geometries().includes('/full.glb'));
  });

  it('the larger one stays after the loss of the WebGL context', async (t) => {
    const { frame, page, geometries } = await open(t, createServed(LARGE_FRAME));
    await waitForControls(frame);
    await waitUntil('the larger one is requested', () => geometries().includes('/full.glb'));
    await seeGreen(page, ALL_SIDES);
    await waitForStablePicture(page);
    assert.deepEqual(geometries(), ['/first.glb', '/full.glb']);
    const { count } = await findPixels(page, isGreen);
    await frame.evaluate(loseContext);
    await frame.waitForFunction(() => document.documentElement.dataset.contextLost === undefined);
    await seeGreen(page, 0.99 * count);
    assert.equal(geometries().length, 2);
  });

  it('a device with little memory keeps the first one', async (t) => {
    const served = createServed(LARGE_FRAME);
    const { frame, page, geometries } = await open(t, served, setSmallDevice);
    await waitForControls(frame);
    assert.deepEqual(geometries(), ['/first.glb']);
    const { count } = await findPixels(page, isGreen);

    assert.ok(count < ALL_SIDES, `${count} pixels`);
  });

  /** The larger geometry is answered by `respond`. */
  async function openWithPoster(t: TestContext, frameSize: ViewerServerOptions['frameSize']) {
    const requested = Promise.withResolvers<ServerResponse>();
    const served = createServed(frameSize);
    const delayed: ViewerServerOptions = {
      ...served,
      files: { ...served.files, '/full.glb': requested.resolve },
      config: { ...served.config, posters: [{ url: '/poster.webp', width: 400, height: 300 }] },
    };
    const opened = await open(t, delayed, waitForPoster);
    await opened.frame.waitForSelector('#poster', { state: 'attached' });
    return { ...opened, response: requested.promise };
  }

  it('the poster stays until the geometry is shown that the screen can show', async (t) => {
    const { page, response, isRevealed } = await openWithPoster(t, LARGE_FRAME);
    const pending = await response;
    assert.equal(await isRevealed(), false);
    await waitForStablePicture(page);
    assert.ok((await findPixels(page, isRed)).count > 100_000, 'the poster');
    pending.writeHead(200).end(full);
    await waitUntil('the model is shown', isRevealed);
    await seeGreen(page, 100_000);
    await waitForStablePicture(page);
    assert.equal((await findPixels(page, isRed)).count, 0);
  });

  it('the poster does not stay if the larger geometry cannot be loaded', async (t) => {
    const { page, frame, response, isRevealed } = await openWithPoster(t, LARGE_FRAME);
    (await response).writeHead(500).end();
    await waitUntil('the model is shown', isRevealed);
    await seeGreen(page, 10_000);
    assert.equal(await frame.locator('#error').isVisible(), false);
  });

  it('a touch shows the first geometry in place of the poster', async (t) => {
    const { page, frame, response, isRevealed } = await openWithPoster(t, LARGE_FRAME);
    await response;
    await frame.locator('#view').press('ArrowLeft');
    await waitUntil('the model is shown', isRevealed);
    await seeGreen(page, 10_000);
  });

  it('the poster does not stay if the first geometry is sharp', async (t) => {
    const { geometries, isRevealed } = await openWithPoster(t, SMALL_FRAME);
    assert.equal(await isRevealed(), true);
    assert.ok(!geometries().includes('/full.glb'));
  });
});

async function seeGreen(page: Page, least: number): Promise<void> {
  await waitUntil(
    `${least} pixels of the box`,
    async () => (await findPixels(page, isGreen)).count >= least,
  );
}

/** Runs in the page. */
function setSmallDevice(): void {
  Object.defineProperty(navigator, 'deviceMemory', { value: 2 });
}

/** Runs in the page: counts buffers, and the uploads while a frame is drawn. */
function countBuffers(): void {
  const page = window as TestWindow;
  Object.assign(page, { liveBuffers: 0, uploadsInFrames: 0 });
  const { createBuffer, deleteBuffer, bufferData } = WebGL2RenderingContext.prototype;
  let inFrame = false;
  Object.assign(WebGL2RenderingContext.prototype, {
    createBuffer(this: WebGL2RenderingContext) {
      page.liveBuffers = (page.liveBuffers ?? 0) + 1;
      return createBuffer.call(this);
    },
    deleteBuffer(this: WebGL2RenderingContext, buffer: WebGLBuffer) {
      page.liveBuffers = (page.liveBuffers ?? 0) - 1;
      deleteBuffer.call(this, buffer);
    },
    bufferData(this: WebGL2RenderingContext, ...args: unknown[]) {
      if (inFrame) page.uploadsInFrames = (page.uploadsInFrames ?? 0) + 1;
      bufferData.apply(this, args as never);
    },
  });
  const { requestAnimationFrame } = window;
  window.requestAnimationFrame = (callback) =>
    requestAnimationFrame((time) => {
      inFrame = true;
      callback(time);
      inFrame = false;
    });
}
