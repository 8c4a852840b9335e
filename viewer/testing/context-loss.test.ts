import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Frame } from 'playwright-core';
import sharp from 'sharp';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { createBoxGlb } from './box-models.ts';
import {
  findPixels,
  isGreen,
  openEmbeddedViewer,
  unloadOutOfView,
  waitForControls,
  waitForPictureChange,
  waitForStablePicture,
  waitUntilLoaded,
} from './embedded-viewer.ts';

type TestWindow = Window & {
  /** While true, the browser creates no WebGL context for another canvas. */
  blocksWebGL?: boolean;
  /** The number of requests for a WebGL context while it creates none. */
  blockedRequests?: number;
  /** The number of pictures that were copied from a canvas. */
  copies?: number;
  /** The last one that was created. */
  lastContext?: WebGLRenderingContext;
  /** While it is pending, the answers to requests wait for it. */
  requestsHeld?: Promise<void>;
  releaseRequests?: () => void;
  /** The number of requests for models. */
  modelRequests?: number;
  /** Whether the canvas that was in the document when the context was lost shows something. */
  pictureHasColor?: boolean;
};

/** Runs in the page before all scripts. */
function instrument() {
  const page = window as TestWindow;
  page.blockedRequests = 0;
  page.copies = 0;
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (
    this: HTMLCanvasElement,
    kind: string,
    options: object,
  ) {
    const isBlocked = kind === 'webgl2' && page.blocksWebGL && !this.isConnected;
    if (!isBlocked) {
      const context = getContext.call(this, kind, options);
      if (kind === 'webgl2') page.lastContext = context as WebGLRenderingContext;
      return context;
    }
    page.blockedRequests = (page.blockedRequests ?? 0) + 1;
    return null;
  } as never;
  const { drawImage } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.drawImage = function (
    this: CanvasRenderingContext2D,
    ...args: unknown[]
  ) {
    page.copies = (page.copies ?? 0) + 1;
    drawImage.apply(this, args as never);
  } as never;
}

/** Runs in the page before all scripts. */
function holdRequests() {
  const page = window as TestWindow;
  page.modelRequests = 0;
  const { fetch } = page;
  page.fetch = async (...args) => {
    page.modelRequests = (page.modelRequests ?? 0) + 1;
    await page.requestsHeld;
    return fetch(...args);
  };
}

const isRed = (red: number, green: number, blue: number) => red > 150 && green < 90 && blue < 90;
const model = createBoxGlb();

