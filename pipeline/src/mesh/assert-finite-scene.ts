import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import type { BoundingBox } from '@cloche/contract/viewer-config';
import type { Accessor, Document, Node } from '@gltf-transform/core';
import { IDENTITY_MATRIX, type Matrix4, multiplyMatrices, transformBox } from './matrix.ts';

/**
 * Refuses an imported scene with a position outside the range of 32-bit floats: libraries read such numbers, and
 * the transforms of nested parts multiply. The model that is made of it would not be a valid glTF.
 *
 * @throws {Problem} design.unreadable
 */
export function assertFiniteScene(document: Document): void {
  const boxes = new Map<Accessor, BoundingBox>();
  const roots = document
    .getRoot()
    .listScenes()
    .flatMap((scene) => scene.listChildren());
  const pending = roots.map((node) => ({ node, parentMatrix: IDENTITY_MATRIX }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, parentMatrix } = next;
    const matrix = multiplyMatrices(parentMatrix, node.getMatrix());
    if (!isFinite32(matrix)) throwNotFinite(node);
    assertFiniteMesh(node, matrix, boxes);
    for (const child of node.listChildren()) pending.push({ node: child, parentMatrix: matrix });
  }
}

function assertFiniteMesh(node: Node, matrix: Matrix4, boxes: Map<Accessor, BoundingBox>): void {
  for (const primitive of node.getMesh()?.listPrimitives() ?? []) {
    const positions = primitive.getAttribute('POSITION');
    if (positions === null || positions.getCount() === 0) continue;
    const box = boxes.get(positions) ?? computeBox(positions);
    boxes.set(positions, box);
    const { min, max } = transformBox(matrix, box);
    if (!isFinite32([...box.min, ...box.max, ...min, ...max])) throwNotFinite(node);
  }
}

/** The minimum and maximum of NaN and a number is NaN, which `Accessor.getMin` skips. */
function computeBox(positions: Accessor): BoundingBox {
  const values = positions.getArray() ?? new Float32Array();
  const box: BoundingBox = {
    min: [Infinity, Infinity, Infinity],
    max: [-Infinity, -Infinity, -Infinity],
  };
  for (let index = 0; index < values.length; index++) {
    const axis = index % 3;
    const value = values[index] as number;
    box.min[axis] = Math.min(box.min[axis] as number, value);
    box.max[axis] = Math.max(box.max[axis] as number, value);
  }
  return box;
}

function isFinite32(values: ArrayLike<number>): boolean {
  return Array.from(values).every((value) => Number.isFinite(Math.fround(value)));
}

function throwNotFinite(node: Node): never {
  const name = node.getName();
  const part = name === '' ? 'A part without a name' : `The part ${quoteUntrusted(name)}`;
  throw new Problem('design.unreadable', {
    detail: `${part} is moved or scaled beyond the range of 32-bit floats, is scaled to zero, or has a coordinate that is not a number. Correct its transform or its coordinates.`,
    reason: 'transform',
  });
}
