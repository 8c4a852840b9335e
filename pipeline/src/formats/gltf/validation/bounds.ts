import type { BoundingBox } from '@cloche/contract/viewer-config';
import {
  IDENTITY_MATRIX,
  type Matrix4,
  multiplyMatrices,
  transformBox,
  unionBoxes,
} from '../../../mesh/matrix.ts';
import type { AccessorScanner } from './accessor-scanner.ts';
import { computePrimitiveBox } from './geometry.ts';
import { computeInstancesBox } from './instances.ts';
import type { GltfMesh } from './meshes.ts';
import type { GltfNode, NodeHierarchy } from './node-hierarchy.ts';
import type { GltfSkin } from './skins.ts';

/** From each node's space to the scene's. */
export function computeWorldMatrices({
  nodes,
  parents,
  topologicalOrder,
}: NodeHierarchy): Matrix4[] {
  const worlds: Matrix4[] = [];
  for (const index of topologicalOrder) {
    const parent = parents[index] ?? -1;
    const local = nodes[index]?.localMatrix ?? IDENTITY_MATRIX;
    worlds[index] =
      parent === -1 ? local : multiplyMatrices(worlds[parent] ?? IDENTITY_MATRIX, local);
  }
  return worlds;
}

/** The box around what the shown nodes draw, at rest: morphs and animations do not count. */
export function computeSceneBox(
  forest: NodeHierarchy,
  shown: Uint8Array,
  scanner: AccessorScanner,
): BoundingBox | undefined {
  const worlds = computeWorldMatrices(forest);
  const boxes = new Map<GltfMesh, BoundingBox | undefined>();
  let scene: BoundingBox | undefined;
  for (const [index, node] of forest.nodes.entries()) {
    const { mesh, instances } = node;
    if (mesh === undefined || shown[index] !== 1) continue;
    if (!boxes.has(mesh)) boxes.set(mesh, computeMeshBox(mesh, scanner));
    const own = boxes.get(mesh);
    if (own === undefined) continue;
    const all = instances === undefined ? own : computeInstancesBox(own, instances, scanner);
    const box = transformNodeBox(node, all, worlds[index] ?? IDENTITY_MATRIX, {
      worldMatrices: worlds,
      scanner,
    });
    if (![...box.min, ...box.max].every((value) => Number.isFinite(Math.fround(value)))) {
      node.json.fail('transform', 'is moved or scaled out of all bounds');
    }
    scene = unionBoxes(scene, box);
  }
  return scene;
}

function computeMeshBox({ primitives }: GltfMesh, scans: AccessorScanner): BoundingBox | undefined {
  let mesh: BoundingBox | undefined;
  for (const primitive of primitives) {
    const box = computePrimitiveBox(primitive, scans);
    if (box !== undefined) mesh = unionBoxes(mesh, box);
  }
  return mesh;
}

type BoundsContext = { worldMatrices: Matrix4[]; scanner: AccessorScanner };

/** A skinned mesh stands where its joints are; the node it hangs on does not move it. */
function transformNodeBox(
  { skin, mesh }: GltfNode,
  box: BoundingBox,
  world: Matrix4,
  places: BoundsContext,
): BoundingBox {
  const isSkinned =
    skin !== undefined && mesh?.primitives.some(({ jointAccessors }) => jointAccessors.length > 0);
  return isSkinned ? computeSkinnedBox(skin, box, places) : transformBox(world, box);
}

/**
 * The mesh as its first joint moves it: exact in the pose it was bound in, where all joints move it
 * alike, and near enough in others. With compressed bind matrices, the box around the joints.
 */
function computeSkinnedBox(
  skin: GltfSkin,
  box: BoundingBox,
  { worldMatrices, scanner }: BoundsContext,
): BoundingBox {
  const { jointNodes, inverseBindMatrices: matrices } = skin;
  const first = worldMatrices[jointNodes[0] ?? 0] ?? IDENTITY_MATRIX;
  if (matrices === undefined) return transformBox(first, box);
  const inverse =
    matrices.storage.kind === 'compressed' ? undefined : scanner.findExtent(matrices)?.firstElement;
  if (inverse !== undefined) return transformBox(multiplyMatrices(first, inverse), box);

  const point: BoundingBox = { min: [0, 0, 0], max: [0, 0, 0] };
  return jointNodes
    .map((joint) => transformBox(worldMatrices[joint] ?? IDENTITY_MATRIX, point))
    .reduce((all, joint) => unionBoxes(all, joint));
}
