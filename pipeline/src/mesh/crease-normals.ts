import {
  createGrowableFloats,
  createGrowableIndices,
  VertexDeduplicator,
} from './growable-array.ts';
import type { MeshGeometry } from './mesh-geometry.ts';

/** Edges that bend by less than 35 degrees are smooth; the others are hard. */
const CREASE_COSINE = Math.cos((35 * Math.PI) / 180);
/** Above this number of faces around a position, faces are grouped by direction. */
const MAX_UNGROUPED_FACES = 64;
/** The number of cells per axis when directions are grouped: about 10 degrees each. */
const DIRECTION_STEPS = 9;
/** Normals closer than 2 degrees share a vertex. */
const SAME_NORMAL_COSINE = Math.cos((2 * Math.PI) / 180);

/** Faces around a position that are treated as one. `direction` is the normalized `normalSum`. */
type FaceGroup = { normalSum: Float64Array; direction: Float64Array };

/**
 * Adds normals to a mesh: smooth across edges that bend by less than 35 degrees, hard across the
 * others. A vertex on a hard edge is duplicated, once per side. Vertices at the same position are
 * treated as one, even if their other attributes differ.
 *
 * The normal of a corner is the sum of the normals, weighted by area, of those faces around its
 * position whose direction is within 35 degrees of its own face. This takes quadratic time in the
 * number of faces around a position. Where there are many (the tip of a cone, or a hostile file),
 * faces are first grouped by direction.
 */
export function computeCreasedNormals(geometry: MeshGeometry): MeshGeometry {
  const { positions, indices } = geometry;
  const faceNormals = computeFaceNormals(positions, indices);
  const positionIds = weldPositions(positions);
  const { starts, corners } = groupCornersByPosition(positionIds, indices);
  const faceDirections = normalizeVectors(faceNormals);
  const cornerNormals = new Float32Array(indices.length * 3);
  for (let id = 0; id + 1 < starts.length; id++) {
    const around = corners.subarray(starts[id], starts[id + 1]);
    if (around.length > MAX_UNGROUPED_FACES)
      computeGroupedNormals(around, faceNormals, cornerNormals);
    else computeCornerNormals(around, { faceNormals, faceDirections, cornerNormals });
  }
  return splitVerticesByNormal(geometry, cornerNormals);
}

/** Computes the normal of each face; its length is twice the area of the face. */
function computeFaceNormals(positions: Float32Array, indices: Uint32Array): Float64Array {
  const normals = new Float64Array(indices.length);
  for (let corner = 0; corner + 2 < indices.length; corner += 3) {
    const a = 3 * (indices[corner] as number);
    const b = 3 * (indices[corner + 1] as number);
    const c = 3 * (indices[corner + 2] as number);
    const difference = (to: number, axis: number) =>
      (positions[to + axis] as number) - (positions[a + axis] as number);
    const [ux, uy, uz] = [difference(b, 0), difference(b, 1), difference(b, 2)];
    const [vx, vy, vz] = [difference(c, 0), difference(c, 1), difference(c, 2)];
    normals[corner] = uy * vz - uz * vy;
    normals[corner + 1] = uz * vx - ux * vz;
    normals[corner + 2] = ux * vy - uy * vx;
  }
  return normals;
}

/** Returns a position id for each vertex; vertices at the same position have the same id. */
function weldPositions(positions: Float32Array): Uint32Array {
  const deduplicator = new VertexDeduplicator(3, positions.length / 3);
  const position = new Float32Array(3);
  const row = new Uint32Array(position.buffer);
  const positionIds = new Uint32Array(positions.length / 3);
  for (let vertex = 0; vertex < positionIds.length; vertex++) {
    for (let axis = 0; axis < 3; axis++) {
      // Adding zero turns -0 into 0, which has different bits.
      position[axis] = (positions[3 * vertex + axis] as number) + 0;
    }
    positionIds[vertex] = deduplicator.getOrAdd(row);
  }
  return positionIds;
}

