/**
 * Removes vertices and triangles, and reorders the others for compression and rendering.
 *
 * Notes (November 2026). Bytes of the model, SSIM to the original (least of three sides):
 *
 *                              FlightHelmet       WaterBottle   Tower
 *   no triangles removed       861,452  0.9929    212,700       73,820
 *   scene error 5e-5           859,728            212,260       73,228
 *   1e-4                       852,400  0.9929    212,132       73,228   chosen
 *   2e-4                       832,144  0.9928    211,620       73,228
 *   4e-4                       809,632  0.9928    210,652       73,228
 *   1e-4, not reordered        910,368            212,340       73,576
 *   1e-4, order for the GPU    880,400            213,172       73,708
 *
 * In images of the whole model, 4e-4 would be acceptable and 5 % smaller, but visitors zoom in: an
 * error of a seventh of a pixel is still invisible at seven times the size. Without the limit
 * relative to the mesh, Tower would have 72,448 bytes and a quarter fewer triangles, all removed from
 * parts that are smaller than a fifth of the model.
 */
import { Accessor, type Document, type Mesh } from '@gltf-transform/core';
import { reorder } from '@gltf-transform/functions';
import { MeshoptEncoder, MeshoptSimplifier } from 'meshoptimizer';
import { pruneUnused } from './clean.ts';
import { dropRedundantTriangles } from './drop-redundant-triangles.ts';
import { computeSceneExtent } from './scene-bounds.ts';
import { simplifyPrimitive } from './simplify-primitive.ts';
import { splitCrowdedVertices } from './vertex-valence.ts';
import { weldPrimitive } from './weld-primitive.ts';
import { computeMaxWorldScale } from './world-scale.ts';

/** Relative to the extent of the scene: a seventh of a pixel when the scene fills 1440 pixels. */
const MAX_SCENE_ERROR = 1e-4;
/** Relative to the extent of the mesh itself, for visitors who zoom in on a small part. */
const MAX_MESH_ERROR = 5e-4;

/** Welds equal vertices, removes triangles that make no visible difference, and reorders the rest. */
export async function simplifyMeshes(document: Document): Promise<void> {
  await MeshoptSimplifier.ready;
  const sceneExtent = computeSceneExtent(document);
  // Models that this service has written have integer positions, and are in this order already.
  const needsReorder = document.getRoot().listMeshes().some(hasFloatPositions);
  for (const mesh of document.getRoot().listMeshes()) {
    const error = Math.min(
      (MAX_SCENE_ERROR * sceneExtent) / computeMaxWorldScale(mesh),
      MAX_MESH_ERROR * computeMeshExtent(mesh),
    );
    for (const primitive of mesh.listPrimitives()) {
      weldPrimitive(primitive);
      dropRedundantTriangles(primitive);
      // A skin or morph targets show the mesh in other shapes than the stored one.
      const isDeformed = primitive.listTargets().length > 0 || primitive.getAttribute('JOINTS_0');
      if (!isDeformed) simplifyPrimitive(primitive, { error });
    }
  }
  if (needsReorder) await reorderMeshes(document);
}

function hasFloatPositions(mesh: Mesh): boolean {
  return mesh
    .listPrimitives()
    .some(
      (primitive) =>
        primitive.getAttribute('POSITION')?.getComponentType() === Accessor.ComponentType.FLOAT,
    );
}

/** Reorders triangles and vertices for the best compression, which also renders well. */
export async function reorderMeshes(document: Document): Promise<void> {
  for (const mesh of document.getRoot().listMeshes()) {
    mesh.listPrimitives().forEach(splitCrowdedVertices);
  }
  await document.transform(
    reorder({ encoder: MeshoptEncoder, target: 'size', cleanup: false }),
    pruneUnused(),
  );
}

/** Computes the longest side of the bounding box of a mesh. */
function computeMeshExtent(mesh: Mesh): number {
  let extent = 0;
  for (const primitive of mesh.listPrimitives()) {
    const position = primitive.getAttribute('POSITION');
    const min = position?.getMinNormalized([]) ?? [];
    const max = position?.getMaxNormalized([]) ?? [];
    for (const [axis, value] of max.entries()) extent = Math.max(extent, value - (min[axis] ?? 0));
  }
  return extent;
}
