import type { Document, Texture } from '@gltf-transform/core';
import type { TextureImages } from '../textures/compress-textures.ts';
import type { EncodedImage } from '../textures/encode-texture.ts';
import { createGeometryGlb } from './geometry-glb.ts';
import { selectPackSizes } from './texture-levels.ts';
import { writeTexturePack } from './texture-pack.ts';

/** A model in parts: visitors load a geometry and the texture pack that their screen can show. */
export type SplitModel = {
  /** Without the images that are in the packs. */
  geometries: Uint8Array[];
  /** Ascending by size, the longest side of the images in pixels. */
  textures: { size: number; pack: Uint8Array }[];
};

/**
 * Splits a model into a geometry and texture packs. Textures up to the smallest size stay in the geometry.
 *
 * @param document what the model was written from
 * @param images the textures that have smaller images
 * @returns undefined if it would save little
 */
export async function createLevels(
  model: Uint8Array,
  document: Document,
  images: ReadonlyMap<Texture, TextureImages>,
): Promise<SplitModel | undefined> {
  const packed = [...document.getRoot().listTextures().entries()].flatMap(([index, texture]) => {
    const sizes = images.get(texture);
    return sizes === undefined ? [] : [{ index, texture, sizes }];
  });
  const packSizes = packed.length > 0 && selectPackSizes(packed.map(({ sizes }) => sizes));
  if (!packSizes) return undefined;
  const textures = packSizes.map((size) => {
    const pack = packed.map(({ texture, sizes }) => sizes.smaller.get(size) ?? getFull(texture));
    return { size, pack: writeTexturePack(pack) };
  });
  const indices = packed.map(({ index }) => index);
  return { geometries: [await createGeometryGlb(model, indices)], textures };
}

function getFull(texture: Texture): EncodedImage {
  return { image: texture.getImage() ?? new Uint8Array(), mimeType: texture.getMimeType() };
}
