import type { Accessor } from '@gltf-transform/core';

/**
 * Copies an accessor with other values, which are fractions as integers.
 *
 * Not sparse: glTF-Transform would write the fractions that the normalized values of a sparse accessor stand for.
 */
export function createNormalized(
  source: Accessor,
  integers: Uint8Array<ArrayBuffer> | Int8Array<ArrayBuffer> | Uint16Array<ArrayBuffer>,
): Accessor {
  return source.clone().setArray(integers).setNormalized(true).setSparse(false);
}
