import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { openJobs } from '../../testing/jobs.ts';
import { type Job, LEASE_MS, MAX_ATTEMPTS } from './job.ts';
import { Runner, type Work } from './runner.ts';

const HOUR = 60 * 60 * 1000;
const PATIENCE_MS = 10_000;

/** A runner on a shelf of jobs. What its work does is in the test; what was given up is noted. */
async function openRunner(t: TestContext, run: Work['run'], concurrency = 1) {
  let runner: Runner | undefined;
  // Before the database closes, which the shelf sees to.
  t.after(() => runner?.stop());
  const shelf = await openJobs(t);
  const { jobs, now } = shelf;
  const given: [job: Job, cause: unknown][] = [];
  const errors: string[] = [];
  const work: Work = {
    run,
    async giveUp(job, cause) {
      given.push([job, cause]);
      await jobs.remove(job);
    },
  };
  const log = {
    warn: () => {},
    error: (_: unknown, message?: unknown) => void errors.push(String(message)),
  };
  runner = new Runner({ jobs, work, concurrency, now, log });
  t.after(() => assert.deepEqual(errors, []));
  return { ...shelf, runner, given };
}

/** Work that goes on until it is let go or stopped, job by job. */
function heldWork() {
  const held = new Map<string, () => void>();
  const run: Work['run'] = (job, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    held.set(job.id, resolve);
    signal.addEventListener('abort', () => reject(signal.reason));
    return promise.finally(() => held.delete(job.id));
  };
  return { run, held };
}

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await what())) {
    assert.ok(Date.now() < deadline, `never: ${what}`);
    await turn();
  }
}

/** Gives whatever is under way the time to go too far. */
async function settle(): Promise<void> {
  for (let round = 0; round < 50; round++) await turn();
}

test('of N + 1 jobs N run at once, and the last when one of them is done', async (t) => {
  const { run, held } = heldWork();
  const done: string[] = [];
  const { runner, jobs, add, pass } = await openRunner(
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
  await until(() => held.size >= 3);
  runner.wake();
  await settle();
  assert.deepEqual([...held.keys()], ids.slice(0, 3), 'the first that came, and no more');
  held.get(ids[1] ?? '')?.();
  await until(() => held.has(ids[3] ?? ''));
  assert.deepEqual([done, held.size], [[ids[1]], 3]);
  for (const letGo of held.values()) letGo();
  await until(async () => (await jobs.count()) === 0);
});

test('a job that runs long keeps its lease, and loses it with its owner', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { run, held } = heldWork();
  const { runner, jobs, add, now, pass } = await openRunner(t, run);
  const { id } = await add();
  runner.start();
  await until(() => held.size === 1);
  const beat = LEASE_MS / 3;
  for (let passed = 0; passed < 3 * LEASE_MS; passed += beat) {
    pass(beat);
    t.mock.timers.tick(beat);
    await settle();
    assert.equal(await jobs.claim(now()), undefined, `another took it after ${passed + beat} ms`);
  }
  // As a process that stands still: nobody renews.
  pass(LEASE_MS + 1);
  const taken = await jobs.claim(now());
  assert.equal(taken?.id, id);
  await runner.stop();
  assert.equal(await jobs.claim(now()), undefined, 'who lost it gave it back');
});

test('the third failure is the end, and nothing is tried again', async (t) => {
  const attempts: number[] = [];
  const cause = new Error('out of luck');
  const { runner, jobs, add, given, pass } = await openRunner(t, async (job) => {
    attempts.push(job.attempts);
    throw cause;
  });
  const { id } = await add();
  runner.start();
  for (let failures = 1; failures <= MAX_ATTEMPTS; failures++) {
    await until(() => attempts.length === failures);
    await settle();
    assert.equal(given.length, failures < MAX_ATTEMPTS ? 0 : 1);
    pass(HOUR);
    runner.wake();
  }
  await settle();
  assert.deepEqual(attempts, [1, 2, 3]);
  assert.deepEqual(
    given.map(([job, why]) => [job.id, why]),
    [[id, cause]],
  );
  assert.equal(await jobs.count(), 0);
});

test('what took its process with it three times is given up without a fourth', async (t) => {
  let runs = 0;
  const { runner, jobs, add, given, now, pass } = await openRunner(t, async () => {
    runs += 1;
  });
  await add();
  for (let crash = 0; crash < MAX_ATTEMPTS; crash++) {
    assert.ok(await jobs.claim(now()));
    pass(LEASE_MS + 1);
  }
  runner.start();
  await until(() => given.length === 1);
  assert.deepEqual([runs, given[0]?.[1], await jobs.count()], [0, undefined, 0]);
});

test('a job that is stopped with its runner has not been begun', async (t) => {
  const { run, held } = heldWork();
  const { runner, jobs, add, now } = await openRunner(t, run);
  const { id } = await add();
  runner.start();
  await until(() => held.size === 1);
  await runner.stop();
  const again = await jobs.claim(now());
  assert.deepEqual([again?.id, again?.attempts], [id, 1]);
});
