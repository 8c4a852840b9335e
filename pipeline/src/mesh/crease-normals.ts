import {
  createGrowableFloats,
  createGrowableIndices,
  VertexDeduplicator,
} from './growable-array.ts';
import type { MeshGeometry } from './mesh-geometry.ts';

/**
 * Normals for meshes that have none: smooth over edges that bend less than the crease angle, hard
 * over the others. Corners at the same place count as one, whatever else they carry.
 *
 * A corner's normal is the sum of the normals of the faces around it that lie within the angle of
 * its own face, each by its area. That is quadratic in the faces around a point, so where many
 * meet (a cone's tip, or a file made to hurt) faces are first put together by direction.
 */
const CREASE_COSINE = Math.cos((35 * Math.PI) / 180);
const MAX_UNGROUPED_FACES = 64;
/** Steps along an axis when directions are put together: about 10 degrees. */
const DIRECTION_STEPS = 9;
/** Normals this close are one: 2 degrees. */
const SAME_NORMAL_COSINE = Math.cos((2 * Math.PI) / 180);

/** Faces around a point that count as one: their summed normal, and its direction. */
type FaceGroup = { normalSum: Float64Array; direction: Float64Array };

/** The same mesh with normals; vertices on hard edges are there once for each side. */
export function computeCreasedNormals(geometry: MeshGeometry): MeshGeometry {
  const { positions, indices } = geometry;
  const faces = computeFaceNormals(positions, indices);
  const places = weldPositions(positions);
  const around = groupCornersByPosition(places, indices);
  const normals = new Float32Array(indices.length * 3);
  for (let place = 0; place + 1 < around.starts.length; place++) {
    const corners = around.corners.subarray(around.starts[place], around.starts[place + 1]);
    computeCornerNormals(corners, faces, normals);
  }
  return splitVerticesByNormal(geometry, normals);
}

/** Normals as long as twice the face's area. */
function computeFaceNormals(positions: Float32Array, indices: Uint32Array): Float64Array {
  const normals = new Float64Array(indices.length);
  for (let at = 0; at + 2 < indices.length; at += 3) {
    const a = 3 * (indices[at] as number);
    const b = 3 * (indices[at + 1] as number);
    const c = 3 * (indices[at + 2] as number);
    const side = (to: number, axis: number) =>
      (positions[to + axis] as number) - (positions[a + axis] as number);
    const [ux, uy, uz, vx, vy, vz] = [
      side(b, 0),
      side(b, 1),
      side(b, 2),
      side(c, 0),
      side(c, 1),
      side(c, 2),
    ];
    normals[at] = uy * vz - uz * vy;
    normals[at + 1] = uz * vx - ux * vz;
    normals[at + 2] = ux * vy - uy * vx;
  }
  return normals;
}

/** For each vertex the number of its place. */
function weldPositions(positions: Float32Array): Uint32Array {
  const index = new VertexDeduplicator(3);
  const place = new Float32Array(3);
  const row = new Uint32Array(place.buffer);
  const places = new Uint32Array(positions.length / 3);
  for (let vertex = 0; vertex < places.length; vertex++) {
    // Adding zero makes -0 the same place as 0.
    for (let axis = 0; axis < 3; axis++) place[axis] = (positions[3 * vertex + axis] as number) + 0;
    places[vertex] = index.getOrAdd(row);
  }
  return places;
}

/** The corners at each place: those of place p stand from `starts[p]` to `starts[p + 1]`. */
function groupCornersByPosition(places: Uint32Array, indices: Uint32Array) {
  let count = 0;
  for (const place of places) count = Math.max(count, place + 1);
  const starts = new Uint32Array(count + 1);
  for (const vertex of indices) increment(starts, (places[vertex] as number) + 1, 1);
  for (let place = 0; place < count; place++) increment(starts, place + 1, starts[place] as number);
  const next = starts.slice();
  const corners = new Uint32Array(indices.length);
  indices.forEach((vertex, corner) => {
    const place = places[vertex] as number;
    corners[next[place] as number] = corner;
    increment(next, place, 1);
  });
  return { starts, corners };
}

/** Writes the normals of the corners at one place. */
function computeCornerNormals(
  corners: Uint32Array,
  faces: Float64Array,
  normals: Float32Array,
): void {
  const { fans, of } = groupFacesByDirection(corners, faces);
  const smoothed = fans.map((fan) => {
    const sum = new Float64Array(3);
    for (const other of fans) {
      if (dot(fan.direction, other.direction) < CREASE_COSINE) continue;
      for (let axis = 0; axis < 3; axis++) increment(sum, axis, other.normalSum[axis] as number);
    }
    return normalizeVector(sum);
  });
  corners.forEach((corner, at) => {
    normals.set(smoothed[of[at] as number] as Float64Array, 3 * corner);
  });
}

