import assert from 'node:assert/strict';
import { it } from 'node:test';
import { acquireSandboxUser } from './sandbox-user.ts';

/** No process runs as these users: they are only reserved. Another run of this test has others. */
const FIRST_USER_ID = 1_000_000 + 100 * process.pid;
const USER_IDS = [FIRST_USER_ID, FIRST_USER_ID + 1];

it('waits for a free user, logs it once, and gives up', {
  skip: process.platform !== 'linux',
}, async () => {
  const warnings: string[] = [];
  const log = { warn: (_: object, message: string) => void warnings.push(message) };
  const options = { log, userIds: USER_IDS, warnAfterMs: 0, maxWaitMs: 300 };
  await using first = await acquireSandboxUser(options);
  const second = await acquireSandboxUser(options);
  assert.deepEqual([first.id, second.id], USER_IDS);
  assert.deepEqual(warnings, []);

  const message = /^None of the 2 users .* was free for \d+ s\..*CLOCHE_WORKERS/;
  await assert.rejects(acquireSandboxUser(options), { message });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', message);

  const waiting = acquireSandboxUser({ ...options, maxWaitMs: 60_000 });
  await second[Symbol.asyncDispose]();
  await using third = await waiting;
  assert.equal(third.id, second.id);
});

it('stops waiting when it is cancelled', { skip: process.platform !== 'linux' }, async () => {
  const userIds = [FIRST_USER_ID + 10];
  await using _user = await acquireSandboxUser({ userIds });
  const signal = AbortSignal.abort();
  await assert.rejects(acquireSandboxUser({ userIds, signal }), { name: 'AbortError' });
});
