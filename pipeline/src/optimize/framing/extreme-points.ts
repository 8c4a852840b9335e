import type { mat4 } from '@gltf-transform/core';
import type { Matrix4 } from '../../mesh/matrix.ts';

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

/** Finds the extreme point of a model in each of many directions. Needs no memory for the points that it is given. */
export class ExtremePoints {
  /** Unit vectors: x, y, z, x, y, z, … The first ones are `AXES`. */
  readonly directions: Float64Array;
  /** For each direction, the extreme point. */
  readonly points: Float64Array;
  /** For each direction, how far it is. -Infinity before a point was added. */
  readonly distances: Float64Array;
  /** How often a point was compared with the extreme one of a direction: seldom, if neighbors in the list are neighbors in space. */
  comparisons = 0;

  constructor(directionCount: number) {
    this.directions = distributeDirections(directionCount);
    this.points = new Float64Array(this.directions.length);
    this.distances = new Float64Array(this.directions.length / 3).fill(-Infinity);
  }

  /**
   * Adds points that a matrix transforms. Those that are not numbers are ignored. Returns false if that needs more comparisons in all: then some
   * are left out.
   */
  add(positions: Float64Array, matrix: mat4, maxComparisons = Infinity): boolean {
    const block = new Float64Array(3 * BLOCK_POINTS);
    for (let start = 0; start < positions.length; start += block.length) {
      if (this.comparisons > maxComparisons) return false;
      const end = Math.min(start + block.length, positions.length);
      const length = transform(positions.subarray(start, end), matrix, block);
      if (length > 0) this.#addBlock(block.subarray(0, length));
    }
    return true;
  }

  /** Raises `reached` to how far the extreme point of one direction is in each direction. */
  reach(selected: number, reached: Float64Array): void {
    const { directions, points } = this;
    const [x, y, z] = points.subarray(3 * selected) as unknown as [number, number, number];
    for (let index = 0; index < reached.length; index++) {
      const distance =
        (directions[3 * index] as number) * x +
        (directions[3 * index + 1] as number) * y +
        (directions[3 * index + 2] as number) * z;
      if (distance > (reached[index] as number)) reached[index] = distance;
    }
  }

  #addBlock(block: Float64Array): void {
    const { directions, distances, points } = this;
    const [minX, minY, minZ, maxX, maxY, maxZ] = computeBox(block);
    for (let index = 0; index < distances.length; index++) {
      const x = directions[3 * index] as number;
      const y = directions[3 * index + 1] as number;
      const z = directions[3 * index + 2] as number;
      const corner =
        x * (x < 0 ? minX : maxX) + y * (y < 0 ? minY : maxY) + z * (z < 0 ? minZ : maxZ);
      if (corner <= (distances[index] as number)) continue;
      this.comparisons += block.length / 3;
      const at = findFarthest(block, x, y, z);
      const farthest = block.subarray(at, at + 3) as unknown as [number, number, number];
      const distance = x * farthest[0] + y * farthest[1] + z * farthest[2];
      if (distance <= (distances[index] as number)) continue;
      distances[index] = distance;
      points.set(farthest, 3 * index);
    }
  }
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

/** Writes the transformed points, without those that are not numbers. Returns the length of the result. */
function transform(points: Float64Array, matrix: Matrix4, target: Float64Array): number {
  let length = 0;
  for (let at = 0; at < points.length; at += 3) {
    const [x, y, z] = [points[at] as number, points[at + 1] as number, points[at + 2] as number];
    let sum = 0;
    for (let row = 0; row < 3; row++) {
      const value =
        (matrix[row] as number) * x +
        (matrix[4 + row] as number) * y +
        (matrix[8 + row] as number) * z +
        (matrix[12 + row] as number);
      target[length + row] = value;
      sum += value;
    }
    if (Number.isFinite(sum)) length += 3;
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
