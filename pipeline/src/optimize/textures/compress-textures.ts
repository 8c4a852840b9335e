import { availableParallelism } from 'node:os';
import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import type { Document, Texture } from '@gltf-transform/core';
import { EXTTextureWebP } from '@gltf-transform/extensions';
import { dedupTextures } from '../dedup-resources.ts';
import type { PixelData } from './decode-pixels.ts';
import {
  decodeTexture,
  type EncodedImage,
  type EncodeTextureOptions,
  encodeTexture,
} from './encode-texture.ts';
import { getTextureUsage } from './texture-usage.ts';

/** Types that sharp decodes. Textures of other types are not changed. */
const SUPPORTED_MIME_TYPES = /^image\/(png|jpeg|webp|avif)$/;
/** libuv has four threads. */
const MAX_CONCURRENCY = 4;
/** Pixels of a large image that is made smaller. Some formats are decoded as a whole, in up to 4 bytes per pixel. */
const LARGE_IMAGE_PIXELS = 4096 ** 2;
/** Pixels of a large result: it is encoded as a whole, and scaled for each level. */
const LARGE_RESULT_PIXELS = 2048 ** 2;

/** The images of a texture in all its sizes. */
export type TextureImages = {
  /** The size of the full image, in pixels. */
  width: number;
  height: number;
  /** Smaller images by their longest side in pixels. */
  smaller: ReadonlyMap<number, EncodedImage>;
};

type CompressTexturesOptions = Omit<EncodeTextureOptions, 'levelSizes'> & {
  /** Lists the smaller sizes in which a texture is encoded, too: the longest side in pixels. Default: none. */
  listLevelSizes?: (texture: Texture) => readonly number[];
};

/**
 * Resizes textures to `maxSize` and encodes them as small as possible without a visible change. Returns
 * the textures that were also encoded in a smaller size.
 */
export async function compressTextures(
  document: Document,
  { listLevelSizes = () => [], ...options }: CompressTexturesOptions,
  onProgress: (fraction: number) => void = () => undefined,
): Promise<Map<Texture, TextureImages>> {
  const images = new Map<Texture, TextureImages>();
  const textures = document.getRoot().listTextures();
  const queue = [...textures];
  let doneCount = 0;
  const runWorker = async () => {
    for (let texture = queue.shift(); texture !== undefined; texture = queue.shift()) {
      const levelSizes = listLevelSizes(texture);
      const sizes = await compressTexture(texture, { ...options, levelSizes });
      if (sizes !== undefined && sizes.smaller.size > 0) images.set(texture, sizes);
      doneCount += 1;
      onProgress(doneCount / textures.length);
    }
  };
  const concurrency = chooseConcurrency(textures, options.maxSize);
  await Promise.all(Array.from({ length: concurrency }, runWorker));
  dedupTextures(document);
  const mimeTypes = document
    .getRoot()
    .listTextures()
    .map((texture) => texture.getMimeType());
  if (mimeTypes.includes('image/webp')) document.createExtension(EXTTextureWebP).setRequired(true);
  return images;
}

/** Whether sharp can decode the image of a texture. */
export function isCompressible(texture: Texture): boolean {
  return SUPPORTED_MIME_TYPES.test(texture.getMimeType());
}

/**
 * Two textures for each core: their times differ, and with one for each, a core would often be idle while the last
 * one is encoded. With large images, one for each: they need memory.
 */
function chooseConcurrency(textures: readonly Texture[], maxSize: number): number {
  const isLarge = textures.some((texture) => {
    const [width, height] = texture.getSize() ?? [0, 0];
    const pixels = width * height;
    const resultPixels = Math.min(width, maxSize) * Math.min(height, maxSize);
    return pixels > LARGE_IMAGE_PIXELS || resultPixels > LARGE_RESULT_PIXELS;
  });
  return Math.min(availableParallelism() * (isLarge ? 1 : 2), MAX_CONCURRENCY);
}

async function compressTexture(
  texture: Texture,
  options: EncodeTextureOptions,
): Promise<TextureImages | undefined> {
  const [image, mimeType] = [texture.getImage(), texture.getMimeType()];
  if (image === null || !isCompressible(texture)) return undefined;
  const encoded = await encodeTextureOf(texture, { image, mimeType }, options);
  const { full, ...images } = encoded;
  if (full === undefined) return images;
  texture.setImage(new Uint8Array(full.image)).setMimeType(full.mimeType);
  if (texture.getURI()) texture.setURI('');
  return images;
}

/** Encodes an image for a texture. @throws {Problem} design.unreadable: it is damaged */
export function encodeTextureOf(
  texture: Texture,
  source: EncodedImage,
  options: EncodeTextureOptions,
): ReturnType<typeof encodeTexture> {
  return encodeTexture(source, getTextureUsage(texture), options).catch((cause) =>
    throwDamaged(texture, cause),
  );
}

/** Decodes an image for a texture, to encode it in several sizes. @throws {Problem} design.unreadable: it is damaged */
export function decodeTextureOf(
  texture: Texture,
  image: Uint8Array,
  maxSize: number,
): Promise<PixelData> {
  return decodeTexture(image, getTextureUsage(texture), maxSize).catch((cause) =>
    throwDamaged(texture, cause),
  );
}

function throwDamaged(texture: Texture, cause: unknown): never {
  const name = texture.getName() || texture.getURI();
  const subject = name === '' ? 'a texture without a name' : `texture ${quoteUntrusted(name)}`;
  const detail = `The image of ${subject} is damaged. Export the file again.`;
  throw new Problem('design.unreadable', { detail, cause });
}
