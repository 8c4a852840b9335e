/**
 * Encodes textures as WebP.
 *
 * Notes (November 2026; sharp 0.35 with libwebp and libaom). Root mean square error of red, green and
 * blue, of 255; two textures of FlightHelmet (512 px) and one of WaterBottle (2048 px):
 *
 *                      normals 512            occlusion, roughness, metal 512   the same, 2048
 *   WebP 80 effort 4   19.9 kB  6.7 4.9 6.0   33.9 kB  11.0 5.8 4.9             104 kB  3.8 3.1 4.4   0.9 s
 *   WebP 80 effort 6   19.2 kB  6.8 5.0 6.0   32.4 kB  11.1 5.9 4.9              95 kB  3.8 3.2 4.4   1.7 s
 *   … sharp YUV        21.7 kB  6.8 4.1 5.7   36.4 kB   9.4 4.8 3.8             107 kB  3.6 3.0 3.8   4.2 s
 *   WebP near-lossless  135 kB  0.9 0.9 0.9    138 kB   1.1 1.1 0.3
 *   WebP lossless       220 kB                 227 kB
 *   AVIF 60 effort 4   19.6 kB  3.5 3.0 2.3   31.8 kB   5.7 3.8 1.9             109 kB  1.1 2.3 1.9  53 s
 *   AVIF 50 effort 4   13.6 kB  4.2 3.7 2.8   21.8 kB   7.5 4.7 2.4              72 kB  1.2 2.6 2.1  50 s
 *   AVIF 60 effort 2   19.6 kB  3.8 3.3 2.5   32.8 kB   6.4 4.0 2.2             122 kB  1.3 2.4 2.0   5.5 s
 *
 * All textures of WaterBottle at quality 80, one core:
 *
 *              2048 px          1024 px        768 px
 *   effort 4   221 kB   1.6 s   53 kB   0.4 s  33 kB   0.2 s
 *   effort 5   192 kB   1.7 s   53 kB   0.4 s  32 kB   0.2 s   chosen above 1024²
 *   effort 6   185 kB   2.6 s   51 kB   0.6 s  31 kB   0.3 s   chosen otherwise
 *
 * AVIF is 4:4:4. WebP with effort 6 is 5 to 35 % smaller than with effort 4 for the same image. AVIF would save
 * another 30 %, or halve the error of normals, but takes 30 times as long, and Safari before 16.4
 * (2023) does not support it; a design has one file for all browsers. Lossless needs five times the
 * bytes to avoid errors that no rendered image showed (SSIM over 0.99 at 80).
 *
 * KTX2 (ktx2-encoder 0.6, Basis Universal as WebAssembly, mipmaps included, one core), all textures
 * of WaterBottle, 4 of 2048 px; the file with WebP has 212 kB in all, in 9 s:
 *
 *   ETC1S quality 200    1013 kB   39 s
 *   UASTC, supercompressed 7100 kB   97 s
 *
 * It would save GPU memory, 4 to 8 times, and nothing else: visitors wait for the download, which
 * would have five times the bytes, and encoding takes four times as long. The texture size limits GPU
 * memory: 22 MB for each texture of 2048 px with mipmaps. Files that already use KTX2 keep it.
 */
import sharp from 'sharp';
import {
  decodePixels,
  flattenUnusedChannels,
  getChannelRanges,
  type PixelData,
  removeAlpha,
  scaleDownPixels,
} from './decode-pixels.ts';
import type { TextureUsage } from './texture-usage.ts';

/** An encoded image and its media type. */
export type EncodedImage = { image: Uint8Array; mimeType: string };

const WEBP_QUALITY = 80;
/**
 * Largest size relative to the source image, by the type of the source image. Encoding a lossy image
 * again loses quality, so it must save bytes. The default is for WebP and AVIF.
 */
const MAX_SIZE_RATIOS: Record<string, number> = { 'image/png': 1, 'image/jpeg': 0.9 };
const DEFAULT_MAX_SIZE_RATIO = 0.5;
/** Bytes of additional JSON for a WebP texture, compared with other types. */
const WEBP_JSON_BYTES = 80;
/** With alpha, effort 6 takes 30 s for 512 pixels and effort 4 half a second; it saves only 5 %. */
const [WEBP_EFFORT, WEBP_EFFORT_ALPHA] = [6, 4];
/** Large images take most of the time of a model, and few visitors load them. */
const [WEBP_EFFORT_LARGE, LARGE_PIXELS] = [5, 1024 ** 2];
/** Lossless is used if it is at most this much larger than lossy: flat colors, labels, palettes. */
const MAX_LOSSLESS_RATIO = 1.1;
/** Lossless WebP is about 30 % smaller than PNG; for flat images 50 %. */
const MAX_PNG_RATIO_FOR_LOSSLESS = 2;
/** A smaller image is worth its bytes if its longest side is at most this share of the full one. */
const MAX_LEVEL_RATIO = 0.75;

/** Limits of an encoded texture. */
export type EncodeTextureOptions = {
  /** Longest side in pixels. */
  maxSize: number;
  /** Quality of WebP, 1 to 100; default 80. */
  quality?: number;
  /** Effort of WebP without alpha, 0 to 6; default 6, and 5 for large images. */
  effort?: number;
  /** Also encodes the texture with each of these as its longest side, if that is smaller. */
  levelSizes?: readonly number[];
  /** The result of `decodeTexture`, if the image was decoded before, for this size or a larger one. */
  decoded?: PixelData | undefined;
};

