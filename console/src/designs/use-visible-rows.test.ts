import assert from 'node:assert/strict';
import { it } from 'node:test';
import { computeTops, findRow } from './use-visible-rows.ts';

it('the tops of rows include the gaps; the last value is the top of the next row', () => {
  assert.deepEqual(computeTops([100, 50, 80], 10), [0, 110, 170, 260]);
  assert.deepEqual(computeTops([], 10), [0]);
});

it('finds the row at a position, in each part of it', () => {
  const tops = computeTops([100, 50, 80], 10);
  const positions = [-500, 0, 109, 110, 169, 170, 259, 260, 10_000];
  const rows = positions.map((position) => findRow(tops, position));
  assert.deepEqual(rows, [0, 0, 0, 1, 1, 2, 2, 3, 3]);
  assert.equal(findRow(computeTops([], 10), 50), 0);
});
