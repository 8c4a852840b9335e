/**
 * Captures the poster of a model in a page of the browser.
 *
 * Notes (November 2026; Chromium 153 with SwiftShader, 2 cores).
 *
 * Quality. Bytes of the large and the small poster, and the SSIM to the same image as PNG, only of
 * pixels that the model covers:
 *
 *             FlightHelmet                    Fox
 *   60   28,904 .966   11,868 .962   48,762 .993   18,474 .990
 *   80   35,048 .978   14,248 .979   52,076 .996   20,044 .994
 *   85   39,478 .985   15,972 .985   54,354 .997   21,086 .995   chosen
 *   90   46,772 .990   18,626 .990   58,186 .998   22,738 .997
 *
 * 85 is the lowest of these with an SSIM of at least .98, which the tests also require of the model itself.
 *
 * The small poster was a frame of its own then. Scaled down, it has similar bytes and smoother edges, and 0.5 to 11 % less of |laplacian|: the 3D view
 * that replaces it is sharper. FlightHelmet takes 1.7 s instead of 2.0 (medians of twelve, in turns): a frame of its 92 k triangles takes 0.2 s or more.
 *
 * Our own CDP client instead of playwright-core, which needs 84 MB of the service's memory, and whose
 * import blocks the event loop for up to 2 s.
 */
import type { PosterPlaceholder } from '@cloche/contract/viewer-config';
import { type BrowserPage, openBrowserPage } from './browser-page.ts';
import type { CdpClient } from './cdp-client.ts';
import { encodeInlinePoster } from './encode-inline-poster.ts';
import { removeColorProfile } from './remove-color-profile.ts';
import { POSTER_ORIGIN, type PosterRequestHandler } from './request-handler.ts';

/**
 * An image of the first frame. Posters are WebP with alpha. Pictures for the previews of links are JPEG, because
 * some sites that show them, such as LinkedIn and Telegram, ignore WebP.
 */
export type PosterImage = {
  kind: 'poster' | 'poster-small' | 'poster-inline' | 'poster-share' | 'poster-share-small';
  bytes: Uint8Array;
  width: number;
  height: number;
};

/** The poster of a model in all sizes, and the color that the viewer shows until it is loaded. */
export type CapturedPoster = {
  images: readonly PosterImage[];
  placeholder: PosterPlaceholder;
  /** Nothing can be seen: all pixels have the same color, or all are transparent. */
  hasOneColor: boolean;
};

type Size = { width: number; height: number };

const LARGEST_SIZE = { width: 1280, height: 960 };
/** All with the same ratio. */
const POSTER_SIZES = [
  { kind: 'poster', ...LARGEST_SIZE },
  { kind: 'poster-small', width: 640, height: 480 },
] as const;

/** The size that sites recommend for the previews of links. */
const SHARE_SIZE = { width: 1200, height: 630 };
const SMALL_SHARE_SCALE = 0.4;
const JPEG_QUALITY = 85;

const WEBP_QUALITY = 85;
/** WebP is lossy: pixels of one color differ by up to this. */
const MAX_ROUNDING = 2;
const THUMBNAIL_SIZE = { width: 80, height: 60 };

/** Opens the viewer in poster mode and captures it in all sizes, with a transparent background. */
export async function capturePoster(
  cdp: CdpClient,
  handleRequest: PosterRequestHandler,
): Promise<CapturedPoster> {
  await using page = await openBrowserPage(cdp, handleRequest);
  return await Promise.race([capturePage(page), page.crashed]);
}

async function capturePage(page: BrowserPage): Promise<CapturedPoster> {
  await page.send('Emulation.setDefaultBackgroundColorOverride', {
    color: { r: 0, g: 0, b: 0, a: 0 },
  });
  // The viewer draws once in this size, and once after each change of it.
  await setViewportSize(page, LARGEST_SIZE);
  await page.send('Page.navigate', { url: `${POSTER_ORIGIN}/` });
  const { state, background, hasThinShapes, message } =
    await page.evaluate<ViewerState>(WAIT_FOR_VIEWER);
  if (state !== 'ready') throw new Error(`The viewer failed: ${message}`);

  const images: PosterImage[] = [];
  let smallest = '';
  for (const { kind, width, height } of POSTER_SIZES) {
    // The small one is scaled down: another frame of the viewer takes longer, and its edges are rougher. But points and lines, which are a pixel wide, would be paler.
    if (hasThinShapes && images.length > 0) await changeViewportSize(page, { width, height });
    const clip = hasThinShapes ? undefined : scaleTo(width);
    const params = { format: 'webp', quality: WEBP_QUALITY, ...(clip && { clip }) };
    const { data } = await page.send<{ data: string }>('Page.captureScreenshot', params);
    images.push({ kind, width, height, bytes: removeColorProfile(Buffer.from(data, 'base64')) });
    smallest = data;
  }
  const inlinePoster = await encodeInlinePoster(page, smallest);
  if (inlinePoster !== undefined) images.push({ kind: 'poster-inline', ...inlinePoster });
  const placeholder = { background: parseHexColor(background) };
  images.push(...(await captureShareImages(page, placeholder.background)));
  return { images, placeholder, hasOneColor: hasOneColor(await downscaleImage(page, smallest)) };
}

