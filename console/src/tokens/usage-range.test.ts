import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveRange } from './usage-range.ts';

const NOW = Date.parse('2026-05-04T23:30:00Z');

test('the first and the last day belong to a range', () => {
  assert.deepEqual(resolveRange({ days: 7 }, NOW), {
    ...{ from: '2026-04-28', to: '2026-05-04', days: 7 },
  });
  const day = { from: '2026-03-28', to: '2026-03-28' };
  assert.deepEqual(resolveRange(day, NOW), { ...day, days: 1 });
  const overClockChange = { from: '2026-03-28', to: '2026-03-30' };
  assert.equal(resolveRange(overClockChange, NOW).days, 3);
});
