import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { openTestJobStore } from '../../testing/test-job-store.ts';
import { type Job, LEASE_DURATION_MS, MAX_ATTEMPTS } from './job.ts';
import { type JobHandler, JobRunner } from './job-runner.ts';

const HOUR_MS = 60 * 60 * 1000;
const TIMEOUT_MS = 10_000;

/** A runner on a shelf of jobs. What its work does is in the test; what was given up is noted. */
async function openJobRunner(t: TestContext, run: JobHandler['run'], concurrency = 1) {
  let runner: JobRunner | undefined;
  // Before the database closes, which the shelf sees to.
  t.after(() => runner?.stop());
  const shelf = await openTestJobStore(t);
  const { jobs, now } = shelf;
  const given: [job: Job, cause: unknown][] = [];
  const errors: string[] = [];
  const handler: JobHandler = {
    run,
    async fail(job, cause) {
      given.push([job, cause]);
      await jobs.remove(job);
    },
  };
  const log = {
    warn: () => {},
    error: (_: unknown, message?: unknown) => void errors.push(String(message)),
  };
  runner = new JobRunner({ jobs, handler, concurrency, now, log });
  t.after(() => assert.deepEqual(errors, []));
  return { ...shelf, runner, given };
}

/** Work that goes on until it is let go or stopped, job by job. */
function createBlockedHandler() {
  const held = new Map<string, () => void>();
  const run: JobHandler['run'] = (job, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    held.set(job.id, resolve);
    signal.addEventListener('abort', () => reject(signal.reason));
    return promise.finally(() => held.delete(job.id));
  };
  return { run, held };
}

async function waitUntil(what: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await what())) {
    assert.ok(Date.now() < deadline, `never: ${what}`);
    await turn();
  }
}

/** Gives whatever is under way the time to go too far. */
async function flushEventLoop(): Promise<void> {
  for (let round = 0; round < 50; round++) await turn();
}

test('of N + 1 jobs N run at once, and the last when one of them is done', async (t) => {
  const { run, held } = createBlockedHandler();
  const done: string[] = [];
  const { runner, jobs, add, pass } = await openJobRunner(
    t,
    async (job, signal) => {
      await run(job, signal);
      await jobs.remove(job);
      done.push(job.id);
    },
    3,
  );
  const ids: string[] = [];
  for (let at = 0; at < 4; at++) {
    ids.push((await add()).id);
    pass(1);
  }
  runner.start();
  await waitUntil(() => held.size >= 3);
  runner.notify();
  await flushEventLoop();
  assert.deepEqual([...held.keys()], ids.slice(0, 3), 'the first that came, and no more');
  held.get(ids[1] ?? '')?.();
  await waitUntil(() => held.has(ids[3] ?? ''));
  assert.deepEqual([done, held.size], [[ids[1]], 3]);
  for (const letGo of held.values()) letGo();
  await waitUntil(async () => (await jobs.count()) === 0);
});

test('a job that runs long keeps its lease, and loses it with its owner', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { run, held } = createBlockedHandler();
  const { runner, jobs, add, now, pass } = await openJobRunner(t, run);
  const { id } = await add();
  runner.start();
  await waitUntil(() => held.size === 1);
  const beat = LEASE_DURATION_MS / 3;
  for (let passed = 0; passed < 3 * LEASE_DURATION_MS; passed += beat) {
    pass(beat);
    t.mock.timers.tick(beat);
    await flushEventLoop();
    assert.equal(await jobs.claim(now()), undefined, `another took it after ${passed + beat} ms`);
  }
  // As a process that stands still: nobody renews.
  pass(LEASE_DURATION_MS + 1);
  const taken = await jobs.claim(now());
  assert.equal(taken?.id, id);
  await runner.stop();
  assert.equal(await jobs.claim(now()), undefined, 'who lost it gave it back');
});

test('the third failure is the end, and nothing is tried again', async (t) => {
  const attempts: number[] = [];
  const cause = new Error('out of luck');
  const { runner, jobs, add, given, pass } = await openJobRunner(t, async (job) => {
    attempts.push(job.attempts);
    throw cause;
  });
  const { id } = await add();
  runner.start();
  for (let failures = 1; failures <= MAX_ATTEMPTS; failures++) {
    await waitUntil(() => attempts.length === failures);
    await flushEventLoop();
    assert.equal(given.length, failures < MAX_ATTEMPTS ? 0 : 1);
    pass(HOUR_MS);
    runner.notify();
  }
  await flushEventLoop();
  assert.deepEqual(attempts, [1, 2, 3]);
  assert.deepEqual(
    given.map(([job, why]) => [job.id, why]),
    [[id, cause]],
  );
  assert.equal(await jobs.count(), 0);
});

test('what took its process with it three times is given up without a fourth', async (t) => {
  let runs = 0;
  const { runner, jobs, add, given, now, pass } = await openJobRunner(t, async () => {
    runs += 1;
  });
  await add();
  for (let crash = 0; crash < MAX_ATTEMPTS; crash++) {
    assert.ok(await jobs.claim(now()));
    pass(LEASE_DURATION_MS + 1);
  }
  runner.start();
  await waitUntil(() => given.length === 1);
  assert.deepEqual([runs, given[0]?.[1], await jobs.count()], [0, undefined, 0]);
});

test('a job that is stopped with its runner has not been begun', async (t) => {
  const { run, held } = createBlockedHandler();
  const { runner, jobs, add, now } = await openJobRunner(t, run);
  const { id } = await add();
  runner.start();
  await waitUntil(() => held.size === 1);
  await runner.stop();
  const again = await jobs.claim(now());
  assert.deepEqual([again?.id, again?.attempts], [id, 1]);
});
