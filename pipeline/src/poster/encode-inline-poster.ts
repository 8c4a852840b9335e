/**
 * Scales and compresses a poster in a page of the browser.
 *
 * Notes (November 2026; bytes at 240 x 180 pixels and quality 50). WebP stores alpha without loss, and the soft
 * shadow has many values of it. With fewer of them, a larger image fits; 32 are enough for smooth shadows.
 *
 *   alpha values     256     32     16      8
 *   FlightHelmet   3,238  2,474  2,232  2,042
 *   Fox            5,522  3,120  2,760  2,310
 */
import type { BrowserPage } from './browser-page.ts';
import { removeColorProfile } from './remove-color-profile.ts';

/** A poster so small that it is part of the framed document: WebP with alpha. Width and height in pixels. */
type InlinePoster = { bytes: Uint8Array; width: number; height: number };

/** With it, the framed document of a large model is in the first ten packets: see viewer/testing/first-frame-bytes.test.ts. */
export const MAX_INLINE_POSTER_BYTES = 2300;

const ALPHA_VALUES = 32;

/** In order of preference. The last ones are for posters that are full of details. */
const ENCODINGS: readonly { width: number; qualities: readonly number[] }[] = [
  { width: 240, qualities: [0.8, 0.65, 0.5, 0.35] },
  { width: 200, qualities: [0.65, 0.5, 0.35] },
  { width: 160, qualities: [0.65, 0.5, 0.35, 0.2] },
  { width: 120, qualities: [0.5, 0.35, 0.2] },
  { width: 80, qualities: [0.5, 0.2, 0.05] },
];

/**
 * Scales a poster down until it has at most `MAX_INLINE_POSTER_BYTES`. The page decodes and encodes it.
 * Returns undefined if no encoding is small enough.
 */
export async function encodeInlinePoster(
  page: BrowserPage,
  webpBase64: string,
): Promise<InlinePoster | undefined> {
  const image = await page.evaluate<EncodedImage | null>(`(${ENCODE_IMAGE})(
    'data:image/webp;base64,${webpBase64}', ${JSON.stringify(ENCODINGS)}, ${ALPHA_VALUES},
    ${MAX_INLINE_POSTER_BYTES}, ${removeColorProfile})`);
  if (image === null) return undefined;
  const { base64, width, height } = image;
  return { bytes: Buffer.from(base64, 'base64'), width, height };
}

type EncodedImage = { base64: string; width: number; height: number };

// A string, because this workspace has no DOM types.
const ENCODE_IMAGE = `async (url, encodings, alphaValues, maxBytes, removeColorProfile) => {
  const image = new Image();
  image.src = url;
  await image.decode();
  for (const { width, qualities } of encodings) {
    const height = Math.round((width * image.naturalHeight) / image.naturalWidth);
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, width, height);
    const pixels = context.getImageData(0, 0, width, height);
    const step = 255 / (alphaValues - 1);
    for (let index = 3; index < pixels.data.length; index += 4)
      pixels.data[index] = Math.round(pixels.data[index] / step) * step;
    context.putImageData(pixels, 0, 0);
    for (const quality of qualities) {
      const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/webp', quality));
      if (blob.type !== 'image/webp') continue;
      const bytes = removeColorProfile(new Uint8Array(await blob.arrayBuffer()));
      if (bytes.length > maxBytes) continue;
      return { base64: btoa(String.fromCharCode(...bytes)), width, height };
    }
  }
  return null;
}`;
