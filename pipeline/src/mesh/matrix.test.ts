import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  composeMatrix,
  IDENTITY_MATRIX,
  isIdentity,
  multiplyMatrices,
  transformBox,
  unionBoxes,
} from './matrix.ts';

const NO_ROTATION = [0, 0, 0, 1];
const QUARTER_TURN_AROUND_Z = [0, 0, Math.SQRT1_2, Math.SQRT1_2];
const ONES = [1, 1, 1];
const translate = composeMatrix([1, 2, 3], NO_ROTATION, ONES);
const scale = composeMatrix([0, 0, 0], NO_ROTATION, [2, 2, 2]);

describe('matrix', () => {
  it('returns the product of two matrices, which applies the right one first', () => {
    assert.deepEqual(multiplyMatrices(translate, scale).slice(12), [1, 2, 3, 1]);
    assert.deepEqual(multiplyMatrices(scale, translate).slice(12), [2, 4, 6, 1]);
  });

  it('leaves a matrix unchanged when multiplied by the identity', () => {
    assert.deepEqual(multiplyMatrices(translate, IDENTITY_MATRIX), translate);
    assert.deepEqual(multiplyMatrices(IDENTITY_MATRIX, translate), translate);
  });

  it('recognizes the identity despite rounding errors', () => {
    assert.ok(isIdentity(IDENTITY_MATRIX));
    assert.ok(isIdentity(Array.from(IDENTITY_MATRIX, (value) => value + 1e-12)));
    assert.ok(!isIdentity(translate));
    assert.ok(!isIdentity(scale));
  });

  it('returns the box around the corners of a transformed box', () => {
    const matrix = composeMatrix([10, 0, 0], QUARTER_TURN_AROUND_Z, [1, 2, 1]);
    const { min, max } = transformBox(matrix, { min: [0, 0, 0], max: [1, 1, 1] });
    const round = (values: readonly number[]) =>
      values.map((value) => Math.round(value * 1e6) / 1e6 + 0);
    assert.deepEqual(
      [round(min), round(max)],
      [
        [8, 0, 0],
        [10, 1, 1],
      ],
    );
  });

  it('returns the box around two boxes', () => {
    const a = { min: [0, 0, 0], max: [1, 1, 1] } as const;
    const b = { min: [-1, 0.5, 0], max: [0.5, 2, 1] } as const;
    assert.deepEqual(
      unionBoxes({ min: [...a.min], max: [...a.max] }, { min: [...b.min], max: [...b.max] }),
      {
        min: [-1, 0, 0],
        max: [1, 2, 1],
      },
    );
  });
});
