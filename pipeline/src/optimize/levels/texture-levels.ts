import { TEXTURE_SIZES } from '@cloche/contract/texture-sizes';
import type { TextureImages } from '../textures/compress-textures.ts';

/** Sizes of texture packs: the longest side of their images, in pixels. */
export const TEXTURE_PACK_SIZES: readonly number[] = TEXTURE_SIZES;

/** With fewer pixels to save, a second file costs visitors more time than it saves them memory: 8 MiB. */
const MIN_SAVED_PIXELS = 2 * 1024 * 1024;

/**
 * Returns the sizes of the texture packs of a model, ascending; the last has the full images. Undefined if
 * packs would save little.
 */
export function selectPackSizes(textures: readonly TextureImages[]): number[] | undefined {
  const savedPixels = textures.reduce((sum, { width, height, smaller }) => {
    const ratio = Math.min(...smaller.keys()) / Math.max(width, height);
    return sum + width * height * (1 - ratio ** 2);
  }, 0);
  if (savedPixels < MIN_SAVED_PIXELS) return undefined;
  const fullSize = Math.max(...textures.map(({ width, height }) => Math.max(width, height)));
  const sizes = new Set(textures.flatMap(({ smaller }) => [...smaller.keys()]));
  return [...sizes, fullSize].sort((a, b) => a - b);
}
