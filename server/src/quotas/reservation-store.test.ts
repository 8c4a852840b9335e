import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openTestDatabase } from '../../testing/test-database.ts';
import { NO_QUOTAS } from './quota.ts';
import { Quotas } from './quotas.ts';
import { RESERVATION_LEASE_MS, ReservationStore } from './reservation-store.ts';

const UPLOAD = { minBytes: 10, maxBytes: 10, designs: 1 };

/** Opens the quotas of two nodes, of 15 bytes for each user, with a clock that the test sets. */
async function openQuotas(t: TestContext) {
  const database = await openTestDatabase(t);
  const clock = { timeMs: Date.now() };
  const open = (node: string) => {
    const leaseTime = async () => new Date(clock.timeMs);
    const reservations = new ReservationStore({ database, node, leaseTime });
    t.after(() => reservations[Symbol.dispose]());
    const pendingUploads = { sumPending: async () => NO_QUOTAS };
    const limits = { bytes: 15, designs: 0 };
    return { reservations, quotas: new Quotas({ database, limits, pendingUploads, reservations }) };
  };
  return { database, clock, first: open('first'), second: open('second') };
}

test('what an upload reserves on one node counts on the other, until it ends or is stored', async (t) => {
  const { database, first, second } = await openQuotas(t);
  const reservation = await first.quotas.reserve('u', UPLOAD);
  await assert.rejects(second.quotas.reserve('u', UPLOAD), { code: 'upload.quota' });
  await assert.rejects(
    second.quotas.addPending('u', UPLOAD, async () => {}),
    { code: 'upload.quota' },
  );
  assert.equal((await second.quotas.reserve('other', UPLOAD)).maxBytes, 10);
  await reservation.resize(5);
  assert.equal((await second.quotas.getUsage('u')).reserved.bytes, 5);
  await database.transaction().execute((trx) => reservation.release(trx));
  assert.deepEqual((await second.quotas.getUsage('u')).reserved, NO_QUOTAS);
  const next = await second.quotas.reserve('u', UPLOAD);
  await next[Symbol.asyncDispose]();
  assert.deepEqual((await first.quotas.getUsage('u')).reserved, NO_QUOTAS);
});

test('a reservation is extended while its upload runs, and ends a minute after the crash of its node', async (t) => {
  const { clock, database, first, second } = await openQuotas(t);
  await first.quotas.reserve('u', UPLOAD);
  clock.timeMs += RESERVATION_LEASE_MS - 1;
  await first.reservations.renew();
  clock.timeMs += RESERVATION_LEASE_MS - 1;
  await assert.rejects(second.quotas.reserve('u', UPLOAD), { code: 'upload.quota' });
  clock.timeMs += 1;
  await second.quotas.reserve('u', UPLOAD);
  const rows = await database.selectFrom('upload_reservation').select('node').execute();
  assert.deepEqual(
    rows.map(({ node }) => node),
    ['second'],
  );
});

test('a node that starts again releases what its uploads had reserved', async (t) => {
  const { first, second } = await openQuotas(t);
  await first.quotas.reserve('u', UPLOAD);
  await second.reservations.start();
  await assert.rejects(second.quotas.reserve('u', UPLOAD), { code: 'upload.quota' });
  await first.reservations.start();
  await second.quotas.reserve('u', UPLOAD);
});
