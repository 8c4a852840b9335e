import type { BoundingBox } from '@cloche/contract/viewer-config';

/** Sixteen numbers, column by column, as glTF and three.js have them. */
export type Matrix4 = ArrayLike<number>;

export const IDENTITY_MATRIX: Matrix4 = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

export type Vector3 = [number, number, number];

/** Scales, then rotates by the quaternion (x, y, z, w), then moves. */
export function composeMatrix(translation: Matrix4, rotation: Matrix4, scale: Matrix4): Matrix4 {
  const [x = 0, y = 0, z = 0, w = 1] = Array.from(rotation);
  const [sx = 1, sy = 1, sz = 1] = Array.from(scale);
  const [tx = 0, ty = 0, tz = 0] = Array.from(translation);
  const column = (a: number, b: number, c: number, by: number) => [a * by, b * by, c * by, 0];
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

/** First b, then a. */
export function multiplyMatrices(a: Matrix4, b: Matrix4): Matrix4 {
  const product = new Float64Array(16);
  for (let column = 0; column < 16; column += 4) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let at = 0; at < 4; at++) sum += elementAt(a, at * 4 + row) * elementAt(b, column + at);
      product[column + row] = sum;
    }
  }
  return product;
}

/** The box around a box that was moved: its centre moves, its half sizes add up. */
export function transformBox(matrix: Matrix4, { min, max }: BoundingBox): BoundingBox {
  const box: BoundingBox = { min: [0, 0, 0], max: [0, 0, 0] };
  for (const row of [0, 1, 2] as const) {
    let centre = elementAt(matrix, 12 + row);
    let half = 0;
    for (const axis of [0, 1, 2] as const) {
      const factor = elementAt(matrix, axis * 4 + row);
      centre += (factor * (min[axis] + max[axis])) / 2;
      half += (Math.abs(factor) * (max[axis] - min[axis])) / 2;
    }
    box.min[row] = centre - half;
    box.max[row] = centre + half;
  }
  return box;
}

export function unionBoxes(a: BoundingBox | undefined, b: BoundingBox): BoundingBox {
  if (a === undefined) return b;
  const pick = (choose: (...of: number[]) => number, of: Vector3, or: Vector3): Vector3 => [
    choose(of[0], or[0]),
    choose(of[1], or[1]),
    choose(of[2], or[2]),
  ];
  return { min: pick(Math.min, a.min, b.min), max: pick(Math.max, a.max, b.max) };
}

function elementAt(matrix: Matrix4, index: number): number {
  return matrix[index] ?? 0;
}
