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

/** Computes the matrices from each node's space to the scene's. */
function computeWorldMatrices({ nodes, parents, topologicalOrder }: NodeHierarchy): Matrix4[] {
  const worlds: Matrix4[] = [];
  for (const index of topologicalOrder) {
    const parent = parents[index] ?? -1;
    const local = nodes[index]?.localMatrix ?? IDENTITY_MATRIX;
    worlds[index] =
      parent === -1 ? local : multiplyMatrices(worlds[parent] ?? IDENTITY_MATRIX, local);
  }
  return worlds;
}

/** Computes the bounding box of the visible nodes, without morph targets and animations. */
export function computeSceneBox(
  hierarchy: NodeHierarchy,
  visibleNodes: Uint8Array,
  scanner: AccessorScanner,
): BoundingBox | undefined {
  const worlds = computeWorldMatrices(hierarchy);
  const boxes = new Map<GltfMesh, BoundingBox | undefined>();
  let scene: BoundingBox | undefined;
  for (const [index, node] of hierarchy.nodes.entries()) {
    const { mesh, instances } = node;
    if (mesh === undefined || visibleNodes[index] !== 1) continue;
    if (!boxes.has(mesh)) boxes.set(mesh, computeMeshBox(mesh, scanner));
    const meshBox = boxes.get(mesh);
    if (meshBox === undefined) continue;
    const instancesBox =
      instances === undefined ? meshBox : computeInstancesBox(meshBox, instances, scanner);
    const box = transformNodeBox(node, instancesBox, worlds[index] ?? IDENTITY_MATRIX, {
      worldMatrices: worlds,
      scanner,
    });
    if (![...box.min, ...box.max].every((value) => Number.isFinite(Math.fround(value)))) {
      node.json.fail('transform', 'is moved or scaled beyond the range of 32-bit floats');
    }
    scene = unionBoxes(scene, box);
  }
  return scene;
}

function computeMeshBox(
  { primitives }: GltfMesh,
  scanner: AccessorScanner,
): BoundingBox | undefined {
  let mesh: BoundingBox | undefined;
  for (const primitive of primitives) {
    const box = computePrimitiveBox(primitive, scanner);
    if (box !== undefined) mesh = unionBoxes(mesh, box);
  }
  return mesh;
}

type BoundsContext = { worldMatrices: Matrix4[]; scanner: AccessorScanner };

/** Transforms the box of a mesh to the scene's space: by its joints if it is skinned, else by its node. */
function transformNodeBox(
  { skin, mesh }: GltfNode,
  box: BoundingBox,
  world: Matrix4,
  context: BoundsContext,
): BoundingBox {
  const isSkinned =
    skin !== undefined && mesh?.primitives.some(({ jointAccessors }) => jointAccessors.length > 0);
  return isSkinned ? computeSkinnedBox(skin, box, context) : transformBox(world, box);
}

/**
 * Transforms the box of a mesh by its first joint: exact in the bind pose, where all joints transform
 * it equally, and an approximation otherwise. If the bind matrices are compressed, returns the box
 * around the joints.
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