/** The whole page, with another width in the screenshot. */
function scaleTo(width: number) {
  return { x: 0, y: 0, ...LARGEST_SIZE, scale: width / LARGEST_SIZE.width };
}

/** Captures the pictures for the previews of links, on the background that visitors see. */
async function captureShareImages(page: BrowserPage, background: string): Promise<PosterImage[]> {
  const [r, g, b] = [1, 3, 5].map((start) =>
    Number.parseInt(background.slice(start, start + 2), 16),
  );
  await page.send('Emulation.setDefaultBackgroundColorOverride', { color: { r, g, b, a: 1 } });
  await page.evaluate(SHOW_EDGES);
  await changeViewportSize(page, SHARE_SIZE);
  const capture = async (kind: PosterImage['kind'], scale: number): Promise<PosterImage> => {
    const clip = { x: 0, y: 0, ...SHARE_SIZE, scale };
    const params = { format: 'jpeg', quality: JPEG_QUALITY, clip };
    const { data } = await page.send<{ data: string }>('Page.captureScreenshot', params);
    const size = { width: SHARE_SIZE.width * scale, height: SHARE_SIZE.height * scale };
    return { kind, ...size, bytes: Buffer.from(data, 'base64') };
  };
  return [await capture('poster-share', 1), await capture('poster-share-small', SMALL_SHARE_SCALE)];
}

/** Changes the size, and waits until the viewer has drawn. */
async function changeViewportSize(page: BrowserPage, size: Size): Promise<void> {
  await setViewportSize(page, size);
  await page.evaluate(WAIT_FOR_TWO_FRAMES);
}

async function setViewportSize(page: BrowserPage, { width, height }: Size): Promise<void> {
  const metrics = { width, height, deviceScaleFactor: 1, mobile: false };
  await page.send('Emulation.setDeviceMetricsOverride', metrics);
}

function parseHexColor(text: string | undefined): string {
  if (text === undefined || !/^#[0-9a-f]{6}$/i.test(text)) {
    throw new Error(`The page's background is not a color: ${text}`);
  }
  return text.toLowerCase();
}

/** Returns the pixels of a WebP image, scaled down to the thumbnail. The page decodes the image. */
async function downscaleImage(page: BrowserPage, webpBase64: string): Promise<Buffer> {
  const pixels = await page.evaluate<string>(`(${DOWNSCALE_IMAGE})(
    'data:image/webp;base64,${webpBase64}', ${THUMBNAIL_SIZE.width}, ${THUMBNAIL_SIZE.height})`);
  return Buffer.from(pixels, 'base64');
}

/** Whether all pixels have the same color, apart from rounding, or all are transparent. */
export function hasOneColor(rgba: Uint8Array): boolean {
  const isTransparent = rgba.every((value, index) => index % 4 !== 3 || value <= MAX_ROUNDING);
  const isUniform = rgba.every(
    (value, index) => Math.abs(value - (rgba[index % 4] as number)) <= MAX_ROUNDING,
  );
  return isTransparent || isUniform;
}

// The scripts of the page are strings, because this workspace has no DOM types.

type ViewerState = {
  state: string;
  background?: string;
  hasThinShapes: boolean;
  message: string;
};

const WAIT_FOR_VIEWER = `new Promise((resolve) => {
  const checkState = () => {
    const { state = 'loading', background, thinShapes } = document.documentElement?.dataset ?? {};
    if (state === 'loading') return;
    const message = document.getElementById('error')?.textContent ?? '';
    const hasThinShapes = thinShapes !== undefined;
    resolve({ state, background, hasThinShapes, message: message.slice(0, 500) });
  };
  // The root element may not have been parsed yet, so its insertion is observed, too.
  new MutationObserver(checkState)
    .observe(document, { subtree: true, childList: true, attributeFilter: ['data-state'] });
  checkState();
})`;

/** These pictures are not placed on a larger background, so their edges are not transparent. */
const SHOW_EDGES = "document.querySelector('canvas')?.style.setProperty('mask-image', 'none')";

const WAIT_FOR_TWO_FRAMES = `new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
})`;

const DOWNSCALE_IMAGE = `async (url, width, height) => {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  return btoa(String.fromCharCode(...data));
}`;
