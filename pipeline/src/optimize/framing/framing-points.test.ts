import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FramingPoints, MAX_FRAMING_COORDINATE } from '@cloche/contract/framing-points';
import { Document, type Node } from '@gltf-transform/core';
import { EXTMeshGPUInstancing } from '@gltf-transform/extensions';
import { SeededRandom } from '../../../testing/fuzz.ts';
import { computeFramingPoints } from './framing-points.ts';

const VERTICES = 6000;
/** How far a vertex may be outside of the points in any direction, relative to half of the diagonal of the box. */
const MAX_ERROR = 4e-3;

/** Of a random number between 0 and 1. */
const STEPS = 2 ** 20;

/** A document with one mesh, whose triangles have no indices, and a node with it. */
function createDocument(positions: Float32Array<ArrayBuffer>) {
  const document = new Document();
  const buffer = document.createBuffer();
  const createAccessor = (array: Float32Array<ArrayBuffer>, type: 'VEC3' | 'SCALAR' = 'VEC3') =>
    document.createAccessor().setType(type).setArray(array).setBuffer(buffer);
  const primitive = document.createPrimitive().setAttribute('POSITION', createAccessor(positions));
  const mesh = document.createMesh().addPrimitive(primitive);
  const node = document.createNode().setMesh(mesh);
  document.createScene().addChild(node);
  return { document, createAccessor, primitive, mesh, node };
}

/** Points in an egg, and an antenna of one point. */
function makeEgg(): Float32Array<ArrayBuffer> {
  const random = new SeededRandom(5);
  const positions = new Float32Array(3 * VERTICES);
  for (let index = 0; index < positions.length; index += 3) {
    const [x, y, z] = [0, 1, 2].map(() => random.int(STEPS) / STEPS - 0.5) as [
      number,
      number,
      number,
    ];
    const radius = Math.hypot(x, y, z) || 1;
    positions.set([x / radius, (2 * y) / radius, z / radius], index);
  }
  positions.set([0.9, 3, -0.4], 1500);
  return positions;
}

function decode({ min, max, points }: FramingPoints): number[][] {
  const bytes = Buffer.from(points, 'base64');
  return Array.from({ length: bytes.length / 6 }, (_, order) =>
    [0, 1, 2].map((axis) => {
      const share = bytes.readUInt16LE(6 * order + 2 * axis) / MAX_FRAMING_COORDINATE;
      return (min[axis] as number) + share * ((max[axis] as number) - (min[axis] as number));
    }),
  );
}

function toPoints(positions: Float32Array): number[][] {
  return Array.from({ length: positions.length / 3 }, (_, index) => [
    ...positions.subarray(3 * index, 3 * index + 3),
  ]);
}

/** Asserts that the framing points reach as far as the vertices, in many directions other than those that are computed. */
function assertReach(framing: FramingPoints | undefined, vertices: number[][]): number {
  assert.ok(framing);
  const points = decode(framing);
  const half =
    Math.hypot(...framing.max.map((value, axis) => value - (framing.min[axis] ?? 0))) / 2;
  const random = new SeededRandom(9);
  const reach = (all: number[][], direction: number[]) =>
    all.reduce((farthest, point) => {
      const distance = point.reduce((sum, value, axis) => sum + value * (direction[axis] ?? 0), 0);
      return Math.max(farthest, distance);
    }, -Infinity);
  for (let count = 0; count < 300; count++) {
    const vector = [0, 1, 2].map(() => random.int(STEPS) / STEPS - 0.5);
    const direction = vector.map((value) => value / Math.hypot(...vector));
    const behind = reach(vertices, direction) - reach(points, direction);
    assert.ok(behind <= MAX_ERROR * half, `${behind / half} behind in ${direction}`);
    assert.ok(behind >= -1e-4 * half, 'no point is outside of the model');
  }
  return points.length;
}