/** An encoded texture: the image of full size, and smaller ones by their longest side in pixels. */
type EncodedTexture = {
  /** Undefined if encoding does not save enough bytes. */
  full: EncodedImage | undefined;
  smaller: Map<number, EncodedImage>;
  /** The size of the full image, in pixels. */
  width: number;
  height: number;
};

/** Encodes an image as WebP without a visible change, in all sizes from one decoding of the source. */
export async function encodeTexture(
  { image, mimeType }: EncodedImage,
  usage: TextureUsage,
  options: EncodeTextureOptions,
): Promise<EncodedTexture> {
  const { maxSize, quality = WEBP_QUALITY, effort, levelSizes = [], decoded } = options;
  const pixels = decoded
    ? await scaleDownPixels(decoded, usage, maxSize)
    : await decodeTexture(image, usage, maxSize);
  const { width, height } = pixels;
  const tryLossless = (lossyBytes: number) =>
    // Lossless WebP of a much larger PNG would be too large, and its encoding takes half a minute.
    mimeType === 'image/png' && image.length <= MAX_PNG_RATIO_FOR_LOSSLESS * lossyBytes;
  const encodingFull = encodeWebp(pixels, { quality, effort, tryLossless });
  // At the same time: a model often has fewer textures than the machine has cores.
  const encodingLevels = levelSizes
    .filter((size) => size <= MAX_LEVEL_RATIO * Math.max(width, height))
    .map(async (size): Promise<[number, EncodedImage]> => {
      const scaled = await scaleDownPixels(pixels, usage, size);
      const isFullLossless = async () => (await encodingFull).isLossless;
      const level = await encodeWebp(scaled, { quality, effort, tryLossless: isFullLossless });
      return [size, { image: level.webp, mimeType: 'image/webp' }];
    });
  const [{ webp }, ...levels] = await Promise.all([encodingFull, ...encodingLevels]);
  const isSmaller = await savesEnoughBytes(webp, { image, mimeType }, { pixels, maxSize });
  const full = isSmaller ? { image: webp, mimeType: 'image/webp' } : undefined;
  return { full, smaller: new Map(levels), width, height };
}

/** Decodes an image, so that no side is longer than `maxSize`, to pixels that compress well. */
export async function decodeTexture(
  image: Uint8Array,
  usage: TextureUsage,
  maxSize: number,
): Promise<PixelData> {
  return reducePixels(await decodePixels(image, usage, maxSize), usage);
}

async function savesEnoughBytes(
  webp: Uint8Array,
  { image, mimeType }: EncodedImage,
  { pixels, maxSize }: { pixels: PixelData; maxSize: number },
): Promise<boolean> {
  const { width = 0, height = 0 } = await sharp(image, { limitInputPixels: false }).metadata();
  if (Math.max(width, height) <= maxSize && webp.length + WEBP_JSON_BYTES > image.length)
    return false;
  if (width !== pixels.width || height !== pixels.height) return true;
  return webp.length <= image.length * (MAX_SIZE_RATIOS[mimeType] ?? DEFAULT_MAX_SIZE_RATIO);
}

/** Removes an opaque alpha channel, flattens unused channels, and reduces a solid color to one pixel. */
function reducePixels(pixels: PixelData, { usedChannels }: TextureUsage): PixelData {
  const ranges = getChannelRanges(pixels);
  const isOneColor = ranges.every(([min, max], channel) => !usedChannels[channel] || min === max);
  const opaque = ranges[3]?.[0] === 255 ? removeAlpha(pixels) : pixels;
  if (!isOneColor) return flattenUnusedChannels(opaque, usedChannels);
  return { ...opaque, data: opaque.data.subarray(0, opaque.channels), width: 1, height: 1 };
}

async function encodeWebp(
  { data, width, height, channels }: PixelData,
  options: {
    quality: number;
    effort: number | undefined;
    tryLossless: (lossyBytes: number) => boolean | Promise<boolean>;
  },
): Promise<{ webp: Buffer; isLossless: boolean }> {
  const { quality, tryLossless } = options;
  const openImage = () => sharp(data, { raw: { width, height, channels } });
  const encodeLossless = () =>
    openImage().webp({ lossless: true, effort: 4, exact: true }).toBuffer();
  if (width * height === 1) return { webp: await encodeLossless(), isLossless: true };
  const isLarge = width * height > LARGE_PIXELS;
  const maxEffort = options.effort ?? (isLarge ? WEBP_EFFORT_LARGE : WEBP_EFFORT);
  const effort = channels === 4 ? Math.min(maxEffort, WEBP_EFFORT_ALPHA) : maxEffort;
  const lossy = await openImage().webp({ quality, effort }).toBuffer();
  if (!(await tryLossless(lossy.length))) return { webp: lossy, isLossless: false };
  const lossless = await encodeLossless();
  const isLossless = lossless.length <= MAX_LOSSLESS_RATIO * lossy.length;
  return { webp: isLossless ? lossless : lossy, isLossless };
}
