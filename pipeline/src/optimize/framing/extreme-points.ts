import type { mat4 } from '@gltf-transform/core';
import { transformPoint } from '../world-positions.ts';

/** So many points are compared at a time: neighbors in a file are usually neighbors in space. */
const BLOCK_POINTS = 64;

/** The axes in both directions: the extreme points of these are on the faces of the box. */
export const AXES: readonly (readonly [number, number, number])[] = [
  [-1, 0, 0],
  [0, -1, 0],
  [0, 0, -1],
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** Finds the extreme point of a model in each of many directions. Its memory does not depend on the number of points. */
export class ExtremePoints {
  /** Unit vectors: x, y, z, x, y, z, … The first ones are `AXES`. */
  readonly directions: Float64Array;
  /** For each direction, the extreme point. */
  readonly points: Float64Array;
  /** For each direction, how far the extreme point is in it. -Infinity without a point. */
  readonly supports: Float64Array;
  readonly #maxComparisons: number;
  /** Comparisons of a point, or of the box around a block, with a direction. */
  #comparisons = 0;
  readonly #block = new Float64Array(3 * BLOCK_POINTS);
  #blockLength = 0;

  constructor(directionCount: number, maxComparisons: number) {
    this.directions = distributeDirections(directionCount);
    this.points = new Float64Array(this.directions.length);
    this.supports = new Float64Array(this.directions.length / 3).fill(-Infinity);
    this.#maxComparisons = maxComparisons;
  }

  /**
   * Adds points that a matrix transforms, without those that are not finite. Returns false if there were too many comparisons: then the result is
   * incomplete.
   */
  add(positions: Float64Array, matrix: mat4): boolean {
    const { length } = this.#block;
    for (const index of coarseToFine(Math.ceil(positions.length / length))) {
      const source = positions.subarray(index * length, (index + 1) * length);
      if (this.#blockLength + source.length > length) this.#compareBlock();
      if (this.#comparisons > this.#maxComparisons) return false;
      this.#blockLength += transform(source, matrix, this.#block.subarray(this.#blockLength));
    }
    return true;
  }

  /** Must be called after the last points were added. */
  finish(): void {
    this.#compareBlock();
  }

  /** Raises supports to those of one extreme point. */
  raiseSupports(selected: number, supports: Float64Array): void {
    const { directions, points } = this;
    const [x, y, z] = points.subarray(3 * selected) as unknown as [number, number, number];
    for (let index = 0; index < supports.length; index++) {
      const support =
        (directions[3 * index] as number) * x +
        (directions[3 * index + 1] as number) * y +
        (directions[3 * index + 2] as number) * z;
      if (support > (supports[index] as number)) supports[index] = support;
    }
  }

  #compareBlock(): void {
    const { directions, supports, points } = this;
    const block = this.#block.subarray(0, this.#blockLength);
    if (block.length === 0) return;
    this.#blockLength = 0;
    this.#comparisons += supports.length;
    const [minX, minY, minZ, maxX, maxY, maxZ] = computeBox(block);
    for (let index = 0; index < supports.length; index++) {
      const x = directions[3 * index] as number;
      const y = directions[3 * index + 1] as number;
      const z = directions[3 * index + 2] as number;
      const corner =
        x * (x < 0 ? minX : maxX) + y * (y < 0 ? minY : maxY) + z * (z < 0 ? minZ : maxZ);
      if (corner <= (supports[index] as number)) continue;
      this.#comparisons += block.length / 3;
      const at = findFarthest(block, x, y, z);
      const farthest = block.subarray(at, at + 3) as unknown as [number, number, number];
      const support = x * farthest[0] + y * farthest[1] + z * farthest[2];
      if (support <= (supports[index] as number)) continue;
      supports[index] = support;
      points.set(farthest, 3 * index);
    }
  }
}

/** Lists the numbers below a count, far apart at first: along a tube, each next block would otherwise be farther than all before. */
function* coarseToFine(count: number): Generator<number> {
  if (count > 0) yield 0;
  let step = 1;
  while (step < count) step *= 2;
  for (; step > 1; step /= 2) for (let index = step / 2; index < count; index += step) yield index;
}

/** Returns the offset of the point that is farthest in a direction. */
function findFarthest(block: Float64Array, x: number, y: number, z: number): number {
  let [found, farthest] = [0, -Infinity];
  for (let at = 0; at < block.length; at += 3) {
    const distance =
      x * (block[at] as number) + y * (block[at + 1] as number) + z * (block[at + 2] as number);
    if (distance > farthest) [found, farthest] = [at, distance];
  }
  return found;
}

/** The axes, and other directions at about equal angles: a Fibonacci lattice. */
function distributeDirections(count: number): Float64Array {
  const goldenAngle = Math.PI * (3 - Math.sqrt(5));
  const others = count - AXES.length;
  const lattice = Array.from({ length: others }, (_, index) => {
    const y = 1 - (2 * index + 1) / others;
    const radius = Math.sqrt(1 - y * y);
    return [Math.cos(goldenAngle * index) * radius, y, Math.sin(goldenAngle * index) * radius];
  });
  return new Float64Array([...AXES, ...lattice].flat());
}

/** Writes the transformed points, without those that are not finite. Returns the length of the result. */
function transform(points: Float64Array, matrix: mat4, target: Float64Array): number {
  let length = 0;
  for (let at = 0; at < points.length; at += 3) {
    const point = transformPoint(matrix, points, at);
    if (!point.every(Number.isFinite)) continue;
    target.set(point, length);
    length += 3;
  }
  return length;
}

type Box = [number, number, number, number, number, number];

function computeBox(points: Float64Array): Box {
  const box: Box = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
  for (let index = 0; index < points.length; index++) {
    const [value, axis] = [points[index] as number, index % 3];
    if (value < (box[axis] as number)) box[axis] = value;
    if (value > (box[axis + 3] as number)) box[axis + 3] = value;
  }
  return box;
}
