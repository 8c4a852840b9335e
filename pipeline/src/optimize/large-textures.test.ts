import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makeNoisePng } from '../../testing/full-featured-model.ts';
import { makeTexturedDocument, runOptimize } from '../../testing/run-optimize.ts';

it('a texture of 4096 pixels has a pack of this size only with the option', async () => {
  const image = await makeNoisePng(4096);
  const optimizeWith = async (options: { maxTextureSize?: number }) => {
    const { levels, warnings, after } = await runOptimize(
      await makeTexturedDocument(image),
      options,
    );
    return {
      sizes: levels?.textures.map(({ size }) => size),
      full: after.getRoot().listTextures()[0]?.getSize(),
      codes: warnings.map(({ code }) => code),
    };
  };
  assert.deepEqual(await optimizeWith({}), {
    sizes: [384, 768, 1024, 2048],
    full: [2048, 2048],
    codes: ['textures.reduced'],
  });
  assert.deepEqual(await optimizeWith({ maxTextureSize: 4096 }), {
    sizes: [384, 768, 1024, 2048, 4096],
    full: [4096, 4096],
    codes: [],
  });
});
