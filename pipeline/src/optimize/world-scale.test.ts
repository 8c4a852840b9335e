import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Document, type GLTF, type Mesh, type Node, type vec3 } from '@gltf-transform/core';
import { addSheet } from '../../testing/wavy-sheet.ts';
import { limitTriangles } from './limit-triangles.ts';
import { countPrimitiveTriangles } from './model-counts.ts';
import { quantize } from './quantize/quantize.ts';
import { simplifyMeshes } from './simplify-meshes.ts';
import { computeMaxWorldScale } from './world-scale.ts';

const LINEAR_GROWTH: vec3[] = [
  [0, 0, 0],
  [1, 1, 1],
];

function animateScale(
  document: Document,
  node: Node,
  keyframes: readonly vec3[],
  interpolation: GLTF.AnimationSamplerInterpolation = 'LINEAR',
): void {
  const buffer = document.getRoot().listBuffers()[0] ?? document.createBuffer();
  const count = interpolation === 'CUBICSPLINE' ? keyframes.length / 3 : keyframes.length;
  const times = Float32Array.from({ length: count }, (_, index) => index);
  const toAccessor = (array: Float32Array<ArrayBuffer>) =>
    document.createAccessor().setArray(array).setBuffer(buffer);
  const sampler = document
    .createAnimationSampler()
    .setInterpolation(interpolation)
    .setInput(toAccessor(times))
    .setOutput(toAccessor(Float32Array.from(keyframes.flat())).setType('VEC3'));
  const channel = document.createAnimationChannel().setTargetNode(node).setTargetPath('scale');
  const animation = document.createAnimation('Growing').addSampler(sampler);
  animation.addChannel(channel.setSampler(sampler));
}

/** Two equal sheets of 20,000 triangles: one is always visible, the other grows. */
function createGrowingPart(initialScale = 0) {
  const document = new Document();
  const visible = addSheet(document, { side: 100 });
  const growing = addSheet(document, { side: 100 });
  animateScale(
    document,
    growing.node.setScale([initialScale, initialScale, initialScale]),
    LINEAR_GROWTH,
  );
  return { document, visible, growing };
}

describe('a part that grows by an animation', () => {
  it('loses no more triangles than the same part without the animation', async () => {
    const { document, visible, growing } = createGrowingPart();
    await simplifyMeshes(document, 1_000_000);
    const [expected, triangles] = [visible, growing].map(({ primitive }) =>
      countPrimitiveTriangles(primitive),
    );
    assert.equal(triangles, expected);
  });

  it('keeps its share of a triangle budget', async () => {
    const { document, visible, growing } = createGrowingPart(0.02);
    await limitTriangles(document, 10_000);
    const [expected = 0, triangles = 0] = [visible, growing].map(({ primitive }) =>
      countPrimitiveTriangles(primitive),
    );
    assert.ok(triangles > 0.9 * expected, `${triangles}, ${expected} without the animation`);
  });

  it('has positions as exact as those of the same part without the animation', async () => {
    const { document, visible, growing } = createGrowingPart();
    await quantize(document, { scene: 14, mesh: 11 });
    const [expected, steps] = [visible, growing].map(({ primitive }) =>
      Math.max(...(primitive.getAttribute('POSITION')?.getMax([]) ?? [])),
    );
    assert.equal(steps, expected);
  });
});

describe('the largest world scale', () => {
  function createChild() {
    const document = new Document();
    const parent = document.createNode().setScale([2, 2, 2]);
    const child = document.createNode().setScale([0.5, 0.5, 0.5]);
    const mesh: Mesh = document.createMesh();
    parent.addChild(child.setMesh(mesh));
    return { document, parent, child, mesh };
  }

  it('is that of the nodes if no scale is animated', () => {
    const { parent, mesh } = createChild();
    parent.setScale([3, -4, 2]);
    assert.equal(computeMaxWorldScale(mesh), 2);
  });

  it('includes the keyframes of ancestors, with mirrored ones', () => {
    const { document, parent, mesh } = createChild();
    animateScale(document, parent, [
      [1, 1, 1],
      [1, -10, 1],
    ]);
    assert.equal(computeMaxWorldScale(mesh), 5);
  });

  it('includes the scale without the animation, which may not play', () => {
    const { document, child, mesh } = createChild();
    animateScale(document, child, [
      [0.1, 0.1, 0.1],
      [0, 0, 0],
    ]);
    assert.equal(computeMaxWorldScale(mesh), 1);
  });

  it('does not include the tangents of splines', () => {
    const { document, child, mesh } = createChild();
    const [tangent, value]: vec3[] = [
      [9, 9, 9],
      [3, 3, 3],
    ];
    const keyframe = [tangent, value, tangent].filter((each) => each !== undefined);
    animateScale(document, child, [...keyframe, ...keyframe], 'CUBICSPLINE');
    assert.equal(computeMaxWorldScale(mesh), 6);
  });
});
