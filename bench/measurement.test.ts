import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareWithTarget, type Measurement } from './measurement.ts';

const rows: [value: number | undefined, target: Partial<Measurement>, result: string][] = [
  [100, { atMost: 100 }, 'met'],
  [101, { atMost: 100 }, 'NOT MET'],
  [0.95, { atLeast: 0.95 }, 'met'],
  [0.94, { atLeast: 0.95 }, 'NOT MET'],
  [1, { atLeast: 0.95, spread: 0.04 }, 'met'],
  [1, { atLeast: 0.95, spread: 0.06 }, 'inconclusive'],
  [0.9, { atLeast: 0.95, spread: 0.06 }, 'inconclusive'],
  [0.9, { atLeast: 0.95, spread: 0.04 }, 'NOT MET'],
  [7, {}, 'no target'],
  [undefined, { atLeast: 1 }, 'not measured'],
];

for (const [value, target, result] of rows) {
  test(`${value}, target ${JSON.stringify(target)}: ${result}`, () => {
    assert.equal(compareWithTarget({ label: '', unit: '', value, ...target }), result);
  });
}
