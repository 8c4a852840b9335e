import type { Box } from '@cloche/contract/framed';
import { primitiveBox } from './geometry.ts';
import { instancesBox } from './instances.ts';
import { IDENTITY, type Matrix, multiply, transformBox, unite } from './matrix.ts';
import type { Mesh } from './meshes.ts';
import type { Forest, Node } from './nodes.ts';
import type { Scans } from './scans.ts';
import type { Skin } from './skins.ts';

/** From each node's space to the scene's. */
export function worldMatrices({ nodes, parents, order }: Forest): Matrix[] {
  const worlds: Matrix[] = [];
  for (const index of order) {
    const parent = parents[index] ?? -1;
    const local = nodes[index]?.local ?? IDENTITY;
    worlds[index] = parent === -1 ? local : multiply(worlds[parent] ?? IDENTITY, local);
  }
  return worlds;
}

/** The box around what the shown nodes draw, at rest: morphs and animations do not count. */
export function sceneBox(forest: Forest, shown: Uint8Array, scans: Scans): Box | undefined {
  const worlds = worldMatrices(forest);
  const boxes = new Map<Mesh, Box | undefined>();
  let scene: Box | undefined;
  for (const [index, node] of forest.nodes.entries()) {
    const { mesh, instances } = node;
    if (mesh === undefined || shown[index] !== 1) continue;
    if (!boxes.has(mesh)) boxes.set(mesh, meshBox(mesh, scans));
    const own = boxes.get(mesh);
    if (own === undefined) continue;
    const all = instances === undefined ? own : instancesBox(own, instances, scans);
    const box = placeBox(node, all, worlds[index] ?? IDENTITY, { worlds, scans });
    if (![...box.min, ...box.max].every((value) => Number.isFinite(Math.fround(value)))) {
      node.part.fail('transform', 'is moved or scaled out of all bounds');
    }
    scene = unite(scene, box);
  }
  return scene;
}

function meshBox({ primitives }: Mesh, scans: Scans): Box | undefined {
  let mesh: Box | undefined;
  for (const primitive of primitives) {
    const box = primitiveBox(primitive, scans);
    if (box !== undefined) mesh = unite(mesh, box);
  }
  return mesh;
}

type Places = { worlds: Matrix[]; scans: Scans };

/** A skinned mesh stands where its joints are; the node it hangs on does not move it. */
function placeBox({ skin, mesh }: Node, box: Box, world: Matrix, places: Places): Box {
  const isSkinned = skin !== undefined && mesh?.primitives.some(({ joints }) => joints.length > 0);
  return isSkinned ? skinnedBox(skin, box, places) : transformBox(world, box);
}

/**
 * The mesh as its first joint moves it: exact in the pose it was bound in, where all joints move it
 * alike, and near enough in others. With compressed bind matrices, the box around the joints.
 */
function skinnedBox(skin: Skin, box: Box, { worlds, scans }: Places): Box {
  const { joints, inverseBindMatrices: matrices } = skin;
  const first = worlds[joints[0] ?? 0] ?? IDENTITY;
  if (matrices === undefined) return transformBox(first, box);
  const inverse = matrices.base.kind === 'packed' ? undefined : scans.extentOf(matrices)?.first;
  if (inverse !== undefined) return transformBox(multiply(first, inverse), box);

  const point: Box = { min: [0, 0, 0], max: [0, 0, 0] };
  return joints
    .map((joint) => transformBox(worlds[joint] ?? IDENTITY, point))
    .reduce((all, joint) => unite(all, joint));
}
