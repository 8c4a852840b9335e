import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeDefaultViewAspect } from './default-view.ts';

describe('computeDefaultViewAspect', () => {
  const cases: [name: string, size: [number, number, number], aspect: number][] = [
    ['a cube', [1, 1, 1], 1.03],
    ['a tower', [1, 10, 1], 0.14],
    ['a plate', [10, 0.1, 10], 1.61],
    ['a wall', [10, 5, 0.1], 1.52],
  ];
  for (const [name, [x, y, z], aspect] of cases) {
    it(`${name}: ${aspect}`, () => {
      const computed = computeDefaultViewAspect({ x, y, z });
      assert.ok(Math.abs(computed - aspect) < 0.02, `${computed}`);
    });
  }
});
