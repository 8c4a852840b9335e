import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { poolRounds, type Round } from './pooled-ratio.ts';

const toRounds = (rates: readonly number[]): Round[] =>
  rates.map((rate) => ({ done: rate * 2, cost: 2 }));

describe('the ratio of pooled rounds', () => {
  it('has no spread if all pairs of rounds have the same ratio', () => {
    const { ratio, spread } = poolRounds(toRounds([9, 18, 27]), toRounds([10, 20, 30]));
    assert.ok(Math.abs(ratio - 0.9) < 1e-9, `${ratio}`);
    assert.ok(spread < 1e-9, `${spread}`);
  });

  it('has a spread of two standard errors', () => {
    // The ratios of the pairs are 0.8 and 1.2: their standard deviation is 0.2, of 100 pairs 0.02.
    const ours = Array.from({ length: 100 }, (_, round) => (round % 2 === 0 ? 8 : 12));
    const { ratio, spread } = poolRounds(toRounds(ours), toRounds(ours.map(() => 10)));
    assert.ok(Math.abs(ratio - 1) < 1e-9, `${ratio}`);
    assert.ok(Math.abs(spread - 0.04) < 0.001, `${spread}`);
  });

  it('counts a long round more than a short one', () => {
    const ours = [...toRounds([10, 10]), { done: 0, cost: 96 }];
    const { ratio } = poolRounds(ours, toRounds([10, 10, 10]));
    assert.ok(Math.abs(ratio - 0.04) < 1e-9, `${ratio}`);
  });

  it('needs pairs', () => {
    assert.throws(() => poolRounds(toRounds([1, 1, 1]), toRounds([1, 1])), /same number/);
  });
});
