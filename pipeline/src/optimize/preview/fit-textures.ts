import type { Document, Texture } from '@gltf-transform/core';
import { EXTTextureWebP } from '@gltf-transform/extensions';
import { dedupTextures } from '../dedup-resources.ts';
import { encodeTextureOf, isCompressible } from '../textures/compress-textures.ts';
import type { EncodedImage } from '../textures/encode-texture.ts';
import { DecodedTextures } from './decoded-textures.ts';

const SMALLEST_LEVEL = { maxSize: 8, quality: 40 };
/** Sizes and qualities of textures, in descending order of their bytes. */
const LEVELS = [
  { maxSize: 1024, quality: 70 },
  { maxSize: 512, quality: 70 },
  { maxSize: 256, quality: 70 },
  { maxSize: 256, quality: 50 },
  { maxSize: 128, quality: 70 },
  { maxSize: 128, quality: 45 },
  { maxSize: 64, quality: 50 },
  { maxSize: 32, quality: 40 },
  SMALLEST_LEVEL,
];
/** Effort 6 takes three times as long, and saves 4 %. */
const EFFORT = 4;

type Encoding = { images: Map<Texture, EncodedImage>; bytes: number };

/**
 * Compresses textures to the first level within `maxBytes`, or the last level; returns their size. The
 * level is found by bisection: large images take long to encode, and most models have too many for them.
 */
export async function fitTextures(document: Document, maxBytes: number): Promise<number> {
  const textures = document.getRoot().listTextures();
  if (textures.length === 0) return 0;
  const decoded = new DecodedTextures(
    textures.length,
    LEVELS.map(({ maxSize }) => maxSize),
  );
  let [first, last] = [0, LEVELS.length - 1];
  let best: Encoding | undefined;
  while (first < last) {
    const middle = Math.floor((first + last) / 2);
    const encoding = await encodeLevel(textures, decoded, LEVELS[middle]);
    if (encoding.bytes <= maxBytes) [best, last] = [encoding, middle];
    else first = middle + 1;
  }
  best ??= await encodeLevel(textures, decoded, LEVELS[last]);
  for (const [texture, { image, mimeType }] of best.images) {
    texture.setImage(new Uint8Array(image)).setMimeType(mimeType).setURI('');
  }
  dedupTextures(document);
  const usesWebp = textures.some((texture) => texture.getMimeType() === 'image/webp');
  if (usesWebp) document.createExtension(EXTTextureWebP).setRequired(true);
  return best.bytes;
}

async function encodeLevel(
  textures: readonly Texture[],
  decodedTextures: DecodedTextures,
  level = SMALLEST_LEVEL,
): Promise<Encoding> {
  const images = new Map<Texture, EncodedImage>();
  let bytes = 0;
  await Promise.all(
    textures.map(async (texture) => {
      const [image, mimeType] = [texture.getImage(), texture.getMimeType()];
      if (image === null) return;
      let encoded: EncodedImage | undefined;
      if (isCompressible(texture)) {
        const decoded = await decodedTextures.get(texture, image, level.maxSize);
        const options = { ...level, effort: EFFORT, decoded };
        encoded = (await encodeTextureOf(texture, { image, mimeType }, options)).full;
      }
      if (encoded) images.set(texture, encoded);
      bytes += (encoded?.image ?? image).length;
    }),
  );
  return { images, bytes };
}
