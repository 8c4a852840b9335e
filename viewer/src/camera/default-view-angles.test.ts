import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeDefaultViewAspect } from './default-view-angles.ts';

describe('how a design is first seen', () => {
  const rows: [what: string, size: [number, number, number], ratio: number][] = [
    ['a cube', [1, 1, 1], 1.03],
    ['a tower', [1, 10, 1], 0.14],
    ['a plate', [10, 0.1, 10], 1.61],
    ['a wall', [10, 5, 0.1], 1.52],
  ];
  for (const [what, [x, y, z], ratio] of rows) {
    it(`${what}: ${ratio} as wide as high`, () => {
      const seen = computeDefaultViewAspect({ x, y, z });
      assert.ok(Math.abs(seen - ratio) < 0.02, `${seen}`);
    });
  }
});
