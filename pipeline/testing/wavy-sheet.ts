import type { Document } from '@gltf-transform/core';
import { findDefaultScene } from '../src/optimize/model-counts.ts';

type SheetOptions = { side: number; height?: number; x?: number; name?: string };

const waveAt = (x: number, z: number) => Math.sin(9 * x + 4 * z) * Math.cos(7 * z - x);

/** Adds a wavy square sheet of 2 × side² triangles that begins at `x`. */
export function addSheet(
  document: Document,
  { side, height = 0.1, x = 0, name = '' }: SheetOptions,
) {
  const buffer = document.getRoot().listBuffers()[0] ?? document.createBuffer();
  const positions = new Float32Array(3 * (side + 1) ** 2);
  for (let index = 0; index < positions.length / 3; index++) {
    const [u, v] = [x + (index % (side + 1)) / side, Math.floor(index / (side + 1)) / side];
    positions.set([u, height * waveAt(u, v), v], 3 * index);
  }
  const indices = Uint32Array.from({ length: 6 * side ** 2 }, (_, corner) => {
    const square = Math.floor(corner / 6);
    const origin = (square % side) + Math.floor(square / side) * (side + 1);
    return origin + ([0, side + 1, 1, 1, side + 1, side + 2][corner % 6] as number);
  });
  const toAccessor = (array: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>) =>
    document.createAccessor().setArray(array).setBuffer(buffer);
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', toAccessor(positions).setType('VEC3'))
    .setIndices(toAccessor(indices));
  const node = document.createNode(name).setMesh(document.createMesh().addPrimitive(primitive));
  const scene = findDefaultScene(document) ?? document.createScene();
  scene.addChild(node);
  return { node, primitive };
}
