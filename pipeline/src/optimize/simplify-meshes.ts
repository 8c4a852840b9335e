/**
 * Fewer vertices and triangles, in an order that compresses and draws well.
 *
 * Notes (November 2026). Bytes of the model, SSIM to the original (least of three sides):
 *
 *                              FlightHelmet       WaterBottle   Tower
 *   nothing dropped            861,452  0.9929    212,700       73,820
 *   scene error 5e-5           859,728            212,260       73,228
 *   1e-4                       852,400  0.9929    212,132       73,228   chosen
 *   2e-4                       832,144  0.9928    211,620       73,228
 *   4e-4                       809,632  0.9928    210,652       73,228
 *   1e-4, in no new order      910,368            212,340       73,576
 *   1e-4, order for the GPU    880,400            213,172       73,708
 *
 * Pictures of the whole would bear 4e-4 and 5 % less, but people come closer: a seventh of a pixel
 * stays unseen at seven times the size. Without the mesh's own bound Tower would be 72,448, with a
 * quarter fewer triangles, all taken from parts smaller than a fifth of it.
 */
import { Accessor, type Document, type Mesh, type Node } from '@gltf-transform/core';
import type { InstancedMesh } from '@gltf-transform/extensions';
import { reorder, weldPrimitive } from '@gltf-transform/functions';
import { MeshoptEncoder, MeshoptSimplifier } from 'meshoptimizer';
import { pruneUnused } from './clean.ts';
import { computeSceneExtent } from './scene-bounds.ts';
import { simplifyPrimitive } from './simplify-primitive.ts';

/** Of the largest extent of the scene: a seventh of a pixel where it fills 1440 of them. */
const MAX_SCENE_ERROR = 1e-4;
/** Of the largest extent of the mesh itself, for those who come close to a small part. */
const MAX_MESH_ERROR = 5e-4;

/** Shares equal vertices, drops triangles that make no difference, and puts the rest in order. */
export async function simplifyMeshes(document: Document): Promise<void> {
  await MeshoptSimplifier.ready;
  const world = computeSceneExtent(document);
  // What comes out of here has whole numbers, and is in order.
  const fresh = document.getRoot().listMeshes().some(hasFloatPositions);
  for (const mesh of document.getRoot().listMeshes()) {
    const error = Math.min(
      (MAX_SCENE_ERROR * world) / computeMaxWorldScale(mesh),
      MAX_MESH_ERROR * computeMeshExtent(mesh),
    );
    for (const primitive of mesh.listPrimitives()) {
      weldPrimitive(primitive);
      // What bends is seen in other poses than the one it is stored in.
      const bends = primitive.listTargets().length > 0 || primitive.getAttribute('JOINTS_0');
      if (!bends) simplifyPrimitive(primitive, { error });
    }
  }
  if (fresh) await reorderMeshes(document);
}

function hasFloatPositions(mesh: Mesh): boolean {
  return mesh
    .listPrimitives()
    .some((it) => it.getAttribute('POSITION')?.getComponentType() === Accessor.ComponentType.FLOAT);
}

/** Puts triangles and vertices into the order that compresses best, which draws well too. */
export async function reorderMeshes(document: Document): Promise<void> {
  await document.transform(
    reorder({ encoder: MeshoptEncoder, target: 'size', cleanup: false }),
    pruneUnused(),
  );
}

/** How much larger than itself a mesh is shown, at most. */
export function computeMaxWorldScale(mesh: Mesh): number {
  const nodes = mesh.listParents().filter((it): it is Node => it.propertyType === 'Node');
  return Math.max(1e-12, ...nodes.map(computeNodeMaxScale));
}

function computeNodeMaxScale(node: Node): number {
  const batch = node.getExtension<InstancedMesh>('EXT_mesh_gpu_instancing');
  const scales = batch?.getAttribute('SCALE');
  const ends = scales ? [...scales.getMin([]), ...scales.getMax([])] : [1];
  return Math.max(...node.getWorldScale().map(Math.abs)) * Math.max(...ends.map(Math.abs));
}

/** The longest side of the box around a mesh. */
export function computeMeshExtent(mesh: Mesh): number {
  let extent = 0;
  for (const primitive of mesh.listPrimitives()) {
    const [low, high] = [
      primitive.getAttribute('POSITION')?.getMinNormalized([]) ?? [],
      primitive.getAttribute('POSITION')?.getMaxNormalized([]) ?? [],
    ];
    for (const [axis, end] of high.entries()) extent = Math.max(extent, end - (low[axis] ?? 0));
  }
  return extent;
}