/** The faces at a place, each for itself or, in a crowd, put together by direction. */
function groupFacesByDirection(
  corners: Uint32Array,
  faces: Float64Array,
): { fans: FaceGroup[]; of: number[] } {
  const fans: FaceGroup[] = [];
  const crowd = corners.length > MAX_UNGROUPED_FACES ? new Map<number, number>() : undefined;
  const of = Array.from(corners, (corner) => {
    const face = corner - (corner % 3);
    const normalSum = faces.slice(face, face + 3);
    const direction = normalizeVector(normalSum);
    const cell = toDirectionCell(direction);
    const known = crowd?.get(cell);
    if (known === undefined) {
      crowd?.set(cell, fans.length);
      return fans.push({ normalSum, direction }) - 1;
    }
    const fan = fans[known] as FaceGroup;
    for (let axis = 0; axis < 3; axis++) increment(fan.normalSum, axis, normalSum[axis] as number);
    return known;
  });
  if (crowd) for (const fan of fans) fan.direction = normalizeVector(fan.normalSum);
  return { fans, of };
}

function toDirectionCell([x = 0, y = 0, z = 0]: Float64Array): number {
  const step = (value: number) => Math.round(((value + 1) / 2) * DIRECTION_STEPS);
  return (step(x) * 16 + step(y)) * 16 + step(z);
}

/** One vertex for each pair of a vertex and a normal that is in use. */
function splitVerticesByNormal(geometry: MeshGeometry, normals: Float32Array): MeshGeometry {
  const { indices } = geometry;
  const sources = createGrowableIndices();
  const kept = createGrowableFloats();
  const first = new Int32Array(geometry.positions.length / 3).fill(-1);
  const following = createGrowableIndices();
  const corners = new Uint32Array(indices.length);
  const NONE = 0xffffffff;
  for (let corner = 0; corner < indices.length; corner++) {
    const vertex = indices[corner] as number;
    const x = normals[3 * corner] as number;
    const y = normals[3 * corner + 1] as number;
    const z = normals[3 * corner + 2] as number;
    let found = first[vertex] as number;
    while (
      found >= 0 &&
      x * kept.at(3 * found) + y * kept.at(3 * found + 1) + z * kept.at(3 * found + 2) <
        SAME_NORMAL_COSINE
    ) {
      const next = following.at(found);
      found = next === NONE ? -1 : next;
    }
    if (found < 0) {
      found = sources.length;
      sources.push(vertex);
      kept.push3(x, y, z);
      following.push((first[vertex] as number) < 0 ? NONE : (first[vertex] as number));
      first[vertex] = found;
    }
    corners[corner] = found;
  }
  return {
    ...gatherVertices(geometry, sources.toTypedArray()),
    normals: kept.toTypedArray(),
    indices: corners,
  };
}

function gatherVertices({ positions, colors, texCoords }: MeshGeometry, sources: Uint32Array) {
  const pickFrom = <Numbers extends Float32Array | Uint16Array>(array: Numbers, width: number) => {
    const picked = new (array.constructor as new (length: number) => Numbers)(
      sources.length * width,
    );
    sources.forEach((source, at) => {
      for (let axis = 0; axis < width; axis++) {
        picked[at * width + axis] = array[source * width + axis] as number;
      }
    });
    return picked;
  };
  return {
    positions: pickFrom(positions, 3),
    colors: colors && pickFrom(colors, 4),
    texCoords: texCoords && pickFrom(texCoords, 2),
  };
}

function increment(array: Float64Array | Uint32Array, at: number, by: number): void {
  array[at] = (array[at] as number) + by;
}

function dot(
  [ax = 0, ay = 0, az = 0]: Float64Array,
  [bx = 0, by = 0, bz = 0]: Float64Array,
): number {
  return ax * bx + ay * by + az * bz;
}

/** Faces without area have no direction: theirs is up, so that the normal is a valid one. */
function normalizeVector(vector: ArrayLike<number>): Float64Array {
  const [x, y, z] = [vector[0] as number, vector[1] as number, vector[2] as number];
  const length = Math.hypot(x, y, z);
  return length > 0 && length < Infinity
    ? Float64Array.of(x / length, y / length, z / length)
    : Float64Array.of(0, 1, 0);
}
