import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestJobStore } from '../../testing/test-job-store.ts';
import { LEASE_DURATION_MS } from './job.ts';
import { readJobStatistics } from './job-statistics.ts';

test('the oldest queued job has waited since it was added, or since its retry is due', async (t) => {
  const { jobStore, database, addJob, now, advanceTime } = await openTestJobStore(t);
  await addJob();
  advanceTime(7_000);
  await addJob();
  const read = () => readJobStatistics(database, now());
  assert.deepEqual(await read(), { queued: 2, running: 0, oldestQueuedSeconds: 7 });
  const job = (await jobStore.claim(now())) ?? assert.fail();
  assert.deepEqual(await read(), { queued: 1, running: 1, oldestQueuedSeconds: 0 });
  await jobStore.release(job, now(), { retryDelayMs: 1_000 });
  advanceTime(3_000);
  assert.deepEqual(await read(), { queued: 2, running: 0, oldestQueuedSeconds: 3 });
});

test('a job is running until another runner can claim it', async (t) => {
  const { jobStore, database, addJob, now, advanceTime } = await openTestJobStore(t);
  await addJob();
  await jobStore.claim(now());
  advanceTime(LEASE_DURATION_MS);
  const read = () => readJobStatistics(database, now());
  assert.deepEqual(await read(), { queued: 0, running: 1, oldestQueuedSeconds: 0 });
  assert.equal(await jobStore.claim(now()), undefined);
  advanceTime(1);
  assert.deepEqual(await read(), { queued: 1, running: 0, oldestQueuedSeconds: 30.001 });
  assert.ok(await jobStore.claim(now()));
});
