import type { BoundingBox } from '@cloche/contract/viewer-config';

/** A 4×4 matrix in column-major order, as in glTF and three.js. */
export type Matrix4 = ArrayLike<number>;

/** A column-major 4×4 matrix as a tuple: the same shape as the `mat4` of glTF-Transform. */
export type Matrix4Tuple = [
  ...[number, number, number, number],
  ...[number, number, number, number],
  ...[number, number, number, number],
  ...[number, number, number, number],
];

/** Three coordinates: x, y and z. */
export type Vector3 = [number, number, number];

/** The identity matrix. */
export const IDENTITY_MATRIX: Matrix4 = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

const IDENTITY_TOLERANCE = 1e-9;

/** Returns whether each element differs from the identity matrix by less than 1e-9. */
export function isIdentity(matrix: Matrix4): boolean {
  return Array.from(IDENTITY_MATRIX).every(
    (value, index) => Math.abs(elementAt(matrix, index) - value) < IDENTITY_TOLERANCE,
  );
}

/**
 * Composes a matrix that scales, then rotates by the quaternion (x, y, z, w), then translates. An
 * empty array stands for no translation, rotation or scale.
 */
export function composeMatrix(
  translation: ArrayLike<number>,
  rotation: ArrayLike<number>,
  scale: ArrayLike<number>,
): Matrix4 {
  const [x = 0, y = 0, z = 0, w = 1] = Array.from(rotation);
  const [sx = 1, sy = 1, sz = 1] = Array.from(scale);
  const [tx = 0, ty = 0, tz = 0] = Array.from(translation);
  const column = (a: number, b: number, c: number, factor: number) => [
    a * factor,
    b * factor,
    c * factor,
    0,
  ];
  return [
    ...column(1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), sx),
    ...column(2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), sy),
    ...column(2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), sz),
    tx,
    ty,
    tz,
    1,
  ];
}

/** Returns the product a · b: the transform that applies b first, then a. */
export function multiplyMatrices(a: Matrix4, b: Matrix4): Matrix4Tuple {
  const product = new Array<number>(16).fill(0);
  for (let column = 0; column < 16; column += 4) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += elementAt(a, k * 4 + row) * elementAt(b, column + k);
      product[column + row] = sum;
    }
  }
  return product as Matrix4Tuple;
}

/** Returns the smallest axis-aligned box that contains the transformed box. */
export function transformBox(matrix: Matrix4, { min, max }: BoundingBox): BoundingBox {
  const box: BoundingBox = { min: [0, 0, 0], max: [0, 0, 0] };
  for (const row of [0, 1, 2] as const) {
    let center = elementAt(matrix, 12 + row);
    let halfSize = 0;
    for (const axis of [0, 1, 2] as const) {
      const factor = elementAt(matrix, axis * 4 + row);
      center += (factor * (min[axis] + max[axis])) / 2;
      halfSize += (Math.abs(factor) * (max[axis] - min[axis])) / 2;
    }
    box.min[row] = center - halfSize;
    box.max[row] = center + halfSize;
  }
  return box;
}

/** Returns the smallest box that contains both boxes; `b` if there is no box `a`. */
export function unionBoxes(a: BoundingBox | undefined, b: BoundingBox): BoundingBox {
  if (a === undefined) return b;
  const combine = (choose: (...values: number[]) => number, p: Vector3, q: Vector3): Vector3 => [
    choose(p[0], q[0]),
    choose(p[1], q[1]),
    choose(p[2], q[2]),
  ];
  return { min: combine(Math.min, a.min, b.min), max: combine(Math.max, a.max, b.max) };
}

function elementAt(matrix: Matrix4, index: number): number {
  return matrix[index] ?? 0;
}
