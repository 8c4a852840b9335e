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
  const triangles = new VertexDeduplicator(3, source.length / 3);
  const triangle = new Uint32Array(3);
  let length = 0;
  for (let corner = 0; corner < kept.length; corner += 3) {
    const a = source[corner] as number;
    const b = source[corner + 1] as number;
    const c = source[corner + 2] as number;
    if (a === b || b === c || c === a) continue;
    setTriangle(triangle, a, b, c);
    const count = triangles.size;
    if (triangles.getOrAdd(triangle) < count) continue;
    kept[length] = a;
    kept[length + 1] = b;
    kept[length + 2] = c;
    length += 3;
  }
  if (length < source.length) primitive.setIndices(indices.clone().setArray(kept.slice(0, length)));
}

/** Sets the corners of a triangle, beginning with the lowest index. The winding stays the same. */
function setTriangle(triangle: Uint32Array, a: number, b: number, c: number): void {
  const first = Math.min(a, b, c);
  triangle[0] = first;
  triangle[1] = first === a ? b : first === b ? c : a;
  triangle[2] = first === a ? c : first === b ? a : b;
}
