import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupUsage } from './group-usage.ts';

const seen = { firstSeenAt: '', lastSeenAt: '' };
const USAGE = [
  { day: '2026-05-01', views: 1, bytes: 10, ...seen },
  { day: '2026-05-03', views: 2, bytes: 20, ...seen },
  { day: '2026-05-04', views: 4, bytes: 40, ...seen },
];
const toDay = (time: number) => new Date(time).toISOString().slice(0, 10);

test('each day has a value, also those without usage', () => {
  const days = groupUsage(USAGE, { lastDay: '2026-05-04', days: 3, periodDays: 1 });
  assert.deepEqual(
    days.map(({ time, views, bytes }) => [toDay(time), views, bytes]),
    [
      ['2026-05-02', 0, 0],
      ['2026-05-03', 2, 20],
      ['2026-05-04', 4, 40],
    ],
  );
});

test('several days are added up; the last one ends with the last day', () => {
  const periods = groupUsage(USAGE, { lastDay: '2026-05-04', days: 5, periodDays: 2 });
  assert.deepEqual(
    periods.map(({ time, views }) => [toDay(time), views]),
    [
      ['2026-05-01', 1],
      ['2026-05-03', 6],
    ],
  );
  const year = groupUsage(USAGE, { lastDay: '2026-05-04', days: 400, periodDays: 7 });
  assert.equal(year.length, 57);
});
