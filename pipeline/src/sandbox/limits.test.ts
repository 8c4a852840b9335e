import assert from 'node:assert/strict';
import { it } from 'node:test';
import { getDefaultLimits, getTimeoutMs } from './limits.ts';

const MIB = 1024 * 1024;

it('the time limit grows with what the file decodes to, up to a maximum', () => {
  const limits = { ...getDefaultLimits(), timeoutMs: 600_000 };
  const sizes = [0, 1000, MIB, 8 * MIB, 500 * MIB, undefined];
  assert.deepEqual(
    sizes.map((size) => Math.round(getTimeoutMs(size, limits) / 1000)),
    [60, 60, 62, 76, 600, 600],
  );
  assert.equal(getTimeoutMs(0, { ...limits, timeoutMs: 500 }), 500);
});
