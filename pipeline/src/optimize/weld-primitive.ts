import type { Accessor, Primitive } from '@gltf-transform/core';
import { compactPrimitive } from '@gltf-transform/functions';
import { VertexDeduplicator } from '../mesh/growable-array.ts';

/**
 * Merges vertices whose attributes, including those of morph targets, have the same bytes, adds
 * indices if there are none, and drops unused vertices. Points are not changed.
 *
 * glTF-Transform's own function is not used: for a file made for that purpose, all of its hashes are
 * equal, and it takes quadratic time.
 */
export function weldPrimitive(primitive: Primitive): void {
  const vertexCount = primitive.getAttribute('POSITION')?.getCount() ?? 0;
  if (primitive.getMode() === 0 || vertexCount === 0) return;
  const streams = [primitive, ...primitive.listTargets()]
    .flatMap((owner) => owner.listAttributes())
    .map(toByteStream);
  const wordCounts = streams.map(({ elementBytes }) => Math.ceil(elementBytes / 4));
  const row = new Uint32Array(wordCounts.reduce((sum, count) => sum + count, 0));
  const rowBytes = new Uint8Array(row.buffer);
  const deduplicator = new VertexDeduplicator(row.length, vertexCount);
  const unassigned = 0xffffffff;
  const remap = new Uint32Array(vertexCount).fill(unassigned);
  const indices = primitive.getIndices()?.getArray();
  const cornerCount = indices?.length ?? vertexCount;
  for (let corner = 0; corner < cornerCount; corner++) {
    const vertex = indices ? (indices[corner] as number) : corner;
    if (remap[vertex] !== unassigned) continue;
    let offset = 0;
    for (const { bytes, elementBytes } of streams) {
      const start = vertex * elementBytes;
      for (let byte = 0; byte < elementBytes; byte++)
        rowBytes[offset + byte] = bytes[start + byte] as number;
      offset += 4 * Math.ceil(elementBytes / 4);
    }
    remap[vertex] = deduplicator.getOrAdd(row);
  }
  compactPrimitive(primitive, remap, deduplicator.size);
}

function toByteStream(accessor: Accessor): { bytes: Uint8Array; elementBytes: number } {
  const array = accessor.getArray() ?? new Uint8Array(0);
  return {
    bytes: new Uint8Array(array.buffer, array.byteOffset, array.byteLength),
    elementBytes: accessor.getElementSize() * accessor.getComponentSize(),
  };
}
