import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeSample } from './sample.ts';

const FLOAT = 5126;

interface Accessor {
  bufferView: number;
  componentType: number;
  count: number;
  type: string;
  min?: number[];
  max?: number[];
}

interface Gltf {
  accessors: Accessor[];
  bufferViews: { byteOffset: number; byteLength: number }[];
  buffers: { byteLength: number }[];
  images: { bufferView: number }[];
  materials: { name: string }[];
  meshes: { primitives: { attributes: Record<string, number>; indices: number }[] }[];
  nodes: { name: string; mesh?: number; children?: number[] }[];
}

const glb = makeSample();
const { gltf, binary } = readGlb(glb);

test('the sample is the same at every call', () => {
  assert.ok(makeSample().equals(glb));
});

test('the sample is large enough to be worth optimising and small enough to be sent at once', () => {
  assert.ok(glb.length > 200_000 && glb.length < 600_000, `${glb.length} bytes`);
});

test('the file is whole: two chunks, views within the buffer, images that are PNG', () => {
  assert.equal(glb.readUInt32LE(8), glb.length);
  assert.deepEqual(gltf.buffers, [{ byteLength: binary.length }]);
  for (const { byteOffset, byteLength } of gltf.bufferViews) {
    assert.equal(byteOffset % 4, 0);
    assert.ok(byteOffset + byteLength <= binary.length);
  }
  for (const { bufferView } of gltf.images) {
    assert.equal(bytesOf(bufferView).subarray(1, 4).toString(), 'PNG');
  }
});

test('every triangle has three corners that exist', () => {
  for (const { attributes, indices } of primitives()) {
    const { count } = accessor(attributes.POSITION);
    const corners = bytesOf(accessor(indices).bufferView);
    assert.equal(accessor(indices).count % 3, 0);
    for (let at = 0; at < corners.length; at += 2) assert.ok(corners.readUInt16LE(at) < count);
  }
});

test('every normal has length 1', () => {
  for (const { attributes } of primitives()) {
    const normals = floatsOf(attributes.NORMAL);
    for (let at = 0; at < normals.length; at += 3) {
      assert.ok(Math.abs(Math.hypot(...normals.slice(at, at + 3)) - 1) < 1e-5);
    }
  }
});

test('it stands on the ground, upright, a quarter of a metre tall', () => {
  const lows = primitives().map(({ attributes }) => accessor(attributes.POSITION).min?.[1] ?? NaN);
  const highs = primitives().map(({ attributes }) => accessor(attributes.POSITION).max?.[1] ?? NaN);
  assert.equal(Math.min(...lows), 0);
  assert.ok(Math.abs(Math.max(...highs) - 0.25) < 0.005);
});

test('the garden stays inside the glass', () => {
  for (const name of ['Moss', 'Pebbles', 'Pot', 'Rosette', 'Flowers', 'Shell', 'Limbs']) {
    const mesh = gltf.meshes[gltf.nodes.find((node) => node.name === name)?.mesh ?? -1];
    const positions = floatsOf(mesh?.primitives[0]?.attributes.POSITION);
    for (let at = 0; at < positions.length; at += 3) {
      const [x = NaN, y = NaN, z = NaN] = positions.slice(at, at + 3);
      assert.ok(Math.hypot(x, z) < 0.0675 && y < 0.215, `${name} at ${x}, ${y}, ${z}`);
    }
  }
});

test('nodes and materials have names of their own', () => {
  for (const things of [gltf.nodes, gltf.materials]) {
    assert.equal(new Set(things.map(({ name }) => name)).size, things.length);
  }
});

function primitives() {
  return gltf.meshes.flatMap((mesh) => mesh.primitives);
}

function accessor(index = -1): Accessor {
  const found = gltf.accessors[index];
  assert.ok(found, `accessor ${index}`);
  return found;
}

function floatsOf(index: number | undefined): Float32Array {
  const { bufferView, componentType } = accessor(index);
  assert.equal(componentType, FLOAT);
  const bytes = Uint8Array.from(bytesOf(bufferView));
  return new Float32Array(bytes.buffer);
}

function bytesOf(bufferView: number): Buffer {
  const view = gltf.bufferViews[bufferView];
  assert.ok(view, `buffer view ${bufferView}`);
  return binary.subarray(view.byteOffset, view.byteOffset + view.byteLength);
}

function readGlb(bytes: Buffer): { gltf: Gltf; binary: Buffer } {
  const jsonLength = bytes.readUInt32LE(12);
  return {
    gltf: JSON.parse(bytes.toString('utf8', 20, 20 + jsonLength)),
    binary: bytes.subarray(28 + jsonLength),
  };
}
