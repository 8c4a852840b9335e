import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { makeBox } from '@cloche/pipeline/testing/models';
import { createBlockingProcessor } from '../../testing/fake-processing.ts';
import { openTestServer } from '../../testing/harness.ts';
import { sendRequest } from '../../testing/requests.ts';
import { openTestJobStore } from '../../testing/test-job-store.ts';
import { LEASE_DURATION_MS } from './job.ts';

const SECOND_MS = 1000;

test('jobs are taken in the order they came, each by one', async (t) => {
  const { jobs, add, now, pass } = await openTestJobStore(t);
  const first = await add();
  pass(1);
  const second = await add();
  const taken = await Promise.all([jobs.claim(now()), jobs.claim(now()), jobs.claim(now())]);
  assert.deepEqual(
    taken.map((job) => job?.id),
    [first.id, second.id, undefined],
  );
});

test('a job whose owner is gone is taken by another once its lease is over, not before', async (t) => {
  const { jobs, add, now, pass } = await openTestJobStore(t);
  const { id } = await add();
  const lost = await jobs.claim(now());
  assert.deepEqual([lost?.id, lost?.attempts], [id, 1]);
  pass(LEASE_DURATION_MS);
  assert.equal(await jobs.claim(now()), undefined);
  pass(1);
  const taken = await jobs.claim(now());
  assert.deepEqual([taken?.id, taken?.attempts], [id, 2]);
  assert.equal(await jobs.claim(now()), undefined, 'the other has a lease of its own');
});

test('whoever lost a job can neither end it, nor give it back, nor keep it', async (t) => {
  const { jobs, add, now, pass } = await openTestJobStore(t);
  await add();
  const lost = await jobs.claim(now());
  pass(LEASE_DURATION_MS + 1);
  const taken = await jobs.claim(now());
  assert.ok(lost && taken);
  assert.equal(await jobs.remove(lost), false);
  await jobs.release(lost, now(), { countless: true });
  assert.equal(await jobs.claim(now()), undefined);
  pass(LEASE_DURATION_MS);
  assert.equal(await jobs.renewLease(lost, now()), false);
  pass(1);
  const third = await jobs.claim(now());
  assert.deepEqual([third?.id, third?.attempts], [taken.id, 3]);
  assert.ok(third);
  assert.equal(await jobs.count(), 1);
  assert.equal(await jobs.remove(third), true);
  assert.equal(await jobs.count(), 0);
});

test('a lease that is renewed is not over, however often', async (t) => {
  const { jobs, add, now, pass } = await openTestJobStore(t);
  await add();
  const job = await jobs.claim(now());
  assert.ok(job);
  for (let round = 0; round < 4; round++) {
    pass(LEASE_DURATION_MS - SECOND_MS);
    assert.equal(await jobs.renewLease(job, now()), true);
    pass(2 * SECOND_MS);
    assert.equal(await jobs.claim(now()), undefined);
  }
  await jobs.remove(job);
  assert.equal(await jobs.renewLease(job, now()), false, 'it is gone');
});

test('what is given back waits, longer each time, and is whose turn it is then', async (t) => {
  const { jobs, add, now, pass } = await openTestJobStore(t);
  await add();
  for (const waitMs of [SECOND_MS, 4 * SECOND_MS, 16 * SECOND_MS]) {
    const job = await jobs.claim(now());
    assert.ok(job);
    await jobs.release(job, now());
    pass(waitMs - 1);
    assert.equal(await jobs.claim(now()), undefined, `${waitMs} ms are not over`);
    pass(1);
  }
  assert.equal((await jobs.claim(now()))?.attempts, 4);
});

test('503: a queue that is full takes no new model of a design either', async (t) => {
  const held = createBlockingProcessor();
  const service = await openTestServer(t, {
    processing: { modelProcessor: held.maker, maxQueuedJobs: 2 },
  });
  const { id } = (
    await sendRequest(service, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT)
  ).json();
  const put = () =>
    sendRequest(service, 'PUT', `/v1/designs/${id}/model`, makeBox({ name: 'b' }), WITHOUT_WAIT);
  assert.equal((await put()).statusCode, 200);
  const refused = await put();
  assert.equal(refused.statusCode, 503, refused.body);
  assert.equal(refused.json().code, 'server.busy');
  assert.equal(refused.headers['retry-after'], '10');
  const { items } = (await sendRequest(service, 'GET', `/v1/designs/${id}/revisions`)).json();
  assert.equal(items.length, 2, 'of what was refused there is nothing');
  held.letGo();
  while ((await put()).statusCode === 503) await turn();
});

const WITHOUT_WAIT = { 'content-type': 'model/gltf-binary', prefer: '' };
