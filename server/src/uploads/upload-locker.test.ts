import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { openTestDatabase } from '../../testing/test-database.ts';
import { openLeases } from '../../testing/test-leases.ts';
import type { UploadLeases } from './upload-leases.ts';
import { UploadLocker } from './upload-locker.ts';

const { signal } = new AbortController();
const log = { warn: () => {} };
const openLocker = (leases: UploadLeases, timeoutMs = 60_000) =>
  new UploadLocker({ leases, timeoutMs, log });

test('a request waits for one of another node, which is asked to end', async (t) => {
  const { leases, otherLeases, id } = await openLeases(await openTestDatabase(t));
  const first = openLocker(leases).newLock(id);
  let isAsked = false;
  await first.lock(signal, () => {
    isAsked = true;
  });
  const other = openLocker(otherLeases);
  const second = other.newLock(id);
  let isLocked = false;
  const locked = second
    .lock(signal, () => {})
    .then(() => {
      isLocked = true;
    });
  // Without an event: the holder notices with its renewal.
  await waitUntil('the first request is asked to end', () => isAsked);
  assert.equal(isLocked, false);
  await first.unlock();
  await locked;
  assert.equal(other.getLease(id).attempt, 2);
  await second.unlock();
});

test('423: a request of another node does not end in time, and the next one can try again', async (t) => {
  const { leases, otherLeases, id } = await openLeases(await openTestDatabase(t));
  const first = openLocker(leases).newLock(id);
  await first.lock(signal, () => {});
  const other = openLocker(otherLeases, 1);
  for (const _ of [1, 2])
    await assert.rejects(
      other.newLock(id).lock(signal, () => {}),
      { code: 'upload.locked' },
    );
  await first.unlock();
  const last = other.newLock(id);
  await last.lock(signal, () => {});
  await last.unlock();
});

test('an event ends the request with the lease that it names, and no later one', async (t) => {
  const { leases, id } = await openLeases(await openTestDatabase(t));
  const locker = openLocker(leases);
  let askedCount = 0;
  for (const attempt of [1, 2]) {
    const lock = locker.newLock(id);
    await lock.lock(signal, () => {
      askedCount += 1;
    });
    await locker.stop({ uploadId: id, attempt: 1 });
    assert.equal(askedCount, 1, `attempt ${attempt}`);
    await lock.unlock();
  }
});