describe('the loss of the WebGL context', { concurrency: 2 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  /** Opens a green design with a red poster. */
  async function open(t: TestContext) {
    const red = { width: 400, height: 300, channels: 3, background: '#e01010' } as const;
    const served = {
      model,
      files: { '/p.webp': await sharp({ create: red }).webp().toBuffer() },
      config: { posters: [{ url: '/p.webp', width: 400, height: 300 }] },
    };
    const opened = await openEmbeddedViewer(t, browser, served, {
      reducedMotion: 'reduce',
      script: instrument,
    });
    await waitUntilLoaded(opened.frame);
    await opened.frame.waitForSelector('#poster', { state: 'attached' });
    await waitForControls(opened.frame);
    return opened;
  }

  it('the poster replaces the model at once, and the model comes back by itself', async (t) => {
    const { page, frame } = await open(t);
    const before = await findPixels(page, isGreen);
    assert.equal((await findPixels(page, isRed)).count, 0);
    assert.deepEqual(await loseContext(frame), { poster: true, model: false });
    await waitForDrawing(frame);
    const restored = await findPixels(page, isGreen);
    assert.ok(Math.abs(restored.count - before.count) < before.count * 0.02, `${restored.count}`);
    assert.equal((await findPixels(page, isRed)).count, 0);
    assert.equal(await frame.evaluate(() => document.documentElement.dataset.state), 'ready');
  });

  it('of a model that has been moved, a picture replaces it, and it comes back as it was', async (t) => {
    const { page, frame } = await open(t);
    await waitForPictureChange(page, () => frame.locator('#view').press('ArrowLeft'));
    // A slow machine makes another one before the movement ends.
    await frame.waitForFunction(() => ((window as TestWindow).copies ?? 0) >= 1);
    const before = await findPixels(page, isGreen);
    const visible = await loseContext(frame);
    assert.deepEqual(visible, { poster: false, model: true });
    assert.ok(await frame.evaluate(() => (window as TestWindow).pictureHasColor));
    await waitForDrawing(frame);
    const restored = await findPixels(page, isGreen);
    assert.ok(Math.abs(restored.count - before.count) < before.count * 0.02, `${restored.count}`);
  });

  it('while the model is loaded again, its picture stays, and it is loaded once', async (t) => {
    const { page, frame } = await open(t);
    await frame.evaluate(holdRequests);
    await unloadOutOfView(page, frame);
    await frame.evaluate(() => {
      const page = window as TestWindow;
      page.requestsHeld = new Promise((resolve) => {
        page.releaseRequests = resolve;
      });
    });
    await page.evaluate(() => {
      document.body.style.paddingTop = '';
    });
    await frame.waitForFunction(() => (window as TestWindow).modelRequests === 1);
    await frame.evaluate(async () => {
      const { lastContext } = window as TestWindow;
      const canvas = lastContext?.canvas as HTMLCanvasElement;
      const lost = new Promise((resolve) => canvas.addEventListener('webglcontextlost', resolve));
      lastContext?.getExtension('WEBGL_lose_context')?.loseContext();
      await lost;
    });
    await waitForStablePicture(page);
    assert.ok((await findPixels(page, isGreen)).count > 10_000);
    assert.equal((await findPixels(page, isRed)).count, 0);
    // Asks for the model, which is being loaded.
    await frame.locator('#view').press('ArrowLeft');
    await frame.evaluate(() => (window as TestWindow).releaseRequests?.());
    await waitForDrawing(frame);
    assert.ok((await findPixels(page, isGreen)).count > 10_000);
    const [isLost, requests] = await frame.evaluate(() => {
      const { lastContext, modelRequests } = window as TestWindow;
      return [lastContext?.isContextLost(), modelRequests];
    });
    assert.deepEqual([isLost, requests], [false, 1]);
  });

  it('afterwards, keyboard and pointer move the model', async (t) => {
    const { page, frame } = await open(t);
    await loseContext(frame);
    await waitForDrawing(frame);
    await waitForPictureChange(page, () => frame.locator('#view').press('ArrowLeft'));
    await waitForPictureChange(page, async () => {
      await page.mouse.move(300, 200);
      await page.mouse.down();
      await page.mouse.move(380, 230, { steps: 3 });
      await page.mouse.up();
    });
    assert.ok((await findPixels(page, isGreen)).count > 10_000);
  });

  it('after four attempts, shows the poster and a message, until "Try again" works', async (t) => {
    const { page, frame } = await open(t);
    await setWebGLBlocked(frame, true);
    await loseContext(frame);
    await frame.waitForFunction(() => document.documentElement.dataset.state === 'failed');
    assert.equal(await frame.evaluate(() => (window as TestWindow).blockedRequests), 4);
    assert.equal(await frame.locator('#error h2').innerText(), 'The 3D view has stopped.');
    await waitForStablePicture(page);
    assert.ok((await findPixels(page, isRed)).count > 10_000);
    await setWebGLBlocked(frame, false);
    await frame.getByRole('button', { name: 'Try again' }).click();
    await frame.waitForFunction(() => document.documentElement.dataset.state === 'ready');
    await waitUntil(
      'the model is back',
      async () => (await findPixels(page, isGreen)).count > 10_000,
    );
    await waitForStablePicture(page);
    assert.equal((await findPixels(page, isRed)).count, 0);
    assert.equal(await frame.locator('#error').isVisible(), false);
  });
});

function setWebGLBlocked(frame: Frame, blocked: boolean): Promise<void> {
  return frame.evaluate((blocked) => {
    (window as TestWindow).blocksWebGL = blocked;
  }, blocked);
}

/** Waits until the model is drawn with a new context, and is on the screen. */
async function waitForDrawing(frame: Frame): Promise<void> {
  await frame.waitForFunction(() => document.documentElement.dataset.suspended === undefined);
  await waitForStablePicture(frame.page());
}

/** Loses the context as a crash does: the browser does not restore it. Returns what is visible then. */
function loseContext(frame: Frame): Promise<{ poster: boolean; model: boolean }> {
  return frame.evaluate(async () => {
    const canvas = document.querySelector('canvas') as HTMLCanvasElement;
    const lost = new Promise((resolve) => canvas.addEventListener('webglcontextlost', resolve));
    canvas.getContext('webgl2')?.getExtension('WEBGL_lose_context')?.loseContext();
    await lost;
    const page = window as TestWindow;
    const picture = document.querySelector('#view canvas') as HTMLCanvasElement;
    const pixels = picture
      .getContext('2d')
      ?.getImageData(picture.width / 2, picture.height / 2, 1, 1).data;
    page.pictureHasColor = (pixels?.[1] ?? 0) > 60;
    const isVisible = (selector: string) =>
      document
        .querySelector(selector)
        ?.checkVisibility({ opacityProperty: true, visibilityProperty: true }) === true;
    return { poster: isVisible('#poster'), model: isVisible('#view canvas') };
  });
}
