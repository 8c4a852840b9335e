import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAge, formatBytes, formatInteger, formatLength } from './format.ts';

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
    [4_000_000_000_000, '4000 GB'],
  ];
  for (const [bytes, text] of cases) assert.equal(formatBytes(bytes), text);
});

test('counts have separators, lengths fit their size', () => {
  assert.equal(formatInteger(48_210), '48,210');
  const lengths = [0.0042, 0.17, 0.999, 1.5, 4200].map(formatLength);
  assert.deepEqual(lengths, ['4.2 mm', '17.0 cm', '99.9 cm', '1.50 m', '4,200 m']);
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
