// Notes, measured in November 2026 with Chromium 153 and SwiftShader, 2 cores.
//
// Quality. Bytes of the large and the small picture, and the SSIM to the same picture as PNG, where
// there is a model (the background would flatter it):
//
//             FlightHelmet                    Fox
//   60   28,904 .966   11,868 .962   48,762 .993   18,474 .990
//   80   35,048 .978   14,248 .979   52,076 .996   20,044 .994
//   85   39,478 .985   15,972 .985   54,354 .997   21,086 .995
//   90   46,772 .990   18,626 .990   58,186 .998   22,738 .997
//
// 85 is the least that differs as little as we let the model itself differ (SSIM .98).
//
// Cost of FlightHelmet, processor time from the start of the browser: 6.4 s when the page opens at
// 1280 x 960, 4.7 s when it opens small, because it draws several frames until it is at rest. Most of
// the rest are textures. The GPU in the browser's process, or no GPU compositing, changes nothing.
//
// The service speaks to the browser itself: playwright-core does the same, for 84 MB of the service's
// memory and up to 2 s in which it serves nobody, while it is imported.

import type { PosterPlaceholder } from '@cloche/contract/viewer-config';
import { rgbaToThumbHash } from 'thumbhash';
import { type BrowserPage, openBrowserPage } from './browser-page.ts';
import type { CdpClient } from './cdp-client.ts';
import { POSTER_ORIGIN, type PosterRequestHandler } from './request-handler.ts';

/** A picture of the first frame: WebP, with alpha. */
export type PosterImage = {
  kind: 'poster' | 'poster-small';
  bytes: Uint8Array;
  width: number;
  height: number;
};

/** Pixels as red, green, blue, alpha, red, …; not premultiplied. */
type ThumbnailPixels = { width: number; height: number; rgba: Uint8Array };

const POSTER_SIZES = [
  { kind: 'poster', width: 1280, height: 960 },
  { kind: 'poster-small', width: 640, height: 480 },
] as const;

/** The size at which the page opens. */
const INITIAL_SIZE = { width: 320, height: 240 };

const WEBP_QUALITY = 85;
const THUMBNAIL_SIZE = { width: 80, height: 60 };

/** Photographs the page that stands for its picture, in both sizes. It has no background. */
export async function capturePoster(devtools: CdpClient, site: PosterRequestHandler) {
  await using page = await openBrowserPage(devtools, site);
  return await Promise.race([capturePage(page), page.crashed]);
}

async function capturePage(
  page: BrowserPage,
): Promise<{ pictures: PosterImage[]; look: PosterPlaceholder }> {
  await page.send('Emulation.setDefaultBackgroundColorOverride', {
    color: { r: 0, g: 0, b: 0, a: 0 },
  });
  // Whatever the machine prefers, `Look` is told the light colour.
  await page.send('Emulation.setEmulatedMedia', {
    features: [{ name: 'prefers-color-scheme', value: 'light' }],
  });
  await setViewportSize(page, INITIAL_SIZE);
  await page.send('Page.navigate', { url: `${POSTER_ORIGIN}/` });
  const { state, background, words } = await page.evaluate<ViewerState>(WAIT_FOR_VIEWER);
  if (state !== 'ready') throw new Error(`The viewer says: ${words}`);

  const pictures: PosterImage[] = [];
  let last = '';
  for (const { kind, width, height } of POSTER_SIZES) {
    await setViewportSize(page, { width, height });
    await page.evaluate(WAIT_FOR_TWO_FRAMES);
    const how = { format: 'webp', quality: WEBP_QUALITY };
    const { data } = await page.send<{ data: string }>('Page.captureScreenshot', how);
    pictures.push({ kind, width, height, bytes: Buffer.from(data, 'base64') });
    last = data;
  }
  return {
    pictures,
    look: { background: parseColour(background), thumbHash: await computeThumbHash(page, last) },
  };
}

async function setViewportSize(
  page: BrowserPage,
  { width, height }: { width: number; height: number },
) {
  const metrics = { width, height, deviceScaleFactor: 1, mobile: false };
  await page.send('Emulation.setDeviceMetricsOverride', metrics);
}

function parseColour(text: string | undefined): string {
  if (text === undefined || !/^#[0-9a-f]{6}$/i.test(text)) {
    throw new Error(`The page's background is no colour: ${text}`);
  }
  return text.toLowerCase();
}

/** The picture is decoded where it was made. */
async function computeThumbHash(page: BrowserPage, picture: string): Promise<string> {
  const pixels = await page.evaluate<string>(`(${DOWNSCALE_IMAGE})(
    'data:image/webp;base64,${picture}', ${THUMBNAIL_SIZE.width}, ${THUMBNAIL_SIZE.height})`);
  return encodeThumbHash({ ...THUMBNAIL_SIZE, rgba: Buffer.from(pixels, 'base64') });
}

/** Encodes pixels (RGBA, not premultiplied, at most 100 x 100) as a ThumbHash, in base64. */
export function encodeThumbHash({ width, height, rgba }: ThumbnailPixels): string {
  return Buffer.from(rgbaToThumbHash(width, height, rgba)).toString('base64');
}

// As text: this room has no types of a browser.

type ViewerState = { state: string; background?: string; words: string };

const WAIT_FOR_VIEWER = `new Promise((resolve) => {
  const look = () => {
    const { state = 'loading', background } = document.documentElement?.dataset ?? {};
    if (state === 'loading') return;
    const words = document.getElementById('failure')?.textContent ?? '';
    resolve({ state, background, words: words.slice(0, 500) });
  };
  new MutationObserver(look).observe(document, { subtree: true, attributeFilter: ['data-state'] });
  look();
})`;

const WAIT_FOR_TWO_FRAMES = `new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
})`;

const DOWNSCALE_IMAGE = `async (address, width, height) => {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  return btoa(String.fromCharCode(...data));
}`;
