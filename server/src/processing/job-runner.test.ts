import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '@cloche/contract/problem';
import { openTestJobStore } from '../../testing/test-job-store.ts';
import { type Job, LEASE_DURATION_MS, MAX_ATTEMPTS, RETRY_DELAY_MS } from './job.ts';
import { type JobHandler, JobRunner } from './job-runner.ts';

const HOUR_MS = 60 * 60 * 1000;
const TIMEOUT_MS = 60_000;

/** Opens a runner with a handler of the test. `failures` are the calls of the handler's `fail`. */
async function openJobRunner(t: TestContext, run: JobHandler['run'], concurrency = 1) {
  let runner: JobRunner | undefined;
  // Registered first, so that the runner stops before the database closes.
  t.after(() => runner?.stop());
  const store = await openTestJobStore(t);
  const { jobStore, now } = store;
  const failures: [job: Job, cause: unknown][] = [];
  const errors: string[] = [];
  const handler: JobHandler = {
    run,
    async fail(job, cause) {
      await jobStore.remove(job);
      failures.push([job, cause]);
    },
  };
  const log = {
    warn: () => {},
    error: (_: unknown, message?: unknown) => void errors.push(String(message)),
  };
  runner = new JobRunner({ jobs: jobStore, handler, concurrency, now, log });
  t.after(() => assert.deepEqual(errors, []));
  return { ...store, runner, failures };
}

/** Creates a handler whose jobs run until they are released, by job id, or aborted. */
function createBlockingHandler() {
  const blocked = new Map<string, () => void>();
  const run: JobHandler['run'] = (job, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    blocked.set(job.id, resolve);
    signal.addEventListener('abort', () => reject(signal.reason));
    return promise.finally(() => blocked.delete(job.id));
  };
  return { run, blocked };
}

async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, `timed out waiting for: ${condition}`);
    await nextTurn();
  }
}

/** Gives pending work time to run, so that unwanted effects become visible. */
async function flushEventLoop(): Promise<void> {
  for (let round = 0; round < 50; round++) await nextTurn();
}

test('runs as many jobs as `concurrency` allows, and the next when one ends', async (t) => {
  const { run, blocked } = createBlockingHandler();
  const done: string[] = [];
  const { runner, jobStore, addJob, advanceTime } = await openJobRunner(
    t,
    async (job, signal) => {
      await run(job, signal);
      await jobStore.remove(job);
      done.push(job.id);
    },
    3,
  );
  const ids: string[] = [];
  for (let index = 0; index < 4; index++) {
    ids.push((await addJob()).id);
    advanceTime(1);
  }
  runner.start();
  await waitUntil(() => blocked.size >= 3);
  runner.notify();
  await flushEventLoop();
  assert.deepEqual([...blocked.keys()], ids.slice(0, 3), 'the oldest three only');
  blocked.get(ids[1] ?? '')?.();
  await waitUntil(() => blocked.has(ids[3] ?? ''));
  assert.deepEqual([done, blocked.size], [[ids[1]], 3]);
  for (const release of blocked.values()) release();
  await waitUntil(async () => (await jobStore.count()) === 0);
});

for (const concurrency of [1, 2])
  test(`serves a user behind ${concurrency} with long queues, with ${concurrency} workers`, async (t) => {
    const { run, blocked } = createBlockingHandler();
    const { runner, jobStore, addJob, addUser, advanceTime } = await openJobRunner(
      t,
      async (job, signal) => {
        await run(job, signal);
        await jobStore.remove(job);
      },
      concurrency,
    );
    for (let index = 0; index < concurrency; index++) {
      const userId = await addUser(`large-${index}`);
      for (let count = 0; count < 10; count++) await addJob(userId);
    }
    advanceTime(1);
    const { id } = await addJob(await addUser('small'));
    runner.start();
    let endedCount = 0;
    await waitUntil(() => blocked.size === concurrency);
    while (!blocked.has(id)) {
      const [ended, end] = blocked.entries().next().value ?? assert.fail();
      end();
      endedCount += 1;
      await waitUntil(() => blocked.size === concurrency && !blocked.has(ended));
    }
    assert.equal(endedCount, 1, 'the first job that ends makes room');
    await runner.stop();
  });

test('renews the lease of a running job; without renewal another runner can claim it', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { run, blocked } = createBlockingHandler();
  const { runner, jobStore, addJob, now, advanceTime } = await openJobRunner(t, run);
  const { id } = await addJob();
  runner.start();
  await waitUntil(() => blocked.size === 1);
  const renewalMs = LEASE_DURATION_MS / 3;
  for (let passedMs = 0; passedMs < 3 * LEASE_DURATION_MS; passedMs += renewalMs) {
    advanceTime(renewalMs);
    t.mock.timers.tick(renewalMs);
    await flushEventLoop();
    const claimed = await jobStore.claim(now());
    assert.equal(claimed, undefined, `claimed by another after ${passedMs + renewalMs} ms`);
  }
  // The timer does not tick: as in a suspended process, the lease is not renewed.
  advanceTime(LEASE_DURATION_MS + 1);
  const claimed = await jobStore.claim(now());
  assert.equal(claimed?.id, id);
  await runner.stop();
  assert.equal(await jobStore.claim(now()), undefined, 'the first runner released the job');
});

