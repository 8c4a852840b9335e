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
  copyColors({ from: colors.data, fromChannels: 3, to: data, toChannels: 4 });
  for (let pixel = 0; pixel < alpha.data.length; pixel++)
    data[pixel * 4 + 3] = alpha.data[pixel] ?? 255;
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
  return Array.from({ length: channels }, (_, channel) => {
    let [min, max] = [255, 0];
    for (let index = channel; index < data.length; index += channels) {
      const value = data[index] as number;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    return [min, max];
  });
}

/** Removes the alpha channel. */
export function removeAlpha(pixels: PixelData): PixelData {
  if (pixels.channels === 3) return pixels;
  const count = pixels.data.length / 4;
  const data = Buffer.alloc(count * 3);
  copyColors({ from: pixels.data, fromChannels: 4, to: data, toChannels: 3 });
  return { ...pixels, data, channels: 3 };
}

type ColorCopy = { from: Buffer; fromChannels: number; to: Buffer; toChannels: number };

/** Copies red, green and blue of each pixel. Assignments: a call per pixel, such as `copy`, takes ten times as long. */
function copyColors({ from, fromChannels, to, toChannels }: ColorCopy): void {
  let target = 0;
  for (let source = 0; source < from.length; source += fromChannels) {
    to[target] = from[source] as number;
    to[target + 1] = from[source + 1] as number;
    to[target + 2] = from[source + 2] as number;
    target += toChannels;
  }
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
  const [first = 0, second] = used;
  if (second === undefined) setGray(data, pixels.channels, first);
  else setUnusedChannel(data, pixels.channels, [first, second]);
  return { ...pixels, data };
}

/** Sets red, green and blue of each pixel to the channel that is used. */
function setGray(data: Buffer, channels: number, used: number): void {
  for (let offset = 0; offset < data.length; offset += channels) {
    const value = data[offset + used] as number;
    data[offset] = value;
    data[offset + 1] = value;
    data[offset + 2] = value;
  }
}

/** Sets the third channel of each pixel to the luma of the two channels that are used. */
function setUnusedChannel(
  data: Buffer,
  channels: number,
  [first, second]: readonly [number, number],
): void {
  const unused = 3 - first - second;
  const firstWeight = LUMA_WEIGHTS[first] as number;
  const secondWeight = LUMA_WEIGHTS[second] as number;
  const otherWeight = OTHER_LUMA_WEIGHTS[unused] as number;
  for (let offset = 0; offset < data.length; offset += channels) {
    const luma =
      firstWeight * (data[offset + first] as number) +
      secondWeight * (data[offset + second] as number);
    data[offset + unused] = Math.round(luma / otherWeight);
  }
}
