import type { Accessor } from './accessor.ts';
import type { Tally } from './limits.ts';
import type { Mesh } from './meshes.ts';
import type { Forest, Node } from './nodes.ts';
import type { Scans } from './scans.ts';

/** Counts what all nodes draw against the limits; gives the triangles of those that are shown. */
export function countDrawn({ nodes }: Forest, shown: Uint8Array, tally: Tally): number {
  let triangles = 0;
  for (const [index, { part, mesh, instances }] of nodes.entries()) {
    if (mesh === undefined) continue;
    const draws = mesh.primitives.length;
    const copies = instances?.count ?? 1;
    const drawn = copies * sum(mesh.primitives.map((primitive) => primitive.triangles));
    tally.add('draws', draws, part);
    tally.add('triangles', drawn, part);
    if (instances !== undefined) {
      tally.add('instances', copies, part);
      // A matrix of floats for each copy, for each primitive.
      tally.add('geometryBytes', 64 * copies * draws, part);
    }
    if (shown[index] === 1) triangles += drawn;
  }
  return triangles;
}

/** Counts each stored vertex once, however many primitives share it. */
export function countVertices(meshes: readonly Mesh[], tally: Tally): number {
  const counted = new Set<Accessor>();
  for (const { position, part } of meshes.flatMap(({ primitives }) => primitives)) {
    if (position === undefined || counted.has(position)) continue;
    counted.add(position);
    tally.add('vertices', position.count, part);
  }
  return tally.sum('vertices');
}

/** Checks that a skinned mesh names no joint its skin lacks: the viewer would look it up. */
export function checkJoints({ part, mesh, skin }: Node, scans: Scans): void {
  if (mesh === undefined || skin === undefined) return;
  for (const joints of mesh.primitives.flatMap((primitive) => primitive.joints)) {
    const highest =
      joints.base.kind === 'packed' ? 0 : Math.max(...(scans.extentOf(joints)?.max ?? [0]));
    if (highest >= skin.joints.length) {
      part.fail('joint', `is skinned to joint ${highest}, but its skin has ${skin.joints.length}`);
    }
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
