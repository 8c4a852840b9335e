import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Vector3 } from 'three';
import { describeView } from './announcer.ts';

describe('describeView', () => {
  const cases: [azimuth: number, elevation: number, text: string][] = [
    [0, 0, 'View from the front'],
    [32, 16, 'View from the front right and above'],
    [-45, 20, 'View from the front left and above'],
    [90, -30, 'View from the right and below'],
    [180, 5, 'View from the back'],
    [-180, 5, 'View from the back'],
    [720 + 270, 0, 'View from the left'],
    [10, 85, 'View from above'],
    [10, -85, 'View from below'],
  ];
  for (const [azimuth, elevation, text] of cases) {
    it(`azimuth ${azimuth}°, elevation ${elevation}°: ${text}`, () => {
      const [a, e] = [(azimuth * Math.PI) / 180, (elevation * Math.PI) / 180];
      assert.equal(
        describeView({ azimuth: a, elevation: e, zoom: 1, target: new Vector3() }),
        text,
      );
    });
  }
});