test('a lost lease while the database does not respond is logged, and nothing else fails', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { jobStore, addJob, now } = await openTestJobStore(t);
  await addJob();
  let running: Job | undefined;
  let isUnreachable = false;
  const errors: string[] = [];
  const runner = new JobRunner({
    jobs: jobStore,
    handler: {
      run: (job, signal) =>
        new Promise((_, reject) => {
          running = job;
          signal.addEventListener('abort', () => {
            isUnreachable = true;
            reject(signal.reason);
          });
        }),
      fail: async () => {},
    },
    concurrency: 1,
    now: async () => {
      if (isUnreachable) throw new Error('The database does not respond.');
      return now();
    },
    log: {
      warn: () => {},
      error: (_: unknown, message?: unknown) => void errors.push(String(message)),
    },
  });
  runner.start();
  await waitUntil(() => running !== undefined);
  await jobStore.remove(running as Job);
  t.mock.timers.tick(LEASE_DURATION_MS / 3);
  await waitUntil(() => errors.includes('releasing a job failed'));
  isUnreachable = false;
  await runner.stop();
});

test('calls `fail` after the third failed attempt, and does not try again', async (t) => {
  const attempts: number[] = [];
  const error = new Error('test failure');
  const { runner, jobStore, addJob, failures, advanceTime } = await openJobRunner(
    t,
    async (job) => {
      attempts.push(job.attempts);
      throw error;
    },
  );
  const { id } = await addJob();
  runner.start();
  for (let failureCount = 1; failureCount <= MAX_ATTEMPTS; failureCount++) {
    await waitUntil(() => attempts.length === failureCount);
    await flushEventLoop();
    if (failureCount === MAX_ATTEMPTS) await waitUntil(() => failures.length > 0);
    assert.equal(failures.length, failureCount < MAX_ATTEMPTS ? 0 : 1);
    advanceTime(HOUR_MS);
    runner.notify();
  }
  await flushEventLoop();
  assert.deepEqual(attempts, [1, 2, 3]);
  assert.deepEqual(
    failures.map(([job, cause]) => [job.id, cause]),
    [[id, error]],
  );
  assert.equal(await jobStore.count(), 0);
});

test('calls `fail` without a fourth attempt when three attempts ended in a crash', async (t) => {
  let runCount = 0;
  const { runner, jobStore, addJob, failures, now, advanceTime } = await openJobRunner(
    t,
    async () => {
      runCount += 1;
    },
  );
  await addJob();
  for (let crash = 0; crash < MAX_ATTEMPTS; crash++) {
    assert.ok(await jobStore.claim(now()));
    advanceTime(LEASE_DURATION_MS + 1);
  }
  runner.start();
  await waitUntil(() => failures.length === 1);
  assert.deepEqual([runCount, failures[0]?.[1], await jobStore.count()], [0, undefined, 0]);
});

test('an attempt that is aborted by `stop` does not count', async (t) => {
  const { run, blocked } = createBlockingHandler();
  const { runner, jobStore, addJob, now } = await openJobRunner(t, run);
  const { id } = await addJob();
  runner.start();
  await waitUntil(() => blocked.size === 1);
  await runner.stop();
  const claimed = await jobStore.claim(now());
  assert.deepEqual([claimed?.id, claimed?.attempts], [id, 1]);
});

test('attempts that fail because the bucket or the database does not respond do not count', async (t) => {
  const attempts: number[] = [];
  const { runner, jobStore, addJob, failures, advanceTime } = await openJobRunner(
    t,
    async (job) => {
      attempts.push(job.attempts);
      if (attempts.length <= 2 * MAX_ATTEMPTS) throw new Problem('server.unavailable');
      await jobStore.remove(job);
    },
  );
  await addJob();
  runner.start();
  for (let count = 1; count <= 2 * MAX_ATTEMPTS; count++) {
    await waitUntil(() => attempts.length === count);
    await flushEventLoop();
    advanceTime(RETRY_DELAY_MS);
    runner.notify();
    await flushEventLoop();
    assert.equal(attempts.length, count, 'later than after a failure of the job');
    advanceTime(4 * RETRY_DELAY_MS);
    runner.notify();
  }
  await waitUntil(async () => (await jobStore.count()) === 0);
  assert.deepEqual([new Set(attempts), failures], [new Set([1]), []]);
});

test('an attempt that fails because too many files are open does not count, and is repeated', async (t) => {
  const errors = [
    Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' }),
    new Error('test failure', { cause: Object.assign(new Error('open'), { code: 'ENFILE' }) }),
  ];
  const attempts: number[] = [];
  const { runner, jobStore, addJob, failures, advanceTime } = await openJobRunner(
    t,
    async (job) => {
      attempts.push(job.attempts);
      const error = errors[attempts.length % 2];
      if (attempts.length <= 2 * MAX_ATTEMPTS) throw error;
      await jobStore.remove(job);
    },
  );
  await addJob();
  runner.start();
  for (let count = 1; count <= 2 * MAX_ATTEMPTS; count++) {
    await waitUntil(() => attempts.length === count);
    await flushEventLoop();
    runner.notify();
    await flushEventLoop();
    assert.equal(attempts.length, count, 'not at once');
    advanceTime(RETRY_DELAY_MS);
    runner.notify();
  }
  await waitUntil(async () => (await jobStore.count()) === 0);
  assert.deepEqual([new Set(attempts), failures], [new Set([1]), []]);
});
