import type { Document, Texture } from '@gltf-transform/core';
import { isCompressible, type TextureImages } from '../textures/compress-textures.ts';
import type { UvDensity } from './uv-density.ts';

/**
 * Sizes of texture packs: the longest side of an image, in pixels, that covers the surface as densely as `uvPerMeter`. The other
 * images of a pack have as many pixels on a meter.
 *
 * 384 and 768 are what a model with one texture needs in an iframe of 400 × 300 and of 800 × 600 pixels, or in one of half the size on a
 * screen with two device pixels for each.
 */
export const TEXTURE_PACK_SIZES: readonly number[] = [384, 768, 1024, 2048, 4096];

/** The longest sides of the images in packs, in pixels. Their mip levels have whole numbers of pixels. */
const IMAGE_SIZES = [64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096];

/** Smaller textures are in no pack. */
const MIN_TEXTURE_SIZE = 512;

/** With fewer pixels to save, a second file costs visitors more time than it saves them memory: 8 MiB. */
const MIN_SAVED_PIXELS = 2 * 1024 * 1024;

/** A pack is worth its bytes if it has at most this share of the pixels of the full images, and the smaller one of its own. */
const MAX_PIXELS_RATIO = 0.75;

/** The framed document names each pack, and should fit into the first ten packets. With more, the one of 1024 is left out. */
const MAX_PACKS = 5;

/** A texture that is in packs. */
export type PackedTexture = {
  images: TextureImages;
  /** The size of its image, relative to one that covers the surface as densely as `uvPerMeter`. */
  sizeRatio: number;
};

/** What is in a texture pack. */
export type PackContent = {
  /** See `TEXTURE_PACK_SIZES`. The viewer takes the pack whose size the screen can show. The last one, with the full images, is for all larger screens. */
  size: number;
  /** The longest side of each image, in pixels. */
  imageSizes: number[];
  /** The longest side of the largest image, in pixels. */
  imageSize: number;
  /** Of all images. */
  pixels: number;
};

/** Lists the textures that may be in packs. */
export function listTexturesForPacks(document: Document): Set<Texture> {
  const textures = document.getRoot().listTextures();
  return new Set(
    textures.filter(
      (texture) =>
        isCompressible(texture) && Math.max(...(texture.getSize() ?? [0])) >= MIN_TEXTURE_SIZE,
    ),
  );
}

/** The size of an image of a texture, relative to one that covers the surface as densely as `uvPerMeter`. */
export function getSizeRatio(texture: Texture, density: UvDensity | undefined): number {
  const uvPerMeter = density?.uvPerMeterOfTextures.get(texture);
  return density && uvPerMeter ? density.uvPerMeter / uvPerMeter : 1;
}

/** Lists the sizes of the images that a texture has in packs, in pixels. */
export function listImageSizes(sizeRatio: number): number[] {
  return [...new Set(TEXTURE_PACK_SIZES.map((size) => toImageSize(size, sizeRatio)))];
}

/**
 * Selects the packs of a model, ascending by size; the last has the full images. Undefined if packs would save
 * little.
 */
export function selectPacks(textures: readonly PackedTexture[]): PackContent[] | undefined {
  const sides = textures.map(({ images: { width, height } }) => Math.max(width, height));
  const describe = (size: number, imageSizes: number[]): PackContent => {
    const pixels = imageSizes.map((imageSize, index) => {
      const { width = 0, height = 0 } = textures[index]?.images ?? {};
      return width * height * (imageSize / Math.max(width, height)) ** 2;
    });
    return {
      ...{ size, imageSizes, imageSize: Math.max(...imageSizes) },
      pixels: Math.round(pixels.reduce((sum, each) => sum + each, 0)),
    };
  };
  const full = describe(Infinity, sides);
  const packs: PackContent[] = [];
  for (const size of TEXTURE_PACK_SIZES) {
    const imageSizes = textures.map(({ images, sizeRatio }, index) => {
      const imageSize = toImageSize(size, sizeRatio);
      return images.smaller.has(imageSize) ? imageSize : (sides[index] as number);
    });
    const pack = describe(size, imageSizes);
    const smallerPixels = packs.at(-1)?.pixels ?? 0;
    const isWorthIt =
      smallerPixels <= MAX_PIXELS_RATIO * pack.pixels &&
      pack.pixels <= MAX_PIXELS_RATIO * full.pixels;
    if (isWorthIt) packs.push(pack);
  }
  const [smallest] = packs;
  if (smallest === undefined || full.pixels - smallest.pixels < MIN_SAVED_PIXELS) return undefined;
  if (packs.length >= MAX_PACKS) packs.splice(2, 1);
  full.size = getFullSize(textures, sides, packs.at(-1)?.size ?? 0);
  return [...packs, full];
}

/** The size of the pack with the full images: where all have as many pixels on a meter, but at most twice that of the pack before. */
function getFullSize(
  textures: readonly PackedTexture[],
  sides: readonly number[],
  previousSize: number,
): number {
  const neededSizes = textures.map(({ sizeRatio }, index) => (sides[index] as number) / sizeRatio);
  const size = Math.min(Math.max(...neededSizes), 2 * previousSize);
  return Math.ceil(Math.max(...sides, size));
}

function toImageSize(packSize: number, sizeRatio: number): number {
  return IMAGE_SIZES.find((size) => size >= packSize * sizeRatio) ?? (IMAGE_SIZES.at(-1) as number);
}
