import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { encodeThumbHash } from '../../../pipeline/src/poster/capture-poster.ts';
import { showPlaceholder } from './placeholder.ts';

type Pixels = { width: number; height: number; rgba: Uint8Array | Uint8ClampedArray };
type PixelFunction = (x: number, y: number) => number[];

function makePixels(width: number, height: number, pixelAt: PixelFunction) {
  const rgba = new Uint8Array(width * height * 4);
  for (let index = 0; index < width * height; index++) {
    rgba.set(pixelAt(index % width, Math.floor(index / width)), index * 4);
  }
  return { width, height, rgba };
}

/** The mean red, green and blue, weighted by alpha, and the mean alpha. */
function meanColor({ rgba }: Pixels): number[] {
  const sum = [0, 0, 0, 0];
  for (const [index, value] of rgba.entries()) {
    const channel = index % 4;
    const alpha = rgba[index - channel + 3] ?? 0;
    sum[channel] = (sum[channel] ?? 0) + (channel === 3 ? value : (value * alpha) / 255);
  }
  const [, , , alphaSum = 0] = sum;
  return sum.map((value, channel) =>
    channel === 3 ? value / (rgba.length / 4) : (value * 255) / alphaSum,
  );
}

/** Calls showPlaceholder with a fake document that has the members it uses. Returns the drawn pixels. */
function drawPlaceholder(t: TestContext, thumbHash: string): Pixels {
  let drawn: Pixels | undefined;
  class FakeImageData {
    readonly pixels: Pixels;
    constructor(rgba: Uint8ClampedArray, width: number, height: number) {
      assert.equal(rgba.length, width * height * 4);
      this.pixels = { width, height, rgba };
    }
  }
  Object.assign(globalThis, { ImageData: FakeImageData });
  t.after(() => Reflect.deleteProperty(globalThis, 'ImageData'));
  const context = {
    putImageData: ({ pixels }: FakeImageData) => {
      drawn = pixels;
    },
  };
  const page = {
    documentElement: { style: { setProperty() {} }, dataset: {} },
    createElement: () => ({ getContext: () => context }),
    querySelector: () => null,
  };
  showPlaceholder(page as unknown as Document, { background: '#ffffff', thumbHash });
  return drawn ?? assert.fail('nothing is drawn');
}

const disc: PixelFunction = (x, y) => [20, 138, 59, Math.hypot(x - 13, y - 16) < 10 ? 255 : 0];

describe('showPlaceholder', () => {
  const images: [name: string, pixels: ReturnType<typeof makePixels>][] = [
    ['one color', makePixels(80, 60, () => [200, 90, 30, 255])],
    ['a sunset', makePixels(80, 60, (x, y) => [255 - y, 120 + x, y * 3, 255])],
    ['a tower', makePixels(30, 90, (x, y) => [90, 110 + x, 160 + y, 255])],
    ['a disc on a transparent background', makePixels(26, 32, disc)],
  ];
  for (const [name, pixels] of images) {
    it(`draws the colors of the poster: ${name}`, (t) => {
      const thumbHash = encodeThumbHash(pixels);
      assert.ok(Buffer.from(thumbHash, 'base64').length <= 40, thumbHash);
      const [expected, actual] = [meanColor(pixels), meanColor(drawPlaceholder(t, thumbHash))];
      for (const [channel, value] of expected.entries()) {
        assert.ok(Math.abs(value - (actual[channel] ?? 0)) < 12, `${expected} and ${actual}`);
      }
    });
  }
});
