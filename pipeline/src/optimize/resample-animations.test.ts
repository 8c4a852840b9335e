import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AnimationSampler, Document, type vec3 } from '@gltf-transform/core';
import { runOptimize } from '../../testing/run-optimize.ts';
import { addSheet } from '../../testing/wavy-sheet.ts';

type Path = 'translation' | 'scale';
type Motion = (seconds: number) => vec3;
type Scales = { parent?: number; node?: number };

const FRAMES_PER_SECOND = 24;
const SECONDS = 4;
const FRAMES = FRAMES_PER_SECOND * SECONDS + 1;

/** A sheet of 1 × 1 units below a parent, moved as programs export it: a keyframe for each frame. */
async function optimizeAnimation(path: Path, motion: Motion, scales: Scales) {
  const { parent: parentScale = 1, node: nodeScale = 1 } = scales;
  const document = new Document();
  const { node } = addSheet(document, { side: 10 });
  const parent = document.createNode('Parent').setScale([parentScale, parentScale, parentScale]);
  document.getRoot().listScenes()[0]?.addChild(parent);
  parent.addChild(node.setName('Sheet').setScale([nodeScale, nodeScale, nodeScale]));
  const [buffer = null] = document.getRoot().listBuffers();
  const toAccessor = (array: Float32Array<ArrayBuffer>) =>
    document.createAccessor().setArray(array).setBuffer(buffer);
  const times = Float32Array.from({ length: FRAMES }, (_, frame) => frame / FRAMES_PER_SECOND);
  const values = Float32Array.from([...times].flatMap(motion));
  const sampler = document
    .createAnimationSampler()
    .setInterpolation('LINEAR')
    .setInput(toAccessor(times))
    .setOutput(toAccessor(values).setType('VEC3'));
  const channel = document.createAnimationChannel().setTargetNode(node).setTargetPath(path);
  const animation = document.createAnimation('Moving').addSampler(sampler);
  animation.addChannel(channel.setSampler(sampler));
  const { after } = await runOptimize(document);
  const optimized = after.getRoot().listAnimations()[0]?.listSamplers()[0];
  return optimized ?? assert.fail('no animation');
}

/** The largest difference from a motion, at the time of any frame. */
function measureError(sampler: AnimationSampler, motion: Motion): number {
  const times = sampler.getInput()?.getArray() ?? [];
  const read = (index: number) => sampler.getOutput()?.getElement<number[]>(index, []) ?? [];
  let error = 0;
  for (let frame = 0; frame < FRAMES; frame++) {
    const time = frame / FRAMES_PER_SECOND;
    const next = Math.max(
      1,
      times.findIndex((keyTime) => keyTime >= time - 1e-6),
    );
    const [start = 0, end = 0] = [times[next - 1], times[next]];
    const [low, high] = [read(next - 1), read(next)];
    for (const [axis, expected] of motion(time).entries()) {
      const [from = 0, to = 0] = [low[axis], high[axis]];
      const actual = from + ((time - start) / (end - start)) * (to - from);
      error = Math.max(error, Math.abs(actual - expected));
    }
  }
  return error;
}

/** Around a circle in two seconds. */
const circle =
  (radius: number): Motion =>
  (seconds) => [radius * Math.cos(Math.PI * seconds), radius * Math.sin(Math.PI * seconds), 0];
const pulse =
  (largest: number): Motion =>
  (seconds) => {
    const scale = largest * (0.5 - 0.5 * Math.cos(Math.PI * seconds));
    return [scale, scale, scale];
  };

describe('the keyframes of an optimized animation', () => {
  for (const [name, size, scales] of [
    ['of a model of 1 m', 1, {}],
    ['of a model of 1 cm', 0.01, { node: 0.01 }],
    ['of a model of 1 mm', 0.001, { node: 0.001 }],
    ['below a parent with a scale of 1000', 0.001, { node: 0.001, parent: 1000 }],
  ] satisfies [string, number, Scales][])
    it(`move a part ${name} with an error of less than 1 / 5000 of its size`, async () => {
      const motion = circle(0.2 * size);
      const sampler = await optimizeAnimation('translation', motion, scales);
      const error = measureError(sampler, motion) / size;
      assert.ok(error < 2e-4, `${error} of the size`);
    });

  it('move a part slowly with an error of less than 1 / 5000 of its size', async () => {
    const motion: Motion = (seconds) => [
      0.1 * Math.sin(seconds / 6),
      0.1 * Math.cos(seconds / 6),
      0,
    ];
    const error = measureError(await optimizeAnimation('translation', motion, {}), motion);
    assert.ok(error < 2e-4, `${error} of the size`);
  });

  it('scale a part from units of 1 mm with an error of less than 1 / 5000', async () => {
    const motion = pulse(0.001);
    const sampler = await optimizeAnimation('scale', motion, { node: 0.001 });
    const error = measureError(sampler, motion) / 0.001;
    assert.ok(error < 2e-4, `${error} of the scale`);
  });

  it('are two for a uniform motion, in a small model too', async () => {
    for (const size of [1, 0.001]) {
      const motion: Motion = (seconds) => [size * seconds, 0, 0];
      const sampler = await optimizeAnimation('translation', motion, { node: size });
      assert.equal(sampler.getInput()?.getCount(), 2);
    }
  });

  it('are few for a constant scale with rounding errors', async () => {
    const motion: Motion = (seconds) => [0.01 + 1e-8 * Math.sin(99 * seconds), 0.01, 0.01];
    const sampler = await optimizeAnimation('scale', motion, { node: 0.01 });
    assert.ok((sampler.getInput()?.getCount() ?? Infinity) <= 2);
  });
});
