import type { Document, Texture } from '@gltf-transform/core';
import type { TextureImages } from '../textures/compress-textures.ts';
import type { EncodedImage } from '../textures/encode-texture.ts';
import { writeGlb } from '../write/write-glb.ts';
import { createGeometryGlb } from './geometry-glb.ts';
import { GEOMETRY_LEVELS, simplifyToLevel } from './simplify-to-level.ts';
import { selectPackSizes } from './texture-levels.ts';
import { writeTexturePack } from './texture-pack.ts';

/** A model in parts: visitors load a geometry and the texture pack that their screen can show. */
export type SplitModel = {
  /** Ascending by triangles, without the images that are in the packs. Without packs, the model is the last geometry. */
  geometries: Uint8Array[];
  /** Ascending by size, the longest side of the images in pixels. */
  textures: { size: number; pack: Uint8Array }[];
};

/** Textures of a model that are in packs, by their indices in the document. */
type PackedTextures = { indices: number[]; packs: SplitModel['textures'] };

/**
 * Splits a model into geometries and texture packs. Textures up to the smallest size stay in the geometries.
 *
 * @param document what the model was written from; it is simplified to the smallest geometry
 * @param images the textures that have smaller images
 * @returns undefined if it would save little
 */
export async function createLevels(
  model: Uint8Array,
  document: Document,
  images: ReadonlyMap<Texture, TextureImages>,
): Promise<SplitModel | undefined> {
  const packed = createTexturePacks(document, images);
  const geometries = packed ? [await createGeometryGlb(model, packed.indices)] : [];
  for (const level of [GEOMETRY_LEVELS.first, GEOMETRY_LEVELS.small]) {
    if (!(await simplifyToLevel(document, level))) continue;
    const simplified = await writeGlb(document);
    geometries.unshift(packed ? await createGeometryGlb(simplified, packed.indices) : simplified);
  }
  return geometries.length === 0 ? undefined : { geometries, textures: packed?.packs ?? [] };
}

function createTexturePacks(
  document: Document,
  images: ReadonlyMap<Texture, TextureImages>,
): PackedTextures | undefined {
  const packed = [...document.getRoot().listTextures().entries()].flatMap(([index, texture]) => {
    const sizes = images.get(texture);
    return sizes === undefined ? [] : [{ index, texture, sizes }];
  });
  const packSizes = packed.length > 0 && selectPackSizes(packed.map(({ sizes }) => sizes));
  if (!packSizes) return undefined;
  const packs = packSizes.map((size) => {
    const pack = packed.map(({ texture, sizes }) => sizes.smaller.get(size) ?? getFull(texture));
    return { size, pack: writeTexturePack(pack) };
  });
  return { indices: packed.map(({ index }) => index), packs };
}

function getFull(texture: Texture): EncodedImage {
  return { image: texture.getImage() ?? new Uint8Array(), mimeType: texture.getMimeType() };
}
