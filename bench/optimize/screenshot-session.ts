import type { Browser, Frame, Page } from 'playwright-core';
import sharp from 'sharp';
import { openViewerServer, type ViewerServer } from '../../viewer/testing/test-server.ts';
import type { RgbImage } from './ssim.ts';

const [WIDTH, HEIGHT] = [900, 675];
/** Keys pressed before each picture after the first: other sides are looked at too. */
const CAMERA_KEYS = [
  Array<string>(8).fill('ArrowLeft'),
  [...Array<string>(6).fill('ArrowLeft'), 'ArrowUp', 'ArrowUp', 'ArrowUp'],
];
const TIMEOUT_MS = 120_000;

/**
 * Takes pictures of models in the product's viewer, three sides of each, nothing over them.
 *
 * All stand where the original stands: it is the preview that the camera is set up for, and another
 * model takes its place. By itself each would be framed by a sample of its own vertices, which moves
 * the picture by part of a pixel, and that alone costs 0.06 of SSIM.
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
      const pictures = [await captureStableScreenshot(page)];
      for (const keys of CAMERA_KEYS) {
        for (const key of keys) await frame.locator('#view').press(key);
        pictures.push(await captureStableScreenshot(page));
      }
      return pictures;
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
  await frame.locator('#reset').waitFor({ state: 'visible' });
  await frame.addStyleTag({
    content: 'main > :not(#view), #view > :not(canvas) { visibility: hidden !important }',
  });
}

/** The picture at rest: three looks alike, half a second apart in all. */
async function captureStableScreenshot(page: Page): Promise<RgbImage> {
  let last = Buffer.alloc(0);
  for (let alike = 0, looks = 0; alike < 3; looks++) {
    if (looks > 200) throw new Error('The picture does not come to rest.');
    await new Promise((resolve) => setTimeout(resolve, 200));
    const png = await page.screenshot();
    const { data } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    alike = data.equals(last) ? alike + 1 : 0;
    last = data;
  }
  return { data: last, width: WIDTH, height: HEIGHT };
}
