import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import {
  decodePixels,
  flattenUnusedChannels,
  getChannelRanges,
  type PixelData,
  removeAlpha,
} from './decode-pixels.ts';

/** Two pixels. */
const toPixels = (channels: 3 | 4, values: number[]): PixelData => ({
  ...{ data: Buffer.from(values), width: 2, height: 1, channels },
});
const RGB = toPixels(3, [10, 20, 30, 200, 100, 50]);
const RGBA = toPixels(4, [10, 20, 30, 255, 200, 100, 50, 128]);

describe('pixels', () => {
  it('without alpha keep their colors', () => {
    assert.deepEqual(removeAlpha(RGBA), RGB);
    assert.equal(removeAlpha(RGB), RGB);
  });

  it('have a range in each channel', () => {
    const colors = [
      [10, 200],
      [20, 100],
      [30, 50],
    ];
    assert.deepEqual(getChannelRanges(RGB), colors);
    assert.deepEqual(getChannelRanges(RGBA), [...colors, [128, 255]]);
  });

  // Two used channels: (0.587 × 20 + 0.114 × 30) / 0.701 = 21.6.
  for (const [name, pixels, used, expected] of [
    ['one used channel become gray', RGB, [1], [20, 20, 20, 100, 100, 100]],
    ['one used channel keep alpha', RGBA, [2], [30, 30, 30, 255, 50, 50, 50, 128]],
    ['two used channels get their luma', RGB, [1, 2], [22, 20, 30, 92, 100, 50]],
    ['all used channels stay', RGB, [0, 1, 2], [10, 20, 30, 200, 100, 50]],
  ] as const) {
    it(`with ${name}`, () => {
      const isUsed = (channel: number) => (used as readonly number[]).includes(channel);
      const flat = flattenUnusedChannels(pixels, [isUsed(0), isUsed(1), isUsed(2), true]);
      assert.deepEqual([...flat.data], expected);
    });
  }

  it('keep their colors where an independent alpha is 0', async () => {
    const values = [10, 20, 30, 0, 200, 100, 50, 128];
    const raw = { width: 2, height: 1, channels: 4 } as const;
    const png = await sharp(Buffer.from(values), { raw }).png().toBuffer();
    const usage = { usedChannels: [true, true, true, true], alphaIsCoverage: false } as const;
    const { data, channels } = await decodePixels(png, usage, 2);
    assert.deepEqual([[...data], channels], [values, 4]);
  });
});
