import type { Budget } from '../../../validation/budgets.ts';
import type { GltfAccessor } from './accessor.ts';
import type { GltfMesh } from './meshes.ts';
import type { NodeHierarchy } from './node-hierarchy.ts';

/** Counts what all nodes draw, up to the limits, and returns the triangles of the visible nodes. */
export function countDrawnTriangles(
  { nodes }: NodeHierarchy,
  visibleNodes: Uint8Array,
  budget: Budget,
): number {
  let triangles = 0;
  for (const [index, { json, mesh, instances }] of nodes.entries()) {
    if (mesh === undefined) continue;
    const draws = mesh.primitives.length;
    const instanceCount = instances?.count ?? 1;
    const drawn = instanceCount * sum(mesh.primitives.map((primitive) => primitive.triangleCount));
    budget.add('draws', draws, json);
    budget.add('triangles', drawn, json);
    if (instances !== undefined) {
      budget.add('instances', instanceCount, json);
      // A matrix of 16 floats for each instance of each primitive.
      budget.add('geometryBytes', 64 * instanceCount * draws, json);
    }
    if (visibleNodes[index] === 1) triangles += drawn;
  }
  return triangles;
}

/** Counts each stored vertex once, however many primitives share it. */
export function countVertices(meshes: readonly GltfMesh[], budget: Budget): number {
  const counted = new Set<GltfAccessor>();
  for (const { position, json } of meshes.flatMap(({ primitives }) => primitives)) {
    if (position === undefined || counted.has(position)) continue;
    counted.add(position);
    budget.add('vertices', position.count, json);
  }
  return budget.getTotal('vertices');
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
