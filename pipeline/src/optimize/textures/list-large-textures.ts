import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document, Texture } from '@gltf-transform/core';
import { isCompressible } from './compress-textures.ts';

type Size = readonly [width: number, height: number];

/** Lists the textures whose longest side exceeds `maxSize`, with their sizes in pixels. */
export function listLargeTextures(document: Document, maxSize: number): Map<Texture, Size> {
  const textures = document.getRoot().listTextures().filter(isCompressible);
  return new Map(
    textures.flatMap((texture) => {
      const size = texture.getSize();
      return size !== null && Math.max(...size) > maxSize ? [[texture, size]] : [];
    }),
  );
}

/** Creates a warning about the textures that were made smaller. Those of one color have become one pixel, which nobody misses. */
export function createReductionWarnings(
  large: ReadonlyMap<Texture, Size>,
  maxSize: number,
): ProcessingWarning[] {
  const reduced = [...large].filter(
    ([texture]) => !texture.isDisposed() && Math.max(...(texture.getSize() ?? [0])) === maxSize,
  );
  if (reduced.length === 0) return [];
  const longestSide = Math.max(...reduced.flatMap(([, size]) => size));
  const [, largest = []] = reduced.find(([, size]) => size.includes(longestSide)) ?? [];
  const pixels = `${largest.join(' × ')} pixels`;
  const subject =
    reduced.length === 1
      ? `A texture of ${pixels} was`
      : `${reduced.length} textures of up to ${pixels} were`;
  const message = `${subject} made smaller. The limit is ${maxSize} pixels for the longest side: maxTextureSize of the design or, if it has none, CLOCHE_MAX_TEXTURE.`;
  return [{ code: 'textures.reduced', message }];
}
