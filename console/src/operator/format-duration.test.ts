import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration } from './format-duration.ts';

test('a duration has its two largest units', () => {
  const cases: [minutes: number, text: string][] = [
    [0.9, 'less than a minute'],
    [1, '1 minute'],
    [60, '1 hour'],
    [125, '2 hours 5 minutes'],
    [24 * 60 + 5, '1 day'],
    [3 * 24 * 60 + 61, '3 days 1 hour'],
  ];
  for (const [minutes, text] of cases) assert.equal(formatDuration(minutes * 60_000), text);
});
