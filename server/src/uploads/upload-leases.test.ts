import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { openTestDatabase } from '../../testing/test-database.ts';
import { openLeases } from '../../testing/test-leases.ts';
import { isPostgres } from '../database/locks.ts';

const createSegment = (start: number, sizeBytes: number) => ({
  name: randomUUID(),
  start,
  sizeBytes,
});

test('a lease is taken by one request, until it is released or ends', async (t) => {
  const database = await openTestDatabase(t);
  const { leases, otherLeases, id, advanceTime } = await openLeases(database);
  const acquired = await Promise.all([1, 2, 3, 4].map(() => leases.acquire(id)));
  const first = acquired.find((lease) => lease !== undefined) ?? assert.fail();
  assert.equal(acquired.filter((lease) => lease !== undefined).length, 1);
  assert.equal(await otherLeases.acquire(id), undefined);
  await leases.release(first);
  const second = (await otherLeases.acquire(id)) ?? assert.fail();
  assert.ok(second.attempt > first.attempt);
  // The older holder can neither extend the lease nor end that of the other one.
  assert.equal(await leases.renew(first), false);
  await leases.release(first);
  assert.equal(await leases.acquire(id), undefined);
  assert.equal(await otherLeases.renew(second), true);
  advanceTime();
  assert.ok(await leases.acquire(id));
});

test('a holder that is asked to stop notices with its renewal', async (t) => {
  const { leases, otherLeases, id } = await openLeases(await openTestDatabase(t));
  const lease = (await leases.acquire(id)) ?? assert.fail();
  assert.equal(await leases.renew(lease), true);
  await otherLeases.requestStop(lease);
  assert.equal(await leases.renew(lease), false);
  await leases.release(lease);
  const next = (await otherLeases.acquire(id)) ?? assert.fail();
  assert.equal(await otherLeases.renew(next), true);
});

test('a holder that was asked to stop and does not end loses its lease, whatever it renews', async (t) => {
  const { leases, otherLeases, id, advanceTime } = await openLeases(await openTestDatabase(t));
  const lease = (await leases.acquire(id)) ?? assert.fail();
  await otherLeases.requestStop(lease);
  advanceTime();
  assert.equal(await leases.renew(lease), false);
  assert.ok(await otherLeases.acquire(id));
});

test('a renewal does not revive a lease that was released', async (t) => {
  const { leases, otherLeases, id } = await openLeases(await openTestDatabase(t));
  const lease = (await leases.acquire(id)) ?? assert.fail();
  await leases.release(lease);
  assert.equal(await leases.renew(lease), false);
  assert.ok(await otherLeases.acquire(id));
});

test('a holder is asked to stop once, and only the one that the waiting request has found', async (t) => {
  const database = await openTestDatabase(t);
  const { leases, otherLeases, id } = await openLeases(database);
  const eventsPerStop = isPostgres(database) ? 1 : 0;
  const countEvents = async () => {
    const rows = await database.selectFrom('change').select('id').execute();
    return rows.length;
  };
  const first = (await leases.acquire(id)) ?? assert.fail();
  assert.deepEqual(await otherLeases.acquireOrFind(id), { lease: first, isAcquired: false });
  for (let count = 0; count < 3; count += 1) await otherLeases.requestStop(first);
  assert.equal(await countEvents(), eventsPerStop);
  await leases.release(first);
  const next = (await leases.acquire(id)) ?? assert.fail();
  await otherLeases.requestStop(first);
  assert.equal(await countEvents(), eventsPerStop);
  assert.equal(await leases.renew(next), true);
});

test('a lease that was lost changes neither the offset nor the length', async (t) => {
  const { leases, otherLeases, id, advanceTime, readUpload } = await openLeases(
    await openTestDatabase(t),
  );
  const lost = (await leases.acquire(id)) ?? assert.fail();
  advanceTime();
  const lease = (await otherLeases.acquire(id)) ?? assert.fail();
  const isLocked = { code: 'upload.locked' };
  await assert.rejects(leases.acknowledge(lost, 0, createSegment(0, 10)), isLocked);
  await assert.rejects(leases.setLength(lost, 5), isLocked);
  const segment = createSegment(0, 10);
  await otherLeases.acknowledge(lease, 0, segment);
  // The offset must be the one from which the bytes were received.
  await assert.rejects(otherLeases.acknowledge(lease, 0, createSegment(0, 20)), isLocked);
  assert.deepEqual(await readUpload(), { offset: 10, segments: [segment] });
});

test('a start ends the leases of its own node only', async (t) => {
  const { leases, otherLeases, id } = await openLeases(await openTestDatabase(t));
  assert.ok(await leases.acquire(id));
  await otherLeases.releaseOwn();
  assert.equal(await otherLeases.acquire(id), undefined);
  await leases.releaseOwn();
  assert.ok(await otherLeases.acquire(id));
});

test('there is no lease of an upload that does not exist', async (t) => {
  const { leases } = await openLeases(await openTestDatabase(t));
  await assert.rejects(leases.acquire('0'.repeat(32)), { code: 'upload.unknown' });
});
