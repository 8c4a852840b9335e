import sharp, { type OutputInfo, type Sharp } from 'sharp';
import { VALIDATION_LIMITS } from '../../validation/limits.ts';
import type { TextureUsage } from './texture-usage.ts';

/** Decoded pixels: red, green, blue, and alpha if there are four channels. */
export type PixelData = { data: Buffer; width: number; height: number; channels: 3 | 4 };

/** The validation has already rejected images with longer sides. */
const MAX_PIXELS = VALIDATION_LIMITS.imageSide ** 2;

/** Decodes an image, and scales it down if a side is longer than `maxSize`. */
export async function decodePixels(
  image: Uint8Array,
  usage: TextureUsage,
  maxSize: number,
): Promise<PixelData> {
  // Reads the stored values without their color profile, which WebGL ignores too.
  const openImage = () =>
    sharp(image, { ignoreIcc: true, limitInputPixels: MAX_PIXELS, failOn: 'error' }).toColourspace(
      'srgb',
    );
  const { hasAlpha } = await openImage().metadata();
  return readPixels(openImage, { usage, maxSize, hasAlpha });
}

/** Scales pixels down so that no side is longer than `maxSize`. */
export function scaleDownPixels(
  pixels: PixelData,
  usage: TextureUsage,
  maxSize: number,
): Promise<PixelData> {
  const { data, width, height, channels } = pixels;
  const openImage = () => sharp(data, { raw: { width, height, channels } });
  return readPixels(openImage, { usage, maxSize, hasAlpha: channels === 4 });
}

async function readPixels(
  openImage: () => Sharp,
  { usage, maxSize, hasAlpha }: { usage: TextureUsage; maxSize: number; hasAlpha: boolean },
): Promise<PixelData> {
  const fit = { width: maxSize, height: maxSize, fit: 'inside', withoutEnlargement: true } as const;
  const toRaw = (resized: Sharp) =>
    resized.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  if (!hasAlpha || !usage.usedChannels[3])
    return toPixelData(await toRaw(openImage().removeAlpha().resize(fit)), 3);
  if (usage.alphaIsCoverage) return toPixelData(await toRaw(openImage().resize(fit)), 4);
  // sharp weights colors by alpha when it resizes; here alpha is an independent channel.
  const colors = toPixelData(await toRaw(openImage().removeAlpha().resize(fit)), 3);
  const alpha = await toRaw(openImage().extractChannel('alpha').resize(fit));
  const data = Buffer.alloc(colors.width * colors.height * 4);
  for (let pixel = 0; pixel < alpha.data.length; pixel++) {
    colors.data.copy(data, pixel * 4, pixel * 3, pixel * 3 + 3);
    data[pixel * 4 + 3] = alpha.data[pixel] ?? 255;
  }
  return { ...colors, data, channels: 4 };
}

function toPixelData(
  { data, info }: { data: Buffer; info: OutputInfo },
  channels: 3 | 4,
): PixelData {
  if (info.channels !== channels)
    throw new Error(`The image has ${info.channels} channels instead of ${channels}.`);
  return { data, width: info.width, height: info.height, channels };
}

/** Returns the minimum and maximum of each channel. */
export function getChannelRanges({ data, channels }: PixelData): [number, number][] {
  const ranges = Array.from({ length: channels }, (): [number, number] => [255, 0]);
  for (let index = 0; index < data.length; index++) {
    const range = ranges[index % channels] as [number, number];
    const value = data[index] as number;
    if (value < range[0]) range[0] = value;
    if (value > range[1]) range[1] = value;
  }
  return ranges;
}

/** Removes the alpha channel. */
export function removeAlpha(pixels: PixelData): PixelData {
  if (pixels.channels === 3) return pixels;
  const count = pixels.data.length / 4;
  const data = Buffer.alloc(count * 3);
  for (let pixel = 0; pixel < count; pixel++) {
    pixels.data.copy(data, pixel * 3, pixel * 4, pixel * 4 + 3);
  }
  return { ...pixels, data, channels: 3 };
}

/** Weights of red, green and blue in luma, and the sum of the other two weights. */
const LUMA_WEIGHTS = [0.299, 0.587, 0.114];
const OTHER_LUMA_WEIGHTS = [0.701, 0.413, 0.886];

/**
 * Sets unused channels to the values that compress best: gray if one channel is used, a constant
 * chroma if two are (WebP stores chroma at half the resolution).
 */
export function flattenUnusedChannels(
  pixels: PixelData,
  usedChannels: TextureUsage['usedChannels'],
): PixelData {
  const used = [0, 1, 2].filter((channel) => usedChannels[channel]);
  if (used.length === 3 || used.length === 0) return pixels;
  const data = Buffer.from(pixels.data);
  const [first = 0, second = first] = used;
  for (let offset = 0; offset < data.length; offset += pixels.channels) {
    if (used.length === 1) data.fill(data[offset + first] ?? 0, offset, offset + 3);
    else setUnusedChannel(data, offset, first, second);
  }
  return { ...pixels, data };
}

/** Sets the third channel of a pixel to the luma of the two channels that are used. */
function setUnusedChannel(data: Buffer, offset: number, first: number, second: number): void {
  const unused = 3 - first - second;
  const luma =
    (LUMA_WEIGHTS[first] as number) * (data[offset + first] as number) +
    (LUMA_WEIGHTS[second] as number) * (data[offset + second] as number);
  data[offset + unused] = Math.round(luma / (OTHER_LUMA_WEIGHTS[unused] as number));
}
