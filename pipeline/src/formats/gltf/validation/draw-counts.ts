import type { Budget } from '../../../validation/budgets.ts';
import type { GltfAccessor } from './accessor.ts';
import type { AccessorScanner } from './accessor-scanner.ts';
import type { GltfMesh } from './meshes.ts';
import type { GltfNode, NodeHierarchy } from './node-hierarchy.ts';

/** Counts what all nodes draw against the limits; gives the triangles of those that are shown. */
export function countDrawnTriangles(
  { nodes }: NodeHierarchy,
  shown: Uint8Array,
  tally: Budget,
): number {
  let triangles = 0;
  for (const [index, { json, mesh, instances }] of nodes.entries()) {
    if (mesh === undefined) continue;
    const draws = mesh.primitives.length;
    const copies = instances?.count ?? 1;
    const drawn = copies * sum(mesh.primitives.map((primitive) => primitive.triangleCount));
    tally.add('draws', draws, json);
    tally.add('triangles', drawn, json);
    if (instances !== undefined) {
      tally.add('instances', copies, json);
      // A matrix of floats for each copy, for each primitive.
      tally.add('geometryBytes', 64 * copies * draws, json);
    }
    if (shown[index] === 1) triangles += drawn;
  }
  return triangles;
}

/** Counts each stored vertex once, however many primitives share it. */
export function countVertices(meshes: readonly GltfMesh[], tally: Budget): number {
  const counted = new Set<GltfAccessor>();
  for (const { position, json } of meshes.flatMap(({ primitives }) => primitives)) {
    if (position === undefined || counted.has(position)) continue;
    counted.add(position);
    tally.add('vertices', position.count, json);
  }
  return tally.getTotal('vertices');
}

/** Checks that a skinned mesh names no joint its skin lacks: the viewer would look it up. */
export function validateJoints({ json, mesh, skin }: GltfNode, scans: AccessorScanner): void {
  if (mesh === undefined || skin === undefined) return;
  for (const joints of mesh.primitives.flatMap((primitive) => primitive.jointAccessors)) {
    const highest =
      joints.storage.kind === 'compressed'
        ? 0
        : Math.max(...(scans.findExtent(joints)?.max ?? [0]));
    if (highest >= skin.jointNodes.length) {
      json.fail(
        'joint',
        `is skinned to joint ${highest}, but its skin has ${skin.jointNodes.length}`,
      );
    }
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
