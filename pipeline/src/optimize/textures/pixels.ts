import sharp, { type OutputInfo, type Sharp } from 'sharp';
import type { TextureUsage } from './texture-usage.ts';

/** Red, green, blue, and alpha if there are four channels. */
export type PixelData = { data: Buffer; width: number; height: number; channels: 3 | 4 };

/** No more than the preflight lets through. */
const MAX_PIXELS = 16_384 * 16_384;

/** Decodes an image, made smaller if a side is longer than `maxSize`. Never larger. */
export async function decodePixels(
  image: Uint8Array,
  use: TextureUsage,
  maxSize: number,
): Promise<PixelData> {
  // The numbers as stored, whatever profile they name: WebGL reads them so.
  const open = () =>
    sharp(image, { ignoreIcc: true, limitInputPixels: MAX_PIXELS, failOn: 'error' }).toColourspace(
      'srgb',
    );
  const fit = { width: maxSize, height: maxSize, fit: 'inside', withoutEnlargement: true } as const;
  const { hasAlpha } = await open().metadata();
  const raw = (picture: Sharp) =>
    picture.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  if (!hasAlpha || !use.usedChannels[3])
    return toPixelData(await raw(open().removeAlpha().resize(fit)), 3);
  if (use.alphaIsCoverage) return toPixelData(await raw(open().resize(fit)), 4);
  // Resizing weighs colours by alpha; here alpha is a number of its own.
  const colours = toPixelData(await raw(open().removeAlpha().resize(fit)), 3);
  const alpha = await raw(open().extractChannel('alpha').resize(fit));
  const data = Buffer.alloc(colours.width * colours.height * 4);
  for (let at = 0; at < alpha.data.length; at++) {
    colours.data.copy(data, at * 4, at * 3, at * 3 + 3);
    data[at * 4 + 3] = alpha.data[at] ?? 255;
  }
  return { ...colours, data, channels: 4 };
}

function toPixelData(
  { data, info }: { data: Buffer; info: OutputInfo },
  channels: 3 | 4,
): PixelData {
  if (info.channels !== channels) throw new Error(`An image has ${info.channels} channels.`);
  return { data, width: info.width, height: info.height, channels };
}

/** Lowest and highest value of each channel. */
export function getChannelRanges({ data, channels }: PixelData): [number, number][] {
  const ranges = Array.from({ length: channels }, (): [number, number] => [255, 0]);
  for (let at = 0; at < data.length; at++) {
    const range = ranges[at % channels] as [number, number];
    const value = data[at] as number;
    if (value < range[0]) range[0] = value;
    if (value > range[1]) range[1] = value;
  }
  return ranges;
}

/** Drops alpha. */
export function removeAlpha(pixels: PixelData): PixelData {
  if (pixels.channels === 3) return pixels;
  const data = Buffer.alloc((pixels.data.length / 4) * 3);
  for (let at = 0; at < data.length / 3; at++) pixels.data.copy(data, at * 3, at * 4, at * 4 + 3);
  return { ...pixels, data, channels: 3 };
}

/**
 * Gives channels that nothing reads the values that cost least: grey where one channel is read, a
 * constant difference to luma where two are (WebP keeps differences at half the resolution).
 */
export function flattenUnusedChannels(
  pixels: PixelData,
  reads: TextureUsage['usedChannels'],
): PixelData {
  const [red, green, blue] = reads;
  const read = [red, green, blue].filter(Boolean).length;
  if (read === 3 || read === 0) return pixels;
  const { data: source, channels } = pixels;
  const data = Buffer.from(source);
  for (let at = 0; at < data.length; at += channels) {
    const [r, g, b] = [source[at] ?? 0, source[at + 1] ?? 0, source[at + 2] ?? 0];
    if (read === 1) data.fill(red ? r : green ? g : b, at, at + 3);
    else if (!red) data[at] = Math.round((0.587 * g + 0.114 * b) / 0.701);
    else if (!green) data[at + 1] = Math.round((0.299 * r + 0.114 * b) / 0.413);
    else data[at + 2] = Math.round((0.299 * r + 0.587 * g) / 0.886);
  }
  return { ...pixels, data };
}
