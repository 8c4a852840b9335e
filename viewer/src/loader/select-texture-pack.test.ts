import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { estimateModelScale, selectTexturePack } from './select-texture-pack.ts';

const textures = [512, 1024, 2048].map((size) => ({ size, url: `/${size}.glb`, bytes: size }));
const levels = { geometries: [], textures, uvPerMeter: 2 };

describe('the texture pack for a screen', () => {
  const rows: [reason: string, pixelsPerMeter: number, size: number][] = [
    ['a small picture', 10, 512],
    ['as many pixels as the smallest pack', 1024, 512],
    ['a tenth more', 1126, 512],
    ['more', 1127, 1024],
    ['more pixels than any pack', 1e6, 2048],
  ];
  for (const [reason, pixelsPerMeter, size] of rows) {
    it(`${reason}: ${size}`, () => {
      const scale = { metersPerPixel: 1 / pixelsPerMeter, longestSide: 1 };
      assert.equal(selectTexturePack(levels, scale)?.size, size);
    });
  }

  it('is at most 2048 pixels large for a model that is not shown yet', () => {
    const large = {
      ...levels,
      textures: [...textures, { size: 4096, url: '/4096.glb', bytes: 1 }],
    };
    const scale = { metersPerPixel: 1e-6, longestSide: 1 };
    assert.equal(selectTexturePack(large, scale)?.size, 2048);
    assert.equal(selectTexturePack(large, undefined)?.size, 2048);
    for (const [maxSize, expected] of [
      [4096, 4096],
      [4095, 2048],
      [100, 2048],
    ] as const) {
      const fits = ({ size }: { size: number }) => size <= maxSize;
      assert.equal(selectTexturePack(large, scale, fits)?.size, expected);
    }
    const only = { ...levels, textures: large.textures.slice(3) };
    assert.equal(selectTexturePack(only, scale)?.size, 4096, 'the only one');
  });

  it('the size of its images decides whether a model is loaded with it', () => {
    const scale = { metersPerPixel: 1e-6, longestSide: 1 };
    const select = (imageSizes: readonly number[]) =>
      selectTexturePack(
        {
          ...levels,
          textures: textures.map((pack, index) => ({
            ...pack,
            imageSize: imageSizes[index] as number,
          })),
        },
        scale,
      )?.size;
    assert.equal(select([512, 1024, 2048]), 2048);
    assert.equal(select([512, 1024, 4096]), 1024);
    assert.equal(select([1024, 4096, 4096]), 512);
    const full = { size: 4096, imageSize: 2048, url: '', bytes: 1 };
    assert.equal(selectTexturePack({ ...levels, textures: [...textures, full] }, scale), full);
  });

  it('without a density, a texture covers the model once', () => {
    const unknown = { geometries: [], textures };
    const scale = { metersPerPixel: 0.01, longestSide: 9 };
    assert.equal(selectTexturePack(unknown, scale)?.size, 1024);
  });

  it('a model without textures has none', () => {
    const scale = { metersPerPixel: 1, longestSide: 1 };
    assert.equal(selectTexturePack({ geometries: [], textures: [] }, scale), undefined);
  });
});

describe('the scale of a model before it is loaded', () => {
  const box = { min: [-1, 0, -1], max: [1, 2, 1] } satisfies {
    min: number[];
    max: number[];
  } as never;
  const scale = (width: number, height: number, pixelRatio = 1) =>
    estimateModelScale(box, { clientWidth: width, clientHeight: height }, pixelRatio);

  it('fits into the frame', () => {
    const { metersPerPixel, longestSide } = scale(800, 600);
    assert.equal(longestSide, 2);
    const height = 2 / metersPerPixel;
    assert.ok(height > 200 && height < 600, `${height} pixels high`);
  });

  it('follows the size of the frame and the pixels of the device', () => {
    const { metersPerPixel } = scale(800, 600);
    assert.ok(Math.abs(scale(1600, 1200).metersPerPixel / metersPerPixel - 0.5) < 1e-6);
    assert.ok(Math.abs(scale(800, 600, 2).metersPerPixel / metersPerPixel - 0.5) < 1e-6);
  });
});
