import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@cloche/contract/problem';
import { withTimeout } from './with-timeout.ts';

const createTimeoutProblem = () => new Problem('request.timeout');

test('resolves and rejects as the promise does', async () => {
  assert.equal(await withTimeout(Promise.resolve(1), 1000, createTimeoutProblem), 1);
  await assert.rejects(withTimeout(Promise.reject(new Error('x')), 1000, createTimeoutProblem), {
    message: 'x',
  });
});

test('rejects with the problem after the timeout', async () => {
  await assert.rejects(
    withTimeout(sleep(1000, undefined, { ref: false }), 5, createTimeoutProblem),
    {
      code: 'request.timeout',
    },
  );
});
