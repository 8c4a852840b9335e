/** The corners of a cube from 0 to `size`, x fastest. */
export function cubeCorners(size: number): [number, number, number][] {
  return Array.from({ length: 8 }, (_, at) => [
    (at & 1) * size,
    ((at >> 1) & 1) * size,
    ((at >> 2) & 1) * size,
  ]);
}

/** Its faces: four corners each, counter-clockwise seen from outside. */
export const CUBE_FACES = [
  [0, 2, 3, 1],
  [4, 5, 7, 6],
  [0, 1, 5, 4],
  [2, 6, 7, 3],
  [0, 4, 6, 2],
  [1, 3, 7, 5],
] as const;

/** Two triangles for each face. */
export const CUBE_TRIANGLES = CUBE_FACES.flatMap(([a, b, c, d]) => [
  [a, b, c] as const,
  [a, c, d] as const,
]);
