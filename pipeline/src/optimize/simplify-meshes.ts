/**
 * Removes vertices and triangles, and reorders the others for compression and rendering.
 *
 * Notes (November 2026, before the order was chosen by the size in transfer: decision 0086). Bytes of the model, SSIM to the original (least of three sides):
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
import type { ProcessingWarning } from '@cloche/contract/design';
import { Accessor, type Document, type Mesh, type Primitive } from '@gltf-transform/core';
import { MeshoptEncoder, MeshoptSimplifier } from 'meshoptimizer';
import { dropRedundantTriangles } from './drop-redundant-triangles.ts';
import { limitTriangles } from './limit-triangles.ts';
import { countSceneTriangles, findDefaultScene } from './model-counts.ts';
import { orderDepthFirst } from './order/depth-first-order.ts';
import { createTransferEstimator } from './order/estimate-transfer-bytes.ts';
import { MAX_COMPARED_TRIANGLES, reorderMeshes } from './order/reorder-meshes.ts';
import { computeSceneExtent } from './scene-bounds.ts';
import { setTriangles, simplifyGeometry, toSimplifiableGeometry } from './simplify-primitive.ts';
import { weldPrimitive } from './weld-primitive.ts';
import { computeMaxWorldScale, computeMeshExtent } from './world-scale.ts';

/** Relative to the extent of the scene: a seventh of a pixel when the scene fills 1440 pixels. */
const MAX_SCENE_ERROR = 1e-4;
/** Relative to the extent of the mesh itself, for visitors who zoom in on a small part. */
const MAX_MESH_ERROR = 5e-4;
/** With more triangles, relative to the budget, a visible loss cannot be avoided. */
const MAX_BUDGET_RATIO = 2;
/** Bytes in transfer that outweigh a triangle, which takes time and memory to decode and to render. */
const TRIANGLE_BYTES = 0.5;

/**
 * Welds equal vertices, removes triangles that make no visible difference, then others above
 * `maxTriangles`, and reorders the rest.
 */
export async function simplifyMeshes(
  document: Document,
  maxTriangles: number,
): Promise<ProcessingWarning[]> {
  await Promise.all([MeshoptSimplifier.ready, MeshoptEncoder.ready]);
  // Models that this service has written have integer positions, and are in this order already.
  const hasFloats = document.getRoot().listMeshes().some(hasFloatPositions);
  const before = countSceneTriangles(findDefaultScene(document));
  for (const primitive of document
    .getRoot()
    .listMeshes()
    .flatMap((mesh) => mesh.listPrimitives())) {
    weldPrimitive(primitive);
    dropRedundantTriangles(primitive);
  }
  removeEmptyPrimitives(document);
  const triangles = countSceneTriangles(findDefaultScene(document));
  // The first round of limitTriangles() removes the same triangles.
  if (triangles <= MAX_BUDGET_RATIO * maxTriangles)
    simplifyInvisibly(document, triangles <= maxTriangles ? TRIANGLE_BYTES : Infinity);
  await limitTriangles(document, maxTriangles);
  const after = countSceneTriangles(findDefaultScene(document));
  if (hasFloats || after < before) await reorderMeshes(document);
  return before > maxTriangles ? [createWarning({ before, after, maxTriangles })] : [];
}

/** Nothing of a primitive is left if all of its triangles have no area. */
function removeEmptyPrimitives(document: Document): void {
  for (const mesh of document.getRoot().listMeshes()) {
    for (const primitive of mesh.listPrimitives())
      if (primitive.getIndices()?.getCount() === 0) primitive.dispose();
    if (mesh.listPrimitives().length === 0) mesh.dispose();
  }
}

function createWarning(counts: { before: number; after: number; maxTriangles: number }) {
  const [before, after, limit] = [counts.before, counts.after, counts.maxTriangles].map((count) =>
    count.toLocaleString('en-US'),
  );
  const reason = `The limit is ${limit}: maxTriangles of the design or, if it has none, CLOCHE_MAX_TRIANGLES.`;
  if (counts.after <= counts.maxTriangles)
    return {
      code: 'geometry.simplified',
      message: `${before} triangles were reduced to ${after}. ${reason}`,
    };
  const message = `The design has ${after} triangles. ${reason} Its parts cannot be simplified more: remove or merge small ones.`;
  return { code: 'geometry.over-limit', message };
}

/**
 * Removes triangles that make no visible difference, unless that costs more than `triangleBytes` in transfer for each:
 * those of a regular mesh compress better together.
 */
function simplifyInvisibly(document: Document, triangleBytes: number): void {
  const sceneExtent = computeSceneExtent(document);
  for (const mesh of document.getRoot().listMeshes()) {
    const error = Math.min(
      (MAX_SCENE_ERROR * sceneExtent) / computeMaxWorldScale(mesh),
      MAX_MESH_ERROR * computeMeshExtent(mesh),
    );
    for (const primitive of mesh.listPrimitives()) {
      // A skin or morph targets show the mesh in other shapes than the stored one.
      const isDeformed = primitive.listTargets().length > 0 || primitive.getAttribute('JOINTS_0');
      if (!isDeformed) simplifyPrimitive(primitive, error, triangleBytes);
    }
  }
}

function simplifyPrimitive(primitive: Primitive, error: number, triangleBytes: number): void {
  if (!hasFloatPosition(primitive)) return;
  const geometry = toSimplifiableGeometry(primitive);
  if (geometry === undefined) return;
  const { indices } = geometry;
  const { indices: simplified } = simplifyGeometry(geometry, { error });
  const savedBytes = (triangleBytes * (indices.length - simplified.length)) / 3;
  const isLarge = indices.length > 3 * MAX_COMPARED_TRIANGLES;
  if (
    isLarge ||
    savedBytes === Infinity ||
    isWithinBytes(primitive, { indices, simplified, savedBytes })
  )
    setTriangles(primitive, simplified);
}

type Simplification = { indices: Uint32Array; simplified: Uint32Array; savedBytes: number };

/** Whether simplification makes a primitive smaller, or larger by no more than `savedBytes`. */
function isWithinBytes(
  primitive: Primitive,
  { indices, simplified, savedBytes }: Simplification,
): boolean {
  if (savedBytes <= 0) return false;
  const estimate = createTransferEstimator(primitive);
  const vertexCount = primitive.getAttribute('POSITION')?.getCount() ?? 0;
  const bytes = estimate(orderDepthFirst(simplified, vertexCount));
  return (
    bytes <= savedBytes || bytes <= savedBytes + estimate(orderDepthFirst(indices, vertexCount))
  );
}

function hasFloatPositions(mesh: Mesh): boolean {
  return mesh.listPrimitives().some(hasFloatPosition);
}

function hasFloatPosition(primitive: Primitive): boolean {
  const position = primitive.getAttribute('POSITION');
  return position?.getComponentType() === Accessor.ComponentType.FLOAT;
}
