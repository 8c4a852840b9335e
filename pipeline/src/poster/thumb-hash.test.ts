import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readThumbHash } from '../../../viewer/src/thumb-hash.ts';
import { type Pixels, writeThumbHash } from './thumb-hash.ts';

type Paint = (x: number, y: number) => number[];

function paint(width: number, height: number, colour: Paint): Pixels {
  const data = new Uint8Array(width * height * 4);
  for (let at = 0; at < width * height; at++) {
    data.set(colour(at % width, Math.floor(at / width)), at * 4);
  }
  return { width, height, data };
}

const disc: Paint = (x, y) => [20, 138, 59, Math.hypot(x - 13, y - 16) < 10 ? 255 : 0];
const plaid: Paint = (x, y) => [x * 3, 255 - y * 4, (x * y) % 256, (x * 2 + y) % 256];

// Written by the reference implementation, thumbhash 0.1.1.
const rows: [what: string, pixels: Pixels, hash: string][] = [
  ['a disc on nothing', paint(26, 32, disc), 'khiBBAA1iIl3mGePd3MI0Il3gnaIB6h4Bw=='],
  ['a plaid', paint(80, 60, plaid), 'YSiGHIomoYdveIaHJ/p2sbAJd1eHiIiHCA=='],
  ['nothing at all', paint(8, 6, () => [9, 9, 9, 0]), 'AAiCBIAAAAAAAAAAAAAAAAAAAAAAAAAAAA=='],
];

/** The mean of what is opaque, red, green and blue, and how opaque all is. */
function mean({ data }: { data: Uint8Array | Uint8ClampedArray }): number[] {
  const sum = [0, 0, 0, 0];
  for (const [index, value] of data.entries()) {
    const alpha = data[index - (index % 4) + 3] ?? 0;
    sum[index % 4] = (sum[index % 4] ?? 0) + (index % 4 === 3 ? value : (value * alpha) / 255);
  }
  const [, , , opacity = 0] = sum;
  return sum.map((value, part) =>
    part === 3 ? value / (data.length / 4) : (value * 255) / opacity,
  );
}

describe('a ThumbHash', () => {
  for (const [what, pixels, hash] of rows) {
    it(`of ${what} is what the reference writes`, () => {
      assert.equal(Buffer.from(writeThumbHash(pixels)).toString('base64'), hash);
    });
  }

  const colours: [what: string, pixels: Pixels][] = [
    ['one colour', paint(80, 60, () => [200, 90, 30, 255])],
    ['a sunset', paint(80, 60, (x, y) => [255 - y, 120 + x, y * 3, 255])],
    ['a tower', paint(30, 90, (x, y) => [90, 110 + x, 160 + y, 255])],
    ['a disc on nothing', paint(26, 32, disc)],
  ];
  for (const [what, pixels] of colours) {
    it(`of ${what}, read by the viewer, has nearly the same colours`, () => {
      const hash = writeThumbHash(pixels);
      assert.ok(hash.length <= 40, `${hash.length} bytes`);
      const [before, after] = [mean(pixels), mean(readThumbHash(hash))];
      for (const [part, value] of before.entries()) {
        assert.ok(Math.abs(value - (after[part] ?? 0)) < 12, `${before} and ${after}`);
      }
    });
  }
});
