import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HeightMap } from './height-map.ts';
import { computeOcclusion } from './occlusion.ts';

const SAMPLES_PER_TEXEL = 4;
const [TEXELS, FOOTPRINT] = [96, 48];
const SIZE = TEXELS * SAMPLES_PER_TEXEL;

/** The occlusion by a box over the quarter in the middle of the ground. Heights relative to the footprint. */
function occludeByBox(bottom: number, top: number, margin = SIZE / 4) {
  const map = new HeightMap({ width: SIZE, depth: SIZE });
  for (let z = margin; z < SIZE - margin; z++) {
    for (let x = margin; x < SIZE - margin; x++) {
      map.lowest[z * SIZE + x] = bottom;
      map.highest[z * SIZE + x] = top;
    }
  }
  const { values, width } = computeOcclusion(map, {
    samplesPerTexel: SAMPLES_PER_TEXEL,
    footprint: FOOTPRINT,
  });
  return (x: number, z = TEXELS / 2) => values[z * width + x] as number;
}

/** The distance over which a shadow decreases from 90 % to 10 % of its largest value, in texels. */
function measureSoftness(read: (x: number) => number): number {
  const values = Array.from({ length: TEXELS / 2 }, (_, x) => read(x));
  const max = Math.max(...values);
  const first = values.findIndex((value) => value > 0.1 * max);
  return values.findIndex((value) => value > 0.9 * max) - first;
}

describe('the occlusion of the ground', () => {
  it('is complete below what touches it, with a sharp edge', () => {
    const read = occludeByBox(0, 0);
    assert.ok(read(48) > 0.99, `${read(48)}`);
    assert.ok(read(18) < 0.01, `${read(18)}`);
    assert.ok(measureSoftness(read) <= 3, `${measureSoftness(read)} texels`);
  });

  it('is softer and lighter, the higher the surface is', () => {
    const shadows = [0, 0.05, 0.1, 0.2, 0.4].map((height) => occludeByBox(height, height));
    const softness = shadows.map(measureSoftness);
    const darkness = shadows.map((read) => read(48));
    for (let index = 1; index < shadows.length; index++) {
      assert.ok((softness[index] as number) > (softness[index - 1] as number), softness.join());
      assert.ok((darkness[index] as number) <= (darkness[index - 1] as number), darkness.join());
    }
    assert.ok((darkness.at(-1) as number) > 0.1, darkness.join());
  });

  it('changes continuously with the height', () => {
    const darkness = Array.from({ length: 33 }, (_, step) => {
      const height = 0.01 * 1.18 ** step;
      return occludeByBox(height, height)(48);
    });
    for (const [index, value] of darkness.entries()) {
      const step = Math.abs(value - (darkness[index - 1] ?? value));
      assert.ok(step < 0.2, `${step} at step ${index}`);
    }
    assert.ok((darkness.at(-1) as number) < 0.01, 'something very high casts a shadow');
  });

  it('extends further beside a higher solid part', () => {
    const beside = [0, 0.1, 0.2].map((top) => occludeByBox(0, top)(21));
    for (let index = 1; index < beside.length; index++) {
      assert.ok((beside[index] as number) > (beside[index - 1] as number), beside.join());
    }
  });

  it('is symmetric', () => {
    const read = occludeByBox(0.03, 0.3);
    for (let x = 0; x < TEXELS; x++) {
      assert.ok(Math.abs(read(x) - read(TEXELS - 1 - x)) < 1e-9);
      assert.ok(Math.abs(read(x) - read(TEXELS / 2, x)) < 1e-9);
    }
  });

  it('is nothing without a model', () => {
    const read = occludeByBox(0, 0, SIZE / 2);
    for (let x = 0; x < TEXELS; x++) assert.equal(read(x), 0);
  });
});
