import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PosterLevels, selectPosterParts } from './select-poster-parts.ts';

const PACKS = [384, 768, 1024, 2048].map((size) => ({ size, imageSize: size, pixels: size ** 2 }));
const LEVELS: PosterLevels = {
  directory: '/job/out',
  geometries: [{ maxSize: 400 }, { maxSize: 960 }, {}],
  texturePacks: PACKS,
};
/** Two meters high. */
const BOUNDS = { min: [-0.5, 0, -0.5], max: [0.5, 2, 0.5] } as const;

const select = (levels: Partial<PosterLevels>, bounds = true) =>
  selectPosterParts(
    { ...LEVELS, ...levels },
    bounds ? { min: [...BOUNDS.min], max: [...BOUNDS.max] } : undefined,
  );

describe('the parts of a poster', () => {
  it('are the smallest geometry that looks like the model', () => {
    assert.equal(select({}).geometry, '/job/out/geometry-1.glb');
    const small = [{ maxSize: 400 }, {}];
    assert.equal(select({ geometries: small }).geometry, '/job/out/geometry-1.glb');
    const unknown = [{}, { maxSize: 500 }, {}];
    assert.equal(select({ geometries: unknown }).geometry, '/job/out/geometry-2.glb');
    const simplified = { geometries: [{}], texturePacks: [] };
    assert.deepEqual(select(simplified), {}, 'a size that is not known');
  });

  it('are the model, if it is the largest geometry and the others are too small', () => {
    assert.deepEqual(select({ geometries: [{ maxSize: 400 }], texturePacks: [] }), {});
  });

  it('are the smallest texture pack of which a pixel covers at most 1.4 of the poster', () => {
    for (const [uvPerMeter, size] of [
      // A texture on two meters, of which the poster shows 800 pixels.
      [1 / 2, 768],
      [1 / 1.2, 384],
      [1 / 3, 1024],
      [1 / 6, 2048],
      [1 / 100, 2048],
    ] as const)
      assert.deepEqual(
        select({ uvPerMeter }).texturePack,
        { path: `/job/out/textures-${size}.glb`, size },
        String(uvPerMeter),
      );
    assert.equal(select({}).texturePack?.size, 768, 'as if a texture covered the model once');
    assert.equal(select({ uvPerMeter: 1 / 6 }, false).texturePack?.size, 768);
  });
});
