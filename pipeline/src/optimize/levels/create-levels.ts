import type { Document, Texture } from '@gltf-transform/core';
import type { TextureImages } from '../textures/compress-textures.ts';
import type { EncodedImage } from '../textures/encode-texture.ts';
import { writeGlb } from '../write/write-glb.ts';
import { createGeometryGlb } from './geometry-glb.ts';
import { listLevels, simplifyToLevel } from './simplify-to-level.ts';
import { getSizeRatio, type PackContent, selectPacks } from './texture-levels.ts';
import { writeTexturePack } from './texture-pack.ts';
import type { UvDensity } from './uv-density.ts';

/** A model in parts: visitors load a geometry and the texture pack that their screen can show. */
export type SplitModel = {
  /** Ascending by triangles, without the images that are in the packs. Without packs, the model is the last geometry. */
  geometries: LevelGeometry[];
  /** Ascending by size; see texture-levels.ts. */
  textures: (Pick<PackContent, 'size' | 'imageSize' | 'pixels'> & { pack: Uint8Array })[];
};

type LevelGeometry = {
  glb: Uint8Array;
  /** Longest side of the model on the screen, in device pixels, up to which it looks like the model. Absent for the model, and if it is not known. */
  maxSize?: number;
};

/** Textures of a model that are in packs, by their indices in the document. */
type PackedTextures = { indices: number[]; packs: SplitModel['textures'] };

/**
 * Splits a model into geometries and texture packs. Small textures stay in the geometries.
 *
 * @param document what the model was written from; it is simplified to the smallest geometry
 * @param images the textures that have smaller images
 * @param density of their texture coordinates
 * @returns undefined if it would save little
 */
export async function createLevels(
  model: Uint8Array,
  document: Document,
  images: ReadonlyMap<Texture, TextureImages>,
  density: UvDensity | undefined,
): Promise<SplitModel | undefined> {
  const packed = createTexturePacks(document, images, density);
  const geometries: LevelGeometry[] = packed
    ? [{ glb: await createGeometryGlb(model, packed.indices) }]
    : [];
  let error = 0;
  for (const level of listLevels(document)) {
    const simplified = await simplifyToLevel(document, level, error);
    if (simplified === undefined) continue;
    const { maxSize } = simplified;
    error = simplified.error;
    const file = await writeGlb(document);
    const glb = packed ? await createGeometryGlb(file, packed.indices) : file;
    geometries.unshift({ glb, ...(maxSize > 0 && { maxSize }) });
  }
  return geometries.length === 0 ? undefined : { geometries, textures: packed?.packs ?? [] };
}

function createTexturePacks(
  document: Document,
  images: ReadonlyMap<Texture, TextureImages>,
  density: UvDensity | undefined,
): PackedTextures | undefined {
  const packed = [...document.getRoot().listTextures().entries()].flatMap(([index, texture]) => {
    const ownImages = images.get(texture);
    const sizeRatio = getSizeRatio(texture, density);
    return ownImages === undefined ? [] : [{ index, texture, images: ownImages, sizeRatio }];
  });
  const packs = packed.length > 0 && selectPacks(packed);
  if (!packs) return undefined;
  const textures = packs.map(({ size, imageSize, pixels, imageSizes }) => {
    const pack = packed.map(
      ({ texture, images: { smaller } }, position) =>
        smaller.get(imageSizes[position] as number) ?? getFull(texture),
    );
    return { size, imageSize, pixels, pack: writeTexturePack(pack) };
  });
  return { indices: packed.map(({ index }) => index), packs: textures };
}

function getFull(texture: Texture): EncodedImage {
  return { image: texture.getImage() ?? new Uint8Array(), mimeType: texture.getMimeType() };
}