describe('framing points', () => {
  it('reach as far as the vertices in all directions, and are few', () => {
    const positions = makeEgg();
    const framing = computeFramingPoints(createDocument(positions).document);
    const count = assertReach(framing, toPoints(positions));
    assert.ok(count < VERTICES / 10, `${count} points`);
  });

  it('the box around them is exact', () => {
    const positions = makeEgg();
    const framing = computeFramingPoints(createDocument(positions).document);
    assert.ok(framing);
    for (const axis of [0, 1, 2]) {
      const of = (points: number[][]) => points.map((point) => point[axis] as number);
      const [expected, actual] = [of(toPoints(positions)), of(decode(framing))];
      assert.ok(Math.abs(Math.min(...actual) - Math.min(...expected)) < 1e-9);
      assert.ok(Math.abs(Math.max(...actual) - Math.max(...expected)) < 1e-9);
    }
  });

  it('nodes and instances are transformed', () => {
    const positions = makeEgg();
    const { document, createAccessor, node } = createDocument(positions);
    node.setTranslation([10, 0, 0]).setScale([1, 2, 1]);
    addInstances(document, node, createAccessor(Float32Array.of(0, 0, 0, 0, 0, 50)));
    const vertices = toPoints(positions).flatMap(([x = 0, y = 0, z = 0]) => [
      [x + 10, 2 * y, z],
      [x + 10, 2 * y, z + 50],
    ]);
    assertReach(computeFramingPoints(document), vertices);
  });

  it('a flat model has points', () => {
    const positions = makeEgg().map((value, index) => (index % 3 === 1 ? 2 : value));
    const framing = computeFramingPoints(createDocument(positions).document);
    assert.deepEqual([framing?.min[1], framing?.max[1]], [2, 2]);
    assertReach(framing, toPoints(positions));
  });

  it('vertices that are not finite numbers are ignored', () => {
    const compute = (...added: number[]) => {
      const { document, node } = createDocument(Float32Array.of(...makeEgg(), ...added));
      node.setRotation([0.5, 0.5, 0.1, 0.7]);
      return computeFramingPoints(document);
    };
    assert.deepEqual(compute(Number.NaN, 0, 0, Infinity, 0, 0), compute());
    const none = new Float32Array(3 * VERTICES).fill(Number.NaN);
    assert.equal(computeFramingPoints(createDocument(none).document), undefined);
  });

  it('a model with few vertices, or too many in all instances, has none', () => {
    const few = makeEgg()
      .subarray(0, 3 * 4000)
      .slice();
    assert.equal(computeFramingPoints(createDocument(few).document), undefined);
    const { document, createAccessor, node } = createDocument(makeEgg());
    addInstances(document, node, createAccessor(new Float32Array(3 * 2000)));
    assert.equal(computeFramingPoints(document), undefined);
  });

  it('a model with many vertices in a random order has none; in the order of its surface, it has some', () => {
    const random = new SeededRandom(7);
    const points = Array.from({ length: 200_000 }, (_, index) => {
      const [y, angle] = [1 - index / 100_000, index / 100];
      const radius = Math.sqrt(1 - y * y);
      return [radius * Math.cos(angle), y, radius * Math.sin(angle)];
    });
    const compute = () =>
      computeFramingPoints(createDocument(Float32Array.from(points.flat())).document);
    assert.ok(compute());
    for (let index = points.length - 1; index > 0; index--) {
      const other = random.int(index + 1);
      [points[index], points[other]] = [points[other] as number[], points[index] as number[]];
    }
    assert.equal(compute(), undefined);
  });

  it('a model with many small instances, and a long tube, have some', () => {
    const quad = createDocument(Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0));
    const grid = Float32Array.from({ length: 3 * 150_000 }, (_, index) =>
      index % 3 === 0 ? Math.floor(index / 3) % 400 : Math.floor(index / 1200),
    );
    addInstances(quad.document, quad.node, quad.createAccessor(grid));
    assert.ok(computeFramingPoints(quad.document));
    const tube = Float32Array.from({ length: 3 * 300_000 }, (_, index) =>
      index % 3 === 0 ? index / 1e5 : Math.sin(index / 50),
    );
    assert.ok(computeFramingPoints(createDocument(tube).document));
  });

  it('a model that may change its shape has none', () => {
    const animated = createDocument(makeEgg());
    addAnimation(animated);
    const skinned = createDocument(makeEgg());
    skinned.node.setSkin(skinned.document.createSkin().addJoint(skinned.node));
    const morphed = createDocument(makeEgg());
    const target = morphed.document.createPrimitiveTarget();
    target.setAttribute('POSITION', morphed.createAccessor(new Float32Array(3 * VERTICES)));
    morphed.primitive.addTarget(target);
    for (const { document } of [animated, skinned, morphed])
      assert.equal(computeFramingPoints(document), undefined);
  });
});

function addInstances(
  document: Document,
  node: Node,
  translations: ReturnType<Document['createAccessor']>,
): void {
  const extension = document.createExtension(EXTMeshGPUInstancing);
  const instances = extension.createInstancedMesh().setAttribute('TRANSLATION', translations);
  node.setExtension('EXT_mesh_gpu_instancing', instances);
}

function addAnimation({ document, createAccessor, node }: ReturnType<typeof createDocument>): void {
  const sampler = document
    .createAnimationSampler()
    .setInput(createAccessor(Float32Array.of(0, 1), 'SCALAR'))
    .setOutput(createAccessor(Float32Array.of(0, 0, 0, 1, 0, 0)));
  const channel = document
    .createAnimationChannel()
    .setTargetNode(node)
    .setTargetPath('translation')
    .setSampler(sampler);
  document.createAnimation().addSampler(sampler).addChannel(channel);
}
