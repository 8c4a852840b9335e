import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareWithTarget } from '../measurement.ts';
import { createScrollGoals, createSearchGoals } from './goals.ts';

const toTimes = (p95: number) => ({ p50: 1, p95, p99: p95, max: p95 });
const toSearch = (label: string, p95: number) => ({ label, times: toTimes(p95), cpuMs: 1 });
const toScrolling = (label: string, lateShare: number) => ({
  ...{ label, lateShare, times: toTimes(17), frames: 600 },
  ...{ mostCards: 30, cpuMs: 1, scriptMs: 1 },
});

test('the p95 of each search is compared with 100 ms, and is inconclusive on a busy machine', () => {
  const rows: [one: number, search: number, result: string][] = [
    [3, 100, 'met'],
    [3, 100.1, 'NOT MET'],
    [40, 300, 'inconclusive'],
    [40, 45, 'met'],
  ];
  for (const [one, search, result] of rows) {
    const goals = createSearchGoals([toSearch('one design', one), toSearch('search', search)]);
    assert.deepEqual(goals.map(compareWithTarget), [result], `${one} ${search}`);
  }
});

test('late frames are compared with those of an empty page', () => {
  const rows: [empty: number, list: number, result: string][] = [
    [0, 0, 'met'],
    [0, 0.009, 'met'],
    [0, 0.011, 'NOT MET'],
    [0.01, 0.019, 'met'],
    [0.01, 0.021, 'NOT MET'],
    [0.02, 0.02, 'inconclusive'],
    [0.02, 0.9, 'inconclusive'],
    [0.5, 0.1, 'inconclusive'],
  ];
  for (const [empty, list, result] of rows) {
    const goals = createScrollGoals([
      toScrolling('an empty page', empty),
      toScrolling('list', list),
    ]);
    assert.deepEqual(goals.map(compareWithTarget), [result], `${empty} ${list}`);
  }
});