/** Groups corners by position: those with id p are `corners[starts[p]]` to `corners[starts[p + 1] - 1]`. */
function groupCornersByPosition(positionIds: Uint32Array, indices: Uint32Array) {
  let count = 0;
  for (const id of positionIds) count = Math.max(count, id + 1);
  const starts = new Uint32Array(count + 1);
  for (const vertex of indices) increment(starts, (positionIds[vertex] as number) + 1, 1);
  for (let id = 0; id < count; id++) increment(starts, id + 1, starts[id] as number);
  const next = starts.slice();
  const corners = new Uint32Array(indices.length);
  indices.forEach((vertex, corner) => {
    const id = positionIds[vertex] as number;
    corners[next[id] as number] = corner;
    increment(next, id, 1);
  });
  return { starts, corners };
}

type FaceVectors = {
  faceNormals: Float64Array;
  faceDirections: Float64Array;
  cornerNormals: Float32Array;
};

/** Computes the normals of the corners at one position and writes them to `cornerNormals`. */
function computeCornerNormals(
  corners: Uint32Array,
  { faceNormals, faceDirections, cornerNormals }: FaceVectors,
): void {
  for (const corner of corners) {
    const face = corner - (corner % 3);
    const x = faceDirections[face] as number;
    const y = faceDirections[face + 1] as number;
    const z = faceDirections[face + 2] as number;
    let [sumX, sumY, sumZ] = [0, 0, 0];
    for (const otherCorner of corners) {
      const other = otherCorner - (otherCorner % 3);
      const cosine =
        x * (faceDirections[other] as number) +
        y * (faceDirections[other + 1] as number) +
        z * (faceDirections[other + 2] as number);
      if (cosine < CREASE_COSINE) continue;
      sumX += faceNormals[other] as number;
      sumY += faceNormals[other + 1] as number;
      sumZ += faceNormals[other + 2] as number;
    }
    const length = Math.hypot(sumX, sumY, sumZ);
    const hasDirection = length > 0 && length < Infinity;
    cornerNormals[3 * corner] = hasDirection ? sumX / length : 0;
    cornerNormals[3 * corner + 1] = hasDirection ? sumY / length : 1;
    cornerNormals[3 * corner + 2] = hasDirection ? sumZ / length : 0;
  }
}

/** The same for a position with many faces, which are grouped by direction. */
function computeGroupedNormals(
  corners: Uint32Array,
  faceNormals: Float64Array,
  cornerNormals: Float32Array,
): void {
  const { groups, groupIndices } = groupFacesByDirection(corners, faceNormals);
  const smoothed = groups.map((group) => {
    const sum = new Float64Array(3);
    for (const other of groups) {
      if (dot(group.direction, other.direction) < CREASE_COSINE) continue;
      addVector(sum, other.normalSum);
    }
    return normalizeVector(sum);
  });
  corners.forEach((corner, index) => {
    cornerNormals.set(smoothed[groupIndices[index] as number] as Float64Array, 3 * corner);
  });
}

/** Groups the faces of these corners by direction. */
function groupFacesByDirection(
  corners: Uint32Array,
  faceNormals: Float64Array,
): { groups: FaceGroup[]; groupIndices: number[] } {
  const groups: FaceGroup[] = [];
  const groupByCell = new Map<number, number>();
  const groupIndices = Array.from(corners, (corner) => {
    const face = corner - (corner % 3);
    const normalSum = faceNormals.slice(face, face + 3);
    const direction = normalizeVector(normalSum);
    const cell = toDirectionCell(direction);
    const existing = groupByCell.get(cell);
    if (existing === undefined) {
      groupByCell.set(cell, groups.length);
      return groups.push({ normalSum, direction }) - 1;
    }
    addVector((groups[existing] as FaceGroup).normalSum, normalSum);
    return existing;
  });
  for (const group of groups) group.direction = normalizeVector(group.normalSum);
  return { groups, groupIndices };
}

function toDirectionCell([x = 0, y = 0, z = 0]: Float64Array): number {
  const quantize = (value: number) => Math.round(((value + 1) / 2) * DIRECTION_STEPS);
  return (quantize(x) * 16 + quantize(y)) * 16 + quantize(z);
}

