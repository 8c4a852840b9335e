import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createJob, LEASE_DURATION_MS } from './job.ts';
import { keepLease } from './keep-lease.ts';

/** Keeps a lease whose renewals have the given results, one after the other. */
function open(t: TestContext, results: (boolean | Error | Promise<boolean>)[]) {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  let lost = 0;
  const lease = keepLease(createJob('revision'), {
    jobs: {
      async renewLease() {
        const result = results.shift();
        if (result === undefined || result instanceof Error) throw result ?? new Error('no result');
        return result;
      },
    },
    now: () => new Date(),
    claimedAtMs: performance.now(),
    onLost: () => {
      lost += 1;
    },
    log: { warn() {} },
  });
  const advance = async (ms: number) => {
    t.mock.timers.tick(ms);
    await nextTurn();
  };
  return { lease, advance, countLost: () => lost };
}

const RENEWAL_MS = LEASE_DURATION_MS / 3;
const UNREACHABLE = new Error('the database does not respond');

test('a lease that is renewed is kept', async (t) => {
  const { advance, countLost } = open(t, Array(9).fill(true));
  for (let round = 0; round < 9; round += 1) await advance(RENEWAL_MS);
  assert.equal(countLost(), 0);
});

test('a lease that another runner has is lost', async (t) => {
  const { advance, countLost } = open(t, [true, false]);
  await advance(RENEWAL_MS);
  assert.equal(countLost(), 0);
  await advance(RENEWAL_MS);
  assert.equal(countLost(), 1);
});

test('a lease that cannot be renewed is lost before it ends', async (t) => {
  const { advance, countLost } = open(t, [UNREACHABLE, UNREACHABLE]);
  await advance(RENEWAL_MS);
  await advance(RENEWAL_MS);
  assert.equal(countLost(), 0);
  await advance(RENEWAL_MS - 1_000);
  assert.equal(countLost(), 1);
});

test('a process that was paused for longer than its lease keeps it, if no other runner has it', async (t) => {
  const { advance, countLost } = open(t, [UNREACHABLE, UNREACHABLE, true, true]);
  await advance(RENEWAL_MS);
  await advance(RENEWAL_MS);
  await advance(RENEWAL_MS - 1_000);
  assert.equal(countLost(), 0);
  await advance(RENEWAL_MS);
  assert.equal(countLost(), 0);
});

test('a lease is lost before it ends if the database does not respond, and a later response changes nothing', async (t) => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const { advance, countLost } = open(t, [promise, promise, promise]);
  for (let round = 0; round < 2; round += 1) await advance(RENEWAL_MS);
  await advance(RENEWAL_MS - 2_000);
  assert.equal(countLost(), 0);
  await advance(1_500);
  assert.equal(countLost(), 1);
  resolve(true);
  await advance(LEASE_DURATION_MS);
  assert.equal(countLost(), 1);
});

test('one failed renewal does no harm, and nothing happens after the job', async (t) => {
  const { lease, advance, countLost } = open(t, [UNREACHABLE, true, UNREACHABLE]);
  for (let round = 0; round < 4; round += 1) await advance(RENEWAL_MS);
  lease[Symbol.dispose]();
  await advance(LEASE_DURATION_MS);
  assert.equal(countLost(), 0);
});
