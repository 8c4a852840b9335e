import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import type { ModelStats } from '@cloche/contract/model-stats';
import { NodeIO } from '@gltf-transform/core';
import sharp from 'sharp';
import { makeBox } from '../../testing/models.ts';
import { openTestPoster } from '../../testing/poster.ts';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { optimize } from '../optimize/optimize.ts';

/** Makes levels of a box with a texture of 2048 pixels. */
async function optimizeTexturedBox() {
  const document = await new NodeIO().readBinary(new Uint8Array(makeBox({ textured: true })));
  const [texture] = document.getRoot().listTextures();
  const create = { width: 2048, height: 2048, channels: 3, background: '#482' } as const;
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const coarse = await sharp({ create: { ...create, width: 64, height: 64, noise } })
    .png()
    .toBuffer();
  const image = await sharp(coarse).resize(2048, 2048).png().toBuffer();
  texture?.setImage(new Uint8Array(image)).setMimeType('image/png');
  const { model, levels } = await optimize(document, {}, () => undefined);
  return { model, levels: levels ?? assert.fail('no levels') };
}

function computeMeanDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  assert.equal(a.length, b.length);
  let sum = 0;
  for (let index = 0; index < a.length; index += 1)
    sum += Math.abs((a[index] ?? 0) - (b[index] ?? 0));
  return sum / a.length;
}

it('a poster is rendered of the parts that it can show, which look like the model', async (t) => {
  const { renderer, capture } = await openTestPoster(t);
  const { model, levels } = await optimizeTexturedBox();
  const directory = await openTemporaryDirectory(t);
  await writeFile(join(directory, 'geometry-0.glb'), levels.geometries[0]?.glb ?? '');
  // The poster needs no other.
  const pack = levels.textures.find(({ size }) => size === 768);
  await writeFile(join(directory, 'textures-768.glb'), pack?.pack ?? '');
  const { images } = await renderer.render({
    model: join(directory, 'none.glb'),
    levels: { directory, geometries: [{}], texturePacks: levels.textures, uvPerMeter: 1 },
    stats: { bounds: { min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] } } as ModelStats,
    signal: AbortSignal.timeout(120_000),
  });
  const zoomed = renderer.render({
    model: join(directory, 'none.glb'),
    levels: { directory, geometries: [{}], texturePacks: levels.textures },
    stats: {} as ModelStats,
    options: { cameraOrbit: 'auto auto 30%' },
    signal: AbortSignal.timeout(120_000),
  });
  await assert.rejects(zoomed, /ENOENT.*none.glb/, 'a camera may need all of the model');
  const whole = await capture(model);
  for (const [index, { kind, bytes }] of images.entries()) {
    const read = (image: Uint8Array | undefined) => sharp(image).ensureAlpha().raw().toBuffer();
    const [parts, model] = await Promise.all([bytes, whole.images[index]?.bytes].map(read));
    const difference = computeMeanDifference(parts ?? [], model ?? []);
    assert.ok(difference < 2, `${kind}: the mean difference is ${difference}`);
    assert.ok(new Set(parts).size > 50, `${kind} has few colors`);
  }
});
