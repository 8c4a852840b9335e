import type { Accessor } from '@gltf-transform/core';

/** Bits per component that files with quantized attributes have, relative to their longest side. */
const [MIN_BITS, MAX_BITS] = [8, 14];
/** Fewer vertices are on a grid by chance, and are small anyway. */
const MIN_VERTICES = 100;
/** Largest distance from the grid, in steps. Single precision is less exact far from the origin. */
const TOLERANCE = 0.02;

/**
 * Finds the grid that the values of attributes are on, because their file was quantized (Draco).
 * Another grid would make them less exact, and up to a half larger: a scan of 500,000 triangles with 11
 * bits has 570 kB with Draco, 668 kB on its own grid and 831 kB on one of 14 bits.
 *
 * @param min the least value of each component, where the grid begins
 * @returns the step of the grid; undefined if the values are on no grid
 */
export function findStoredStep(
  attributes: readonly (Accessor | null)[],
  { min, max }: { min: readonly number[]; max: readonly number[] },
): number | undefined {
  const arrays = attributes.map((attribute) => attribute?.getArray());
  const floats = arrays.filter((array) => array instanceof Float32Array);
  if (floats.reduce((sum, array) => sum + array.length / min.length, 0) < MIN_VERTICES) return;
  const extent = Math.max(...max.map((high, axis) => high - (min[axis] as number)));
  for (let bits = MIN_BITS; bits <= MAX_BITS; bits++) {
    const step = extent / (2 ** bits - 1);
    if (floats.every((array) => isOnGrid(array, min, step))) return step;
  }
  return undefined;
}

function isOnGrid(values: Float32Array, min: readonly number[], step: number): boolean {
  for (let index = 0; index < values.length; index++) {
    const steps = ((values[index] as number) - (min[index % min.length] as number)) / step;
    // Negated, so that a NaN is not on the grid.
    if (!(Math.abs(steps - Math.round(steps)) <= TOLERANCE)) return false;
  }
  return true;
}
