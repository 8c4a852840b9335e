import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAge, formatBytes, formatInteger, formatMilliseconds } from './format.ts';

test('sizes have three digits', () => {
  const cases: [bytes: number, text: string][] = [
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1000, '1.00 kB'],
    [12_345, '12.3 kB'],
    [999_499, '999 kB'],
    [999_500, '1.00 MB'],
    [1_482_300, '1.48 MB'],
    [256 * 1024 ** 2, '268 MB'],
    [4_000_000_000_000, '4.00 TB'],
    [4_000_000_000_000_000, '4000 TB'],
  ];
  for (const [bytes, text] of cases) assert.equal(formatBytes(bytes), text);
});

test('counts have separators', () => {
  assert.equal(formatInteger(48_210), '48,210');
});

test('durations of a second and more are in seconds', () => {
  const texts = [0, 940, 999.4, 999.5, 1000, 3_149, 61_000].map(formatMilliseconds);
  assert.deepEqual(texts, ['0 ms', '940 ms', '999 ms', '1.0 s', '1.0 s', '3.1 s', '61.0 s']);
});

test('ages', () => {
  const now = new Date('2026-05-04T12:00:00Z');
  const ages = ['12:00:10', '11:59:00', '11:13:00', '11:00:00', '00:00:00'].map((time) =>
    formatAge(new Date(`2026-05-04T${time}Z`), now),
  );
  assert.deepEqual(ages, [
    'just now',
    '1 minute ago',
    '47 minutes ago',
    '1 hour ago',
    '12 hours ago',
  ]);
  assert.match(formatAge(new Date('2026-04-01T12:00:00Z'), now), /Apr 1, 2026/);
});
