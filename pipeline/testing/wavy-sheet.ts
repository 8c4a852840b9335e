import type { Document } from '@gltf-transform/core';
import { findDefaultScene } from '../src/optimize/model-counts.ts';

type SheetOptions = { side: number; height?: number; x?: number; name?: string; normals?: boolean };

const waveAt = (x: number, z: number) => Math.sin(9 * x + 4 * z) * Math.cos(7 * z - x);

/** The direction in which the sheet faces: its derivatives in x and z. */
function toNormal(x: number, z: number, height: number): [number, number, number] {
  const [a, b] = [9 * x + 4 * z, 7 * z - x];
  const slopeX = height * (9 * Math.cos(a) * Math.cos(b) + Math.sin(a) * Math.sin(b));
  const slopeZ = height * (4 * Math.cos(a) * Math.cos(b) - 7 * Math.sin(a) * Math.sin(b));
  const length = Math.hypot(slopeX, 1, slopeZ);
  return [-slopeX / length, 1 / length, -slopeZ / length];
}

/** Adds a wavy square sheet of 2 × side² triangles that begins at `x`. */
export function addSheet(
  document: Document,
  { side, height = 0.1, x = 0, name = '', normals = false }: SheetOptions,
) {
  const buffer = document.getRoot().listBuffers()[0] ?? document.createBuffer();
  const positions = new Float32Array(3 * (side + 1) ** 2);
  const directions = new Float32Array(positions.length);
  for (let index = 0; index < positions.length / 3; index++) {
    const [u, v] = [x + (index % (side + 1)) / side, Math.floor(index / (side + 1)) / side];
    positions.set([u, height * waveAt(u, v), v], 3 * index);
    directions.set(toNormal(u, v, height), 3 * index);
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
  if (normals) primitive.setAttribute('NORMAL', toAccessor(directions).setType('VEC3'));
  const node = document.createNode(name).setMesh(document.createMesh().addPrimitive(primitive));
  const scene = findDefaultScene(document) ?? document.createScene();
  scene.addChild(node);
  return { node, primitive };
}
