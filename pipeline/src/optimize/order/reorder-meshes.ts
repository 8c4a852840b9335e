/**
 * Reorders triangles and vertices for the fewest bytes in transfer. Each primitive gets the smallest of three orders:
 * its own, meshoptimizer's strips, and depth first.
 */
import type { Accessor, Document, Primitive } from '@gltf-transform/core';
import { reorder } from '@gltf-transform/functions';
import { MeshoptEncoder } from 'meshoptimizer';
import { pruneUnused } from '../clean.ts';
import { isTriangleList } from '../primitive-modes.ts';
import { splitCrowdedVertices } from '../vertex-valence.ts';
import { orderDepthFirst } from './depth-first-order.ts';
import { createTransferEstimator } from './estimate-transfer-bytes.ts';

/** A primitive with fewer triangles is ordered as strips without a comparison: the difference is a few bytes. */
const MIN_TRIANGLES = 32;
/** A primitive with more triangles is not compared either: that needs some 150 bytes of memory for each. */
export const MAX_COMPARED_TRIANGLES = 2_000_000;

/** Orders the vertices by their first use, and keeps the order of the triangles. */
const VERTEX_ORDER = {
  ready: MeshoptEncoder.ready,
  reorderMesh: (indices: Uint32Array) => MeshoptEncoder.reorderMesh(indices, false, true),
};

/** Reorders triangles and vertices for the best compression. */
export async function reorderMeshes(document: Document): Promise<void> {
  await MeshoptEncoder.ready;
  const orderedAccessors = new Map<Accessor, Accessor>();
  for (const mesh of document.getRoot().listMeshes()) {
    for (const primitive of mesh.listPrimitives()) {
      splitCrowdedVertices(primitive);
      orderTriangles(primitive, orderedAccessors);
    }
  }
  await document.transform(
    reorder({ encoder: VERTEX_ORDER, target: 'size', cleanup: false }),
    pruneUnused(),
  );
}

/** @param orderedAccessors primitives that share their indices share the ordered ones */
function orderTriangles(primitive: Primitive, orderedAccessors: Map<Accessor, Accessor>): void {
  const indices = primitive.getIndices();
  const array = indices?.getArray();
  const vertexCount = primitive.getAttribute('POSITION')?.getCount() ?? 0;
  if (!isTriangleList(primitive) || !indices || !array || array.length % 3 !== 0) return;
  const ordered =
    orderedAccessors.get(indices) ??
    indices.clone().setArray(findSmallestOrder(primitive, new Uint32Array(array), vertexCount));
  orderedAccessors.set(indices, ordered);
  primitive.setIndices(ordered);
}

function findSmallestOrder(
  primitive: Primitive,
  indices: Uint32Array<ArrayBuffer>,
  vertexCount: number,
): Uint32Array<ArrayBuffer> {
  const strips = orderAsStrips(indices);
  const triangles = indices.length / 3;
  if (triangles < MIN_TRIANGLES || triangles > MAX_COMPARED_TRIANGLES) return strips;
  const estimate = createTransferEstimator(primitive);
  let smallest = { order: indices, bytes: Infinity };
  const depthFirst = orderDepthFirst(indices, vertexCount);
  for (const order of [depthFirst, strips, indices]) {
    const bytes = estimate(order);
    if (bytes < smallest.bytes) smallest = { order, bytes };
  }
  return smallest.order;
}

function orderAsStrips(indices: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const ordered = indices.slice();
  const [remap] = MeshoptEncoder.reorderMesh(ordered, true, true);
  // The new indices of the vertices are replaced by the original ones.
  const sources = new Uint32Array(remap.length);
  for (const [vertex, target] of remap.entries())
    if (target < sources.length) sources[target] = vertex;
  return ordered.map((target) => sources[target] as number);
}
