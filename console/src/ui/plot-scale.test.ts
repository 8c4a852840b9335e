import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  findClosestIndex,
  findTimeTicks,
  findValueTicks,
  summarizeHours,
  toLinePath,
} from './plot-scale.ts';

test('the lines across a plot have round values, and the last one is not below the highest value', () => {
  const cases: [max: number, minStep: number, ticks: number[]][] = [
    [0, 0, [0, 1]],
    [1, 1, [0, 1]],
    [3, 1, [0, 1, 2, 3]],
    [0.3, 0, [0, 0.1, 0.2, 0.3]],
    [10, 1, [0, 5, 10]],
    [100, 1, [0, 50, 100]],
    [101, 1, [0, 50, 100, 150]],
    [7_300_000_000, 0, [0, 2e9, 4e9, 6e9, 8e9]],
  ];
  for (const [max, minStep, ticks] of cases) {
    const found = findValueTicks(max, minStep);
    assert.deepEqual(
      found.map((value) => Number(value.toPrecision(12))),
      ticks,
      String(max),
    );
  }
});

test('times are full hours within the period', () => {
  const from = new Date(2026, 4, 4, 7, 30).getTime();
  const to = new Date(2026, 4, 5, 7, 30).getTime();
  const hours = findTimeTicks(from, to, 6).map((tick) => new Date(tick).getHours());
  assert.deepEqual(hours, [12, 18, 0, 6]);
});

test('a line is interrupted where samples are missing', () => {
  const scale = { times: [0, 10, 20, 50, 60], from: 0, to: 100, max: 10, maxGapMs: 15 };
  assert.equal(
    toLinePath([0, 5, 10, 10, null], scale),
    'M0 1000h.1L100 500L200 0M500 0h.1',
    'after a gap, and before a value that was not measured',
  );
  assert.equal(toLinePath([1, null, 1, null, null], scale), 'M0 900h.1M200 900h.1');
});

test('the closest sample to a time', () => {
  const times = [10, 20, 40];
  const found = [0, 14, 16, 29, 31, 99].map((time) => findClosestIndex(times, time));
  assert.deepEqual(found, [0, 0, 1, 1, 2, 2]);
});

test('an hour has the lowest and the highest value of each series', () => {
  const hour = 3_600_000;
  const times = [hour, hour + 60_000, 3 * hour];
  assert.deepEqual(
    summarizeHours(times, [
      [4, 2, 9],
      [null, null, 1],
    ]),
    [
      { time: hour, ranges: [{ min: 2, max: 4 }, undefined] },
      {
        time: 3 * hour,
        ranges: [
          { min: 9, max: 9 },
          { min: 1, max: 1 },
        ],
      },
    ],
  );
});
