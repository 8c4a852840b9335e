import { TEXTURE_LEVELS_EXTENSION, type TextureLevelsImage } from '@cloche/contract/texture-levels';
import type { GLTF } from '@gltf-transform/core';
import sharp from 'sharp';
import { encodeGlbContainer } from '../write/encode-glb.ts';
import { splitGlb } from './split-glb.ts';

type Region = { buffer: number; byteOffset?: number; byteLength: number };

/**
 * Copies a model without the images that are in texture packs. Each is replaced by one pixel, so that the file
 * remains a valid glTF, and refers to its position in the packs.
 *
 * @param imageIndices the indices of these images, in the order of the packs
 */
export async function createGeometryGlb(
  model: Uint8Array,
  imageIndices: readonly number[],
): Promise<Uint8Array> {
  const { json, bin } = splitGlb(model);
  const placeholders = new Map<Region, Uint8Array>();
  for (const [index, imageIndex] of imageIndices.entries()) {
    const image = json.images?.[imageIndex] as GLTF.IImage;
    const region = json.bufferViews?.[image.bufferView as number] as Region;
    placeholders.set(region, await encodePlaceholder(image.mimeType ?? ''));
    image.mimeType = image.mimeType === 'image/webp' ? 'image/webp' : 'image/png';
    const extension: TextureLevelsImage = { index };
    image.extensions = { ...image.extensions, [TEXTURE_LEVELS_EXTENSION]: extension };
  }
  json.extensionsUsed = [...(json.extensionsUsed ?? []), TEXTURE_LEVELS_EXTENSION];
  return encodeGlbContainer(json, replaceRegions(json, bin, placeholders));
}

/** Returns the pieces of the new binary chunk, and changes the offsets in the JSON. */
function replaceRegions(
  json: GLTF.IGLTF,
  bin: Uint8Array,
  replacements: ReadonlyMap<Region, Uint8Array>,
): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (const region of listStoredRegions(json)) {
    const start = region.byteOffset ?? 0;
    const bytes = replacements.get(region) ?? bin.subarray(start, start + region.byteLength);
    const padding = new Uint8Array((4 - (bytes.length % 4)) % 4);
    region.byteOffset = length;
    region.byteLength = bytes.length;
    pieces.push(bytes, padding);
    length += bytes.length + padding.length;
  }
  const [buffer] = json.buffers ?? [];
  if (buffer !== undefined) buffer.byteLength = length;
  return pieces;
}

/** Lists the parts of the binary chunk. Each is used by one buffer view only. */
function listStoredRegions({ bufferViews = [] }: GLTF.IGLTF): Region[] {
  return bufferViews.flatMap((view) => {
    const compressed = view.extensions?.KHR_meshopt_compression as Region | undefined;
    return [view, ...(compressed ? [compressed] : [])].filter(({ buffer }) => buffer === 0);
  });
}

function encodePlaceholder(mimeType: string): Promise<Uint8Array> {
  const pixel = sharp({ create: { width: 1, height: 1, channels: 3, background: '#808080' } });
  return (mimeType === 'image/webp' ? pixel.webp({ lossless: true }) : pixel.png()).toBuffer();
}
