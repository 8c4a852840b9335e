import type { vec3 } from '@gltf-transform/core';

/**
 * Finds the center of points, if it is farther from the origin than the longest side of their box. The
 * error of compressed coordinates is relative to their distance from the origin.
 */
export function findDistantCenter(points: readonly vec3[]): vec3 | undefined {
  const min: vec3 = [Infinity, Infinity, Infinity];
  const max: vec3 = [-Infinity, -Infinity, -Infinity];
  for (const point of points) {
    for (const axis of [0, 1, 2] as const) {
      min[axis] = Math.min(min[axis], point[axis]);
      max[axis] = Math.max(max[axis], point[axis]);
    }
  }
  const toCenter = (axis: 0 | 1 | 2) => (min[axis] + max[axis]) / 2;
  const center: vec3 = [toCenter(0), toCenter(1), toCenter(2)];
  const extent = Math.max(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
  return Math.max(...center.map(Math.abs)) > extent ? center : undefined;
}
