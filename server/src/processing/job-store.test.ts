import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { openTestJobStore } from '../../testing/test-job-store.ts';
import { LEASE_DURATION_MS } from './job.ts';
import type { ClaimedJob } from './job-store.ts';

const SECOND_MS = 1000;

test('claims jobs oldest first, each only once', async (t) => {
  const { jobStore, addJob, now, advanceTime } = await openTestJobStore(t);
  const first = await addJob();
  advanceTime(1);
  const second = await addJob();
  const claimed = await Promise.all([
    jobStore.claim(now()),
    jobStore.claim(now()),
    jobStore.claim(now()),
  ]);
  const ids = claimed.flatMap((job) => job?.id ?? []);
  assert.deepEqual(ids.toSorted(), [first.id, second.id].toSorted());
});

test("a user's 4 jobs behind another user's 400 are claimed in the first rounds", async (t) => {
  const { jobStore, addJob, addUser, now, advanceTime } = await openTestJobStore(t);
  const [large, small] = [await addUser('large'), await addUser('small')];
  for (let count = 0; count < 400; count++) await addJob(large);
  advanceTime(1);
  const running: ClaimedJob[] = [];
  const claimNext = async () => {
    const job = await jobStore.claim(now());
    assert.ok(job);
    running.push(job);
  };
  for (let worker = 0; worker < 4; worker++) await claimNext();
  for (let count = 0; count < 4; count++) await addJob(small);
  const claims = new Map([[small, 0]]);
  let endedCount = 0;
  for (; claims.get(small) !== 4; endedCount++) {
    const ended = running.shift();
    assert.ok(ended);
    await jobStore.remove(ended);
    await claimNext();
    const userId = running.at(-1)?.userId ?? '';
    claims.set(userId, (claims.get(userId) ?? 0) + 1);
  }
  assert.deepEqual([endedCount, claims.get(large)], [6, 2], 'of 400 that would come before');
});

test('the users that were served recently come after those with as few running jobs', async (t) => {
  const { jobStore, addJob, addUser, now, advanceTime } = await openTestJobStore(t);
  const users = [await addUser('a'), await addUser('b'), await addUser('c')];
  for (const userId of [...users, ...users]) {
    await addJob(userId);
    advanceTime(1);
  }
  const [a = '', b = '', c = ''] = users;
  const served: string[] = [];
  for (const recentUserIds of [[], [a], [a, b], [c, b, a], [b, a, c], [c, a]]) {
    const job = await jobStore.claim(now(), { recentUserIds });
    assert.ok(job);
    served.push(job.userId);
    await jobStore.remove(job);
  }
  assert.deepEqual(served, [a, b, c, c, b, a]);
});

test('a job can be claimed again after its lease has expired, not before', async (t) => {
  const { jobStore, addJob, now, advanceTime } = await openTestJobStore(t);
  const { id } = await addJob();
  const first = await jobStore.claim(now());
  assert.deepEqual([first?.id, first?.attempts], [id, 1]);
  advanceTime(LEASE_DURATION_MS);
  assert.equal(await jobStore.claim(now()), undefined);
  advanceTime(1);
  const second = await jobStore.claim(now());
  assert.deepEqual([second?.id, second?.attempts], [id, 2]);
  assert.equal(await jobStore.claim(now()), undefined, 'the second claim has its own lease');
});

test('a runner that lost its lease can neither remove, release nor renew the job', async (t) => {
  const { jobStore, database, addJob, now, advanceTime } = await openTestJobStore(t);
  await addJob();
  const lost = await jobStore.claim(now());
  advanceTime(LEASE_DURATION_MS + 1);
  const current = await jobStore.claim(now());
  assert.ok(lost && current);
  const isHeld = (job: ClaimedJob) =>
    database.transaction().execute((trx) => jobStore.isHeld(job, trx));
  assert.deepEqual([await isHeld(lost), await isHeld(current)], [false, true]);
  assert.equal(await jobStore.remove(lost), false);
  await jobStore.release(lost, now(), { countAttempt: false });
  assert.equal(await jobStore.claim(now()), undefined);
  advanceTime(LEASE_DURATION_MS);
  assert.equal(await jobStore.renewLease(lost, now()), false);
  advanceTime(1);
  const third = await jobStore.claim(now());
  assert.deepEqual([third?.id, third?.attempts], [current.id, 3]);
  assert.ok(third);
  assert.equal(await jobStore.count(), 1);
  assert.equal(await jobStore.remove(third), true);
  assert.equal(await jobStore.count(), 0);
});

test('a lease can be renewed any number of times', async (t) => {
  const { jobStore, addJob, now, advanceTime } = await openTestJobStore(t);
  await addJob();
  const job = await jobStore.claim(now());
  assert.ok(job);
  for (let round = 0; round < 4; round++) {
    advanceTime(LEASE_DURATION_MS - SECOND_MS);
    assert.equal(await jobStore.renewLease(job, now()), true);
    advanceTime(2 * SECOND_MS);
    assert.equal(await jobStore.claim(now()), undefined);
  }
  await jobStore.remove(job);
  assert.equal(await jobStore.renewLease(job, now()), false, 'the job was removed');
});

test('each retry delay is four times as long as the one before', async (t) => {
  const { jobStore, addJob, now, advanceTime } = await openTestJobStore(t);
  await addJob();
  for (const delayMs of [SECOND_MS, 4 * SECOND_MS, 16 * SECOND_MS]) {
    const job = await jobStore.claim(now());
    assert.ok(job);
    await jobStore.release(job, now());
    advanceTime(delayMs - 1);
    assert.equal(await jobStore.claim(now()), undefined, `not due before ${delayMs} ms`);
    advanceTime(1);
  }
  assert.equal((await jobStore.claim(now()))?.attempts, 4);
});

test('a release that does not count the attempt makes the job due at once', async (t) => {
  const { jobStore, addJob, now } = await openTestJobStore(t);
  await addJob();
  const job = await jobStore.claim(now());
  assert.ok(job);
  await jobStore.release(job, now(), { countAttempt: false });
  assert.equal((await jobStore.claim(now()))?.attempts, 1);
});

test('503: assertCapacity throws when the queue is full, and no user can fill it', async (t) => {
  const { jobStore, addJob, addUser } = await openTestJobStore(t);
  const addUntilRefused = async (user: string): Promise<number> => {
    for (let count = 0; ; count++) {
      const refusal = await jobStore.assertCapacity(user, 100).catch((error: unknown) => error);
      if (refusal === undefined) await addJob(user);
      else {
        assert.ok(refusal instanceof Problem);
        assert.deepEqual([refusal.code, refusal.status], ['server.busy', 503]);
        return count;
      }
    }
  };
  const counts: number[] = [];
  for (let user = 0; user < 7; user++) counts.push(await addUntilRefused(await addUser(`${user}`)));
  assert.deepEqual(counts, [50, 25, 13, 6, 3, 2, 1]);
  const last = await addUser('last');
  await assert.rejects(jobStore.assertCapacity(last, 100), {
    message: '100 files are queued for processing. Retry later.',
  });
  await assert.rejects(jobStore.assertCapacity(last, 0), { code: 'server.busy' });
});
