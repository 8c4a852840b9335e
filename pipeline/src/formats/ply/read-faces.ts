import { Problem } from '@cloche/contract/problem';
import { createGrowableIndices } from '../../mesh/growable-array.ts';
import { triangulatePolygon } from '../../mesh/triangulate.ts';
import { isVertexIndexList, type PlyElement } from './header.ts';
import type { PlyRowReader } from './row-reader.ts';

/** Reads the `face` element and triangulates its polygons. */
export function readFaces(
  reader: PlyRowReader,
  { count, properties }: PlyElement,
  positions: Float32Array,
): Uint32Array<ArrayBuffer> {
  const listIndex = properties.findIndex(isVertexIndexList);
  const indices = createGrowableIndices();
  for (let face = 0; face < count; face++) {
    const corners = reader.readList(properties, listIndex);
    if (corners.length < 3) continue;
    assertVerticesExist(corners, positions);
    triangulatePolygon(indices, corners, positions);
  }
  return indices.toTypedArray();
}

/** Reads the `tristrips` element. Every second triangle of a strip is reversed; -1 ends a strip. */
export function readTriangleStrips(
  reader: PlyRowReader,
  { count, properties }: PlyElement,
  positions: Float32Array,
): Uint32Array<ArrayBuffer> {
  const listIndex = properties.findIndex(isVertexIndexList);
  const indices = createGrowableIndices();
  for (let row = 0; row < count; row++) {
    const strip = reader.readList(properties, listIndex);
    let start = 0;
    for (let end = 0; end < strip.length; end++) {
      if (strip[end] === -1) start = end + 1;
      if (end - start < 2) continue;
      const triangle = strip.slice(end - 2, end + 1);
      assertVerticesExist(triangle, positions);
      const [a, b, c] = triangle as [number, number, number];
      if ((end - start) % 2 === 0) indices.push3(a, b, c);
      else indices.push3(b, a, c);
    }
  }
  return indices.toTypedArray();
}

function assertVerticesExist(corners: readonly number[], positions: Float32Array): void {
  if (corners.every((corner) => corner >= 0 && corner < positions.length / 3)) return;
  throw new Problem('design.unreadable', {
    detail: 'A face of the PLY refers to a vertex that does not exist.',
  });
}
