import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Vector3 } from 'three';
import { describeView } from './announcer.ts';

describe('a view in words', () => {
  const rows: [azimuth: number, elevation: number, words: string][] = [
    [0, 0, 'View from front'],
    [32, 16, 'View from front right, above'],
    [-45, 20, 'View from front left, above'],
    [90, -30, 'View from right, below'],
    [180, 5, 'View from back'],
    [-180, 5, 'View from back'],
    [720 + 270, 0, 'View from left'],
    [10, 85, 'View from the top'],
    [10, -85, 'View from below'],
  ];
  for (const [azimuth, elevation, words] of rows) {
    it(`${azimuth}° around, ${elevation}° up: ${words}`, () => {
      const [a, e] = [(azimuth * Math.PI) / 180, (elevation * Math.PI) / 180];
      assert.equal(
        describeView({ azimuth: a, elevation: e, zoom: 1, target: new Vector3() }),
        words,
      );
    });
  }
});
