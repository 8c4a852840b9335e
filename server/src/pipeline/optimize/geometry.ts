/**
 * Fewer vertices and triangles, in an order that compresses and draws well.
 *
 * Notes (November 2026):
 * TODO numbers
 */
import { Accessor, type Document, type Mesh, type Node } from '@gltf-transform/core';
import type { InstancedMesh } from '@gltf-transform/extensions';
import { reorder, weldPrimitive } from '@gltf-transform/functions';
import { MeshoptEncoder, MeshoptSimplifier } from 'meshoptimizer';
import { worldExtent } from './bounds.ts';
import { pruneUnused } from './clean.ts';
import { simplify } from './simplify.ts';

/** Of the largest extent of the scene: a seventh of a pixel where it fills 1440 of them. */
const SCENE_ERROR = 1e-4;
/** Of the largest extent of the mesh itself, for those who come close to a small part. */
const MESH_ERROR = 5e-4;

/** Shares equal vertices, drops triangles that make no difference, and puts the rest in order. */
export async function refine(document: Document): Promise<void> {
  await MeshoptSimplifier.ready;
  const world = worldExtent(document);
  // What comes out of here has whole numbers, and is in order.
  const fresh = document.getRoot().listMeshes().some(hasFloats);
  for (const mesh of document.getRoot().listMeshes()) {
    const error = Math.min((SCENE_ERROR * world) / largestScale(mesh), MESH_ERROR * extentOf(mesh));
    for (const primitive of mesh.listPrimitives()) {
      weldPrimitive(primitive);
      // What bends is seen in other poses than the one it is stored in.
      const bends = primitive.listTargets().length > 0 || primitive.getAttribute('JOINTS_0');
      if (!bends) simplify(primitive, { error });
    }
  }
  if (fresh) await order(document);
}

function hasFloats(mesh: Mesh): boolean {
  return mesh
    .listPrimitives()
    .some((it) => it.getAttribute('POSITION')?.getComponentType() === Accessor.ComponentType.FLOAT);
}

/** Puts triangles and vertices into the order that compresses best, which draws well too. */
export async function order(document: Document): Promise<void> {
  await document.transform(
    reorder({ encoder: MeshoptEncoder, target: 'size', cleanup: false }),
    pruneUnused(),
  );
}

/** How much larger than itself a mesh is shown, at most. */
export function largestScale(mesh: Mesh): number {
  const nodes = mesh.listParents().filter((it): it is Node => it.propertyType === 'Node');
  return Math.max(1e-12, ...nodes.map(scaleOf));
}

function scaleOf(node: Node): number {
  const batch = node.getExtension<InstancedMesh>('EXT_mesh_gpu_instancing');
  const scales = batch?.getAttribute('SCALE');
  const ends = scales ? [...scales.getMin([]), ...scales.getMax([])] : [1];
  return Math.max(...node.getWorldScale().map(Math.abs)) * Math.max(...ends.map(Math.abs));
}

/** The longest side of the box around a mesh. */
export function extentOf(mesh: Mesh): number {
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
