import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from '@cloche/contract/problem';
import { BodyMonitor } from './body-monitor.ts';

const STALL_MS = 40;

/** A body that a test completes, fills and receives by hand. */
function createBody() {
  return { complete: false, destroyed: false, readableLength: 0, socket: { bytesRead: 0 } };
}

function watchBody(t: TestContext, limits: { minBytesPerSecond?: number; totalMs?: number } = {}) {
  const monitor = new BodyMonitor(STALL_MS);
  t.after(() => monitor[Symbol.dispose]());
  const body = createBody();
  const raw = body as never as IncomingMessage;
  const problems: Problem[] = [];
  const { promise: timedOut, resolve } = Promise.withResolvers<Problem>();
  const onTimeout = (problem: Problem) => {
    problems.push(problem);
    resolve(problem);
  };
  monitor.watch(raw, { stallMs: STALL_MS, ...limits }, { advice: 'Send it again.', onTimeout });
  return { monitor, body, raw, problems, timedOut };
}

/** Receives some bytes every few milliseconds. */
function receive(t: TestContext, body: ReturnType<typeof createBody>, bytes: number): void {
  const timer = setInterval(() => {
    body.socket.bytesRead += bytes;
  }, 5);
  t.after(() => clearInterval(timer));
}

test('a body without data is reported once, and no longer watched', async (t) => {
  const { monitor, problems, timedOut } = watchBody(t);
  const problem = await timedOut;
  assert.equal(problem.code, 'request.timeout');
  assert.match(problem.message, /no data for 0\.04 s\. Send it again\.$/);
  assert.equal(monitor.size, 0);
  await sleep(3 * STALL_MS);
  assert.equal(problems.length, 1);
});

test('a body that is too slow on average is reported, although bytes keep arriving', async (t) => {
  const { body, timedOut } = watchBody(t, { minBytesPerSecond: 1_000_000 });
  receive(t, body, 1);
  assert.match((await timedOut).message, /less than 1000000 bytes per second/);
});

test('a body that takes too long in total is reported, however fast it is', async (t) => {
  const { body, timedOut } = watchBody(t, { totalMs: 100, minBytesPerSecond: 1 });
  receive(t, body, 100_000);
  assert.match((await timedOut).message, /within 0\.1 s/);
});

test('a fast body is not reported', async (t) => {
  const { body, problems } = watchBody(t, { minBytesPerSecond: 1000 });
  receive(t, body, 100_000);
  await sleep(5 * STALL_MS);
  assert.deepEqual(problems, []);
});

test('time during which received data waits to be read does not count', async (t) => {
  const { body, problems, timedOut } = watchBody(t, { minBytesPerSecond: 1000, totalMs: 100 });
  body.readableLength = 1;
  await sleep(5 * STALL_MS);
  assert.deepEqual(problems, []);
  body.readableLength = 0;
  await timedOut;
});

test('a body that has ended, or is no longer read, is not watched', async (t) => {
  for (const end of ['complete', 'destroyed', 'unwatch'] as const) {
    const { monitor, body, raw, problems } = watchBody(t);
    if (end === 'unwatch') monitor.unwatch(raw);
    else body[end] = true;
    while (monitor.size > 0) await sleep(5);
    await sleep(3 * STALL_MS);
    assert.deepEqual(problems, [], end);
  }
});
