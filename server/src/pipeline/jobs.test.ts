import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { openService } from '../../testing/harness.ts';
import { openJobs } from '../../testing/jobs.ts';
import { makeBox } from '../../testing/models.ts';
import { ask } from '../../testing/requests.ts';
import { heldMaker } from '../../testing/workshop.ts';
import { LEASE_MS } from './job.ts';

const SECOND = 1000;

test('jobs are taken in the order they came, each by one', async (t) => {
  const { jobs, add, now, pass } = await openJobs(t);
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
  const { jobs, add, now, pass } = await openJobs(t);
  const { id } = await add();
  const lost = await jobs.claim(now());
  assert.deepEqual([lost?.id, lost?.attempts], [id, 1]);
  pass(LEASE_MS);
  assert.equal(await jobs.claim(now()), undefined);
  pass(1);
  const taken = await jobs.claim(now());
  assert.deepEqual([taken?.id, taken?.attempts], [id, 2]);
  assert.equal(await jobs.claim(now()), undefined, 'the other has a lease of its own');
});

test('whoever lost a job can neither end it, nor give it back, nor keep it', async (t) => {
  const { jobs, add, now, pass } = await openJobs(t);
  await add();
  const lost = await jobs.claim(now());
  pass(LEASE_MS + 1);
  const taken = await jobs.claim(now());
  assert.ok(lost && taken);
  assert.equal(await jobs.remove(lost), false);
  await jobs.giveBack(lost, now(), { countless: true });
  assert.equal(await jobs.claim(now()), undefined);
  pass(LEASE_MS);
  assert.equal(await jobs.renew(lost, now()), false);
  pass(1);
  const third = await jobs.claim(now());
  assert.deepEqual([third?.id, third?.attempts], [taken.id, 3]);
  assert.ok(third);
  assert.equal(await jobs.count(), 1);
  assert.equal(await jobs.remove(third), true);
  assert.equal(await jobs.count(), 0);
});

test('a lease that is renewed is not over, however often', async (t) => {
  const { jobs, add, now, pass } = await openJobs(t);
  await add();
  const job = await jobs.claim(now());
  assert.ok(job);
  for (let round = 0; round < 4; round++) {
    pass(LEASE_MS - SECOND);
    assert.equal(await jobs.renew(job, now()), true);
    pass(2 * SECOND);
    assert.equal(await jobs.claim(now()), undefined);
  }
  await jobs.remove(job);
  assert.equal(await jobs.renew(job, now()), false, 'it is gone');
});

test('what is given back waits, longer each time, and is whose turn it is then', async (t) => {
  const { jobs, add, now, pass } = await openJobs(t);
  await add();
  for (const waitMs of [SECOND, 4 * SECOND, 16 * SECOND]) {
    const job = await jobs.claim(now());
    assert.ok(job);
    await jobs.giveBack(job, now());
    pass(waitMs - 1);
    assert.equal(await jobs.claim(now()), undefined, `${waitMs} ms are not over`);
    pass(1);
  }
  assert.equal((await jobs.claim(now()))?.attempts, 4);
});

test('503: a queue that is full takes no new model of a design either', async (t) => {
  const held = heldMaker();
  const service = await openService(t, { workshop: { maker: held.maker, queue: 2 } });
  const { id } = (await ask(service, 'POST', '/v1/designs', makeBox(), NOW)).json();
  const put = () => ask(service, 'PUT', `/v1/designs/${id}/model`, makeBox({ name: 'b' }), NOW);
  assert.equal((await put()).statusCode, 200);
  const refused = await put();
  assert.equal(refused.statusCode, 503, refused.body);
  assert.equal(refused.json().code, 'server.busy');
  assert.equal(refused.headers['retry-after'], '10');
  const { items } = (await ask(service, 'GET', `/v1/designs/${id}/revisions`)).json();
  assert.equal(items.length, 2, 'of what was refused there is nothing');
  held.letGo();
  while ((await put()).statusCode === 503) await turn();
});

const NOW = { 'content-type': 'model/gltf-binary', prefer: '' };
