import type { Primitive } from '@gltf-transform/core';
import { VertexDeduplicator } from '../mesh/growable-array.ts';
import { isTriangleList } from './primitive-modes.ts';

/**
 * Drops the triangles of a welded primitive that are not visible: those without area because two
 * corners are the same vertex, and all but one of the triangles with the same three vertices and the
 * same winding. A triangle with the opposite winding is another one: it is the back.
 */
export function dropRedundantTriangles(primitive: Primitive): void {
  const indices = primitive.getIndices();
  const source = indices?.getArray();
  if (!isTriangleList(primitive) || !indices || !source) return;
  const kept = new Uint32Array(source.length - (source.length % 3));
  const triangles = new VertexDeduplicator(3);
  const triangle = new Uint32Array(3);
  let length = 0;
  for (let corner = 0; corner < kept.length; corner += 3) {
    setTriangle(triangle, source, corner);
    const [a = 0, b = 0, c = 0] = triangle;
    const count = triangles.size;
    if (a === b || b === c || c === a || triangles.getOrAdd(triangle) < count) continue;
    kept.set(source.subarray(corner, corner + 3), length);
    length += 3;
  }
  if (length < source.length) primitive.setIndices(indices.clone().setArray(kept.slice(0, length)));
}

/** Sets the corners of a triangle, beginning with the lowest index. The winding stays the same. */
function setTriangle(triangle: Uint32Array, source: ArrayLike<number>, corner: number): void {
  const corners = [source[corner], source[corner + 1], source[corner + 2]] as number[];
  const first = corners.indexOf(Math.min(...corners));
  for (let offset = 0; offset < 3; offset++) {
    triangle[offset] = corners[(first + offset) % 3] as number;
  }
}
