/** Returns the eight corners of a cube from 0 to `size`; x changes fastest, z slowest. */
export function cubeCorners(size: number): [number, number, number][] {
  return Array.from({ length: 8 }, (_, index) => [
    (index & 1) * size,
    ((index >> 1) & 1) * size,
    ((index >> 2) & 1) * size,
  ]);
}

/** The faces of a cube: four corners each, counter-clockwise seen from outside. */
export const CUBE_FACES = [
  [0, 2, 3, 1],
  [4, 5, 7, 6],
  [0, 1, 5, 4],
  [2, 6, 7, 3],
  [0, 4, 6, 2],
  [1, 3, 7, 5],
] as const;

/** The faces of a cube as two triangles each. */
export const CUBE_TRIANGLES = CUBE_FACES.flatMap(([a, b, c, d]) => [
  [a, b, c] as const,
  [a, c, d] as const,
]);
