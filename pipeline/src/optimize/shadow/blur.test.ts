import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blur, type Grid } from './blur.ts';

/** An empty picture with one point in the middle. */
function makePoint(size: number): Grid {
  const values = new Float64Array(size ** 2);
  values[Math.floor(size / 2) * (size + 1)] = 1;
  return { width: size, height: size, values };
}

const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);

describe('blur', () => {
  for (const sigma of [0.3, 0.8, 1, 2.5, 7, 20]) {
    it(`spreads a point with a standard deviation of ${sigma}`, () => {
      const size = 255;
      const grid = makePoint(size);
      blur(grid, sigma);
      assert.ok(Math.abs(sum(grid.values) - 1) < 1e-9, `${sum(grid.values)}`);
      for (const toDistance of [
        (index: number) => index % size,
        (index: number) => Math.floor(index / size),
      ]) {
        let variance = 0;
        for (const [index, value] of grid.values.entries()) {
          variance += value * (toDistance(index) - 127) ** 2;
        }
        assert.ok(Math.abs(Math.sqrt(variance) - sigma) < 0.001, `${Math.sqrt(variance)}`);
      }
    });
  }

  it('is symmetric, and decreases in all directions', () => {
    const size = 101;
    const { values } = (() => {
      const grid = makePoint(size);
      blur(grid, 6.3);
      return grid;
    })();
    const at = (x: number, y: number) => values[(50 + y) * size + 50 + x] as number;
    for (let x = 0; x < 50; x++) {
      for (let y = 0; y < 50; y++) {
        for (const other of [at(-x, y), at(x, -y), at(y, x)]) {
          assert.ok(Math.abs(at(x, y) - other) < 1e-12);
        }
        assert.ok(at(x + 1, y) <= at(x, y) + 1e-15);
      }
    }
  });

  it('looks the same in all directions: no streaks', () => {
    const grid = makePoint(101);
    blur(grid, 8);
    const at = (x: number, y: number) => grid.values[(50 + y) * 101 + 50 + x] as number;
    for (const [x, y, distance] of [
      [6, 8, 10],
      [8, 15, 17],
      [12, 16, 20],
    ] as const) {
      assert.ok(Math.abs(at(x, y) - at(distance, 0)) < 0.05 * at(0, 0), `at ${distance}`);
    }
  });

  it('loses what leaves the picture, and works for radii larger than it', () => {
    const grid = makePoint(9);
    blur(grid, 50);
    assert.ok(sum(grid.values) > 0 && sum(grid.values) < 0.1);
    assert.ok(grid.values.every(Number.isFinite));
  });

  it('changes nothing with a radius of 0', () => {
    const grid = makePoint(9);
    blur(grid, 0);
    assert.deepEqual(grid, makePoint(9));
  });
});
