import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readThumbHash } from './thumb-hash.ts';

type Place = [x: number, y: number, rgba: number[]];

// Written and read by the reference implementation, thumbhash 0.1.1.
const rows: [what: string, hash: string, size: [number, number], places: Place[]][] = [
  [
    'red to the right, green downwards',
    '3wcKNZqAh4eAeId4eHiIh4BwCPiI',
    [32, 23],
    [
      [0, 0, [42, 12, 149, 255]],
      [31, 0, [255, 3, 133, 255]],
      [16, 11, [114, 121, 127, 255]],
      [3, 21, [6, 248, 118, 255]],
    ],
  ],
  [
    'a green disc on nothing',
    'khiBBAA2CHiHJ6h4dnAI+Hh9gHaIB6h4Bg==',
    [26, 32],
    [
      [0, 0, [20, 138, 59, 0]],
      [13, 16, [20, 138, 59, 255]],
      [3, 30, [20, 138, 59, 0]],
    ],
  ],
];

describe('a ThumbHash', () => {
  for (const [what, hash, size, places] of rows) {
    it(`of ${what}`, () => {
      const { width, height, data } = readThumbHash(Buffer.from(hash, 'base64'));
      assert.deepEqual([width, height], size);
      for (const [x, y, rgba] of places) {
        const at = (y * width + x) * 4;
        assert.deepEqual([...data.subarray(at, at + 4)], rgba, `${x}, ${y}`);
      }
    });
  }

  it('of no bytes, or of any bytes, is some small picture', () => {
    for (const hash of [[], [1, 2, 3], Array(40).fill(255), Array(40).fill(0)]) {
      const { width, height, data } = readThumbHash(Uint8Array.from(hash));
      assert.ok(width > 0 && width <= 32 && height > 0 && height <= 32, `${width} × ${height}`);
      assert.equal(data.length, width * height * 4);
    }
  });
});
