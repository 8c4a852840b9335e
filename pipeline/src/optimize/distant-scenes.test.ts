import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Document, Node, vec3 } from '@gltf-transform/core';
import { EXTMeshGPUInstancing } from '@gltf-transform/extensions';
import {
  addMeshNode,
  createSheetMesh,
  createTestDocument,
} from '../../testing/full-featured-model.ts';
import { runOptimize } from '../../testing/run-optimize.ts';
import { listWorldMatrices } from './world-positions.ts';

/** UTM coordinates of a place, in meters, with Y up. */
const PLACE: vec3 = [691_607.875, 112.5, -5_334_760.125];
const COPIES = 60;
const toPlace = (index: number): vec3 => [
  PLACE[0] + 1.37 * index,
  PLACE[1] + 0.01 * index,
  PLACE[2] - 0.73 * (index % 7),
];

/** The largest distance of a point of a mesh from the nearest expected one, in meters. */
function measureError(points: readonly vec3[], expected: readonly vec3[]): number {
  const distances = points.map((point) =>
    Math.min(...expected.map((other) => Math.hypot(...point.map((v, i) => v - (other[i] ?? 0))))),
  );
  return Math.max(...distances);
}

/** The centers of all copies of the mesh, whose box is symmetric to its origin. */
function listCenters(document: Document): vec3[] {
  return document
    .getRoot()
    .listNodes()
    .filter((node) => node.getMesh())
    .flatMap((node) => {
      const position = node.getMesh()?.listPrimitives()[0]?.getAttribute('POSITION');
      const [min, max] = [position?.getMin([]) ?? [], position?.getMax([]) ?? []];
      const center = min.map((low, axis) => (low + (max[axis] ?? 0)) / 2) as vec3;
      return listWorldMatrices(node).map((matrix) => transform(matrix, center));
    });
}

function transform(matrix: ArrayLike<number>, [x, y, z]: vec3): vec3 {
  const at = (index: number) => matrix[index] ?? 0;
  const row = (i: number) => at(i) * x + at(4 + i) * y + at(8 + i) * z + at(12 + i);
  return [row(0), row(1), row(2)];
}

const createSheet = (document: Document) =>
  createSheetMesh(document, document.createMaterial('Paint'));

describe('far from the origin', () => {
  it('copies of a mesh, which become instances, stay where they are', async () => {
    const document = createTestDocument();
    const mesh = createSheet(document);
    for (let index = 0; index < COPIES; index++)
      addMeshNode(document, `Tree ${index}`, mesh).setTranslation(toPlace(index));
    await assertInPlace(document, 0.002);
  });

  it('instances of the source file stay where they are', async () => {
    const document = createTestDocument();
    const translations = Array.from({ length: COPIES }, (_, index) => toPlace(index));
    const instancedMesh = document
      .createExtension(EXTMeshGPUInstancing)
      .createInstancedMesh()
      .setAttribute(
        'TRANSLATION',
        document
          .createAccessor()
          .setType('VEC3')
          .setArray(new Float32Array(translations.flat()))
          .setBuffer(document.getRoot().listBuffers()[0] ?? null),
      );
    addMeshNode(document, 'Trees', createSheet(document)).setExtension(
      'EXT_mesh_gpu_instancing',
      instancedMesh,
    );
    await assertInPlace(document, 0.002);
  });

  it('nodes stay where they are', async () => {
    const document = createTestDocument();
    for (let index = 0; index < 4; index++)
      addMeshNode(document, `Tree ${index}`, createSheet(document)).setTranslation(toPlace(index));
    await assertInPlace(document, 0.002);
  });

  it('nodes move as before', async () => {
    const document = createTestDocument();
    const node = addMeshNode(document, 'Bus', createSheet(document)).setTranslation(PLACE);
    animate(document, node, [0, 1, 4, 9, 16, 25, 36, 49].map(toPlace));
    const expected = listAnimatedPlaces(document);
    const { after } = await runOptimize(document);
    const actual = listAnimatedPlaces(after);
    assert.equal(actual.length, expected.length);
    const error = measureError(actual, expected);
    assert.ok(error < 0.005, `an error of ${error} m`);
    assert.ok(measureError(listCenters(after), [PLACE]) < 0.002);
  });
});

describe('near the origin', () => {
  it('animated nodes get no parents', async () => {
    const document = createTestDocument();
    const node = addMeshNode(document, 'Bone', createSheet(document));
    animate(document, node, [
      [0, 1, 0],
      [0, 1.01, 0],
    ]);
    const { after } = await runOptimize(document);
    const [channel] = after.getRoot().listAnimations()[0]?.listChannels() ?? [];
    const target = channel?.getTargetNode();
    assert.equal(target?.getName(), 'Bone');
    assert.ok(target.getParentNode() === null);
  });
});

async function assertInPlace(document: Document, maxError: number): Promise<void> {
  const expected = listCenters(document);
  const { after } = await runOptimize(document);
  const actual = listCenters(after);
  assert.equal(actual.length, expected.length);
  const error = measureError(actual, expected);
  assert.ok(error < maxError, `an error of ${error} m`);
}

function animate(document: Document, node: Node, places: readonly vec3[]): void {
  const buffer = document.getRoot().listBuffers()[0] ?? null;
  const toAccessor = (type: 'SCALAR' | 'VEC3', array: number[]) =>
    document.createAccessor().setType(type).setArray(new Float32Array(array)).setBuffer(buffer);
  const sampler = document
    .createAnimationSampler()
    .setInput(toAccessor('SCALAR', [...places.keys()]))
    .setOutput(toAccessor('VEC3', places.flat()));
  const channel = document
    .createAnimationChannel()
    .setTargetNode(node)
    .setTargetPath('translation')
    .setSampler(sampler);
  document.createAnimation('Drive').addSampler(sampler).addChannel(channel);
}

/** The positions of the animated node in the scene, at its keyframes. */
function listAnimatedPlaces(document: Document): vec3[] {
  const [channel] = document.getRoot().listAnimations()[0]?.listChannels() ?? [];
  const output = channel?.getSampler()?.getOutput();
  const parent = channel?.getTargetNode()?.getParentNode();
  return Array.from({ length: output?.getCount() ?? 0 }, (_, index) => {
    const place = output?.getElement<vec3>(index, [0, 0, 0]) ?? [0, 0, 0];
    return parent ? transform(parent.getWorldMatrix(), place) : place;
  });
}
