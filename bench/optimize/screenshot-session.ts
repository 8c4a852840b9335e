import type { Browser, Frame, Page } from 'playwright-core';
import sharp from 'sharp';
import type { RgbImage } from '../../e2e/ssim.ts';
import { openViewerServer, type ViewerServer } from '../../viewer/testing/test-server.ts';

const [WIDTH, HEIGHT] = [900, 675];
/** Keys pressed before the second and the third screenshot, to rotate the camera. */
const CAMERA_KEYS = [
  Array<string>(8).fill('ArrowLeft'),
  [...Array<string>(6).fill('ArrowLeft'), 'ArrowUp', 'ArrowUp', 'ArrowUp'],
];
const TIMEOUT_MS = 120_000;

/**
 * Takes screenshots of models in the viewer from three sides, without controls.
 *
 * The original is served as the preview, so that the camera is the same for all models. Otherwise a
 * sample of each model's vertices would determine the camera. The image would move by part of a pixel,
 * which lowers the SSIM by 0.06.
 */
export class ScreenshotSession implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #server: ViewerServer;

  private constructor(browser: Browser, server: ViewerServer) {
    this.#browser = browser;
    this.#server = server;
  }

  static async open(browser: Browser): Promise<ScreenshotSession> {
    return new ScreenshotSession(
      browser,
      await openViewerServer(toServedModel(new Uint8Array(), new Uint8Array())),
    );
  }

  async capture(model: Uint8Array, original: Uint8Array): Promise<RgbImage[]> {
    this.#server.setOptions(toServedModel(model, original));
    const context = await this.#browser.newContext({
      viewport: { width: WIDTH, height: HEIGHT },
      bypassCSP: true,
      reducedMotion: 'reduce',
    });
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(TIMEOUT_MS);
      await page.goto(this.#server.hostUrl);
      const frame = page.frames()[1];
      if (frame === undefined) throw new Error('The host page has no frame.');
      await waitUntilReady(frame);
      const images = [await captureStableScreenshot(page)];
      for (const keys of CAMERA_KEYS) {
        for (const key of keys) await frame.locator('#view').press(key);
        images.push(await captureStableScreenshot(page));
      }
      return images;
    } finally {
      await context.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}

function toServedModel(model: Uint8Array, original: Uint8Array) {
  return {
    model,
    files: { '/original.glb': original },
    config: { preview: { url: '/original.glb', bytes: original.byteLength } },
    frameSize: { width: `${WIDTH}px`, height: `${HEIGHT}px` },
  };
}

async function waitUntilReady(frame: Frame): Promise<void> {
  await frame.waitForFunction(() => {
    const { state } = document.documentElement.dataset;
    return state === 'ready' || state === 'failed';
  });
  const state = await frame.evaluate(() => document.documentElement.dataset.state);
  if (state !== 'ready') {
    throw new Error(`The viewer shows no model: ${await frame.locator('#error').innerText()}`);
  }
  await frame.locator('#toolbar').waitFor({ state: 'visible' });
  await frame.addStyleTag({
    content: 'main > :not(#view), #view > :not(canvas) { visibility: hidden !important }',
  });
}

/** Takes screenshots until three in a row are equal. */
async function captureStableScreenshot(page: Page): Promise<RgbImage> {
  let last = Buffer.alloc(0);
  for (let equalCount = 0, count = 0; equalCount < 3; count++) {
    if (count > 200) throw new Error('The screenshots keep changing.');
    await new Promise((resolve) => setTimeout(resolve, 200));
    const png = await page.screenshot();
    const { data } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    equalCount = data.equals(last) ? equalCount + 1 : 0;
    last = data;
  }
  return { data: last, width: WIDTH, height: HEIGHT };
}