/** Creates one vertex for each pair of a vertex and a normal that some corner uses. */
function splitVerticesByNormal(geometry: MeshGeometry, cornerNormals: Float32Array): MeshGeometry {
  const splitter = new VertexSplitter(geometry.positions.length / 3);
  const indices = geometry.indices.map((vertex, corner) =>
    splitter.getOrAdd(
      vertex,
      cornerNormals[3 * corner] as number,
      cornerNormals[3 * corner + 1] as number,
      cornerNormals[3 * corner + 2] as number,
    ),
  );
  return {
    ...gatherVertices(geometry, splitter.sources.toTypedArray()),
    normals: splitter.normals.toTypedArray(),
    indices,
  };
}

const NONE = 0xffffffff;

/** Assigns an index to each pair of a vertex and a normal. The pairs of a vertex are a linked list. */
class VertexSplitter {
  /** The original vertex of each pair. */
  readonly sources = createGrowableIndices();
  readonly normals = createGrowableFloats();
  /** The most recent pair of each original vertex, or NONE. */
  readonly #latest: Uint32Array;
  /** The pair added before this one for the same vertex, or NONE. */
  readonly #previous = createGrowableIndices();

  constructor(vertexCount: number) {
    this.#latest = new Uint32Array(vertexCount).fill(NONE);
  }

  /** Returns the pair of this vertex whose normal is within 2 degrees, or adds one. */
  getOrAdd(vertex: number, x: number, y: number, z: number): number {
    const latest = this.#latest[vertex] as number;
    for (let pair = latest; pair !== NONE; pair = this.#previous.at(pair)) {
      const cosine =
        x * this.normals.at(3 * pair) +
        y * this.normals.at(3 * pair + 1) +
        z * this.normals.at(3 * pair + 2);
      // Negated, so that a NaN also counts as equal.
      if (!(cosine < SAME_NORMAL_COSINE)) return pair;
    }
    const added = this.sources.length;
    this.sources.push(vertex);
    this.normals.push3(x, y, z);
    this.#previous.push(latest);
    this.#latest[vertex] = added;
    return added;
  }
}

function gatherVertices({ positions, colors, texCoords }: MeshGeometry, sources: Uint32Array) {
  const gather = <Numbers extends Float32Array | Uint16Array>(array: Numbers, width: number) => {
    const gathered = new (array.constructor as new (length: number) => Numbers)(
      sources.length * width,
    );
    sources.forEach((source, index) => {
      for (let axis = 0; axis < width; axis++) {
        gathered[index * width + axis] = array[source * width + axis] as number;
      }
    });
    return gathered;
  };
  return {
    positions: gather(positions, 3),
    colors: colors && gather(colors, 4),
    texCoords: texCoords && gather(texCoords, 2),
  };
}

function increment(array: Float64Array | Uint32Array, index: number, amount: number): void {
  array[index] = (array[index] as number) + amount;
}

function addVector(sum: Float64Array, vector: Float64Array): void {
  for (let axis = 0; axis < 3; axis++) increment(sum, axis, vector[axis] as number);
}

function dot(
  [ax = 0, ay = 0, az = 0]: Float64Array,
  [bx = 0, by = 0, bz = 0]: Float64Array,
): number {
  return ax * bx + ay * by + az * bz;
}

/** Scales vectors of three components to unit length; see normalizeVector. */
function normalizeVectors(vectors: Float64Array): Float64Array {
  const normalized = new Float64Array(vectors.length);
  for (let offset = 0; offset + 2 < vectors.length; offset += 3) {
    const x = vectors[offset] as number;
    const y = vectors[offset + 1] as number;
    const z = vectors[offset + 2] as number;
    const length = Math.hypot(x, y, z);
    const hasDirection = length > 0 && length < Infinity;
    normalized[offset] = hasDirection ? x / length : 0;
    normalized[offset + 1] = hasDirection ? y / length : 1;
    normalized[offset + 2] = hasDirection ? z / length : 0;
  }
  return normalized;
}

/** Scales a vector to unit length. A zero vector (a face without area) becomes (0, 1, 0). */
function normalizeVector(vector: Float64Array): Float64Array {
  const [x, y, z] = [vector[0] as number, vector[1] as number, vector[2] as number];
  const length = Math.hypot(x, y, z);
  return length > 0 && length < Infinity
    ? Float64Array.of(x / length, y / length, z / length)
    : Float64Array.of(0, 1, 0);
}
