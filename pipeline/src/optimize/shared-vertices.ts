import type { mat4 } from '@gltf-transform/core';
import { VertexDeduplicator } from '../mesh/growable-array.ts';
import type { SimplifiableGeometry } from './simplify-primitive.ts';

/** A part of a scene; `matrix` is the transform to the scene. */
type PlacedGeometry = { geometry: SimplifiableGeometry; matrix: mat4 };

/** Positions closer than this are equal, relative to the longest side of the scene. */
const TOLERANCE = 2e-7;
/** Above this share of its vertices, what a part has in common with others is no border: a copy of it. */
const MAX_SHARED_VERTICES = 0.25;

/**
 * Locks the vertices that several parts have in common, so that simplification opens no gap between
 * the parts. Returns a function that unlocks them.
 */
export function lockSharedVertices(
  parts: readonly PlacedGeometry[],
  sceneExtent: number,
): () => void {
  if (parts.length < 2) return () => undefined;
  const originals = parts.map(({ geometry }) => geometry.locked);
  const ids = identifyPositions(parts, sceneExtent * TOLERANCE || 1);
  const shared = findSharedIds(ids);
  for (const [index, { geometry }] of parts.entries()) {
    const partIds = ids[index] as Uint32Array;
    let count = 0;
    const locked = geometry.locked.map((value, vertex) => {
      const isShared = shared[partIds[vertex] as number] === 1;
      if (isShared) count++;
      return isShared ? 1 : value;
    });
    if (count <= MAX_SHARED_VERTICES * locked.length) geometry.locked = locked;
  }
  return () => {
    for (const [index, { geometry }] of parts.entries()) {
      geometry.locked = originals[index] as Uint8Array;
    }
  };
}

/** For each part, the id of the position of each vertex. Equal positions have the same id. */
function identifyPositions(parts: readonly PlacedGeometry[], step: number): Uint32Array[] {
  const deduplicator = new VertexDeduplicator(3);
  const cell = new Int32Array(3);
  const row = new Uint32Array(cell.buffer);
  return parts.map(({ geometry: { positions }, matrix }) => {
    const ids = new Uint32Array(positions.length / 3);
    for (let vertex = 0; vertex < ids.length; vertex++) {
      const x = positions[3 * vertex] as number;
      const y = positions[3 * vertex + 1] as number;
      const z = positions[3 * vertex + 2] as number;
      for (let axis = 0; axis < 3; axis++) {
        const coordinate =
          (matrix[axis] as number) * x +
          (matrix[4 + axis] as number) * y +
          (matrix[8 + axis] as number) * z +
          (matrix[12 + axis] as number);
        cell[axis] = Math.round(coordinate / step);
      }
      ids[vertex] = deduplicator.getOrAdd(row);
    }
    return ids;
  });
}

/** Returns 1 for each id that vertices of different parts have. */
function findSharedIds(ids: readonly Uint32Array[]): Uint8Array {
  const count = ids.reduce(
    (max, partIds) => partIds.reduce((partMax, id) => Math.max(partMax, id + 1), max),
    0,
  );
  const shared = new Uint8Array(count);
  const firstPart = new Int32Array(count).fill(-1);
  for (const [part, partIds] of ids.entries()) {
    for (const id of partIds) {
      if (firstPart[id] === -1) firstPart[id] = part;
      else if (firstPart[id] !== part) shared[id] = 1;
    }
  }
  return shared;
}
