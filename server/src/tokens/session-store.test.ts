import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestDatabase } from '../../testing/test-database.ts';
import { runTransaction } from '../database/transaction.ts';
import { createInitialUser } from '../startup/bootstrap-token.ts';
import { createSession, isCurrent } from './session.ts';
import { SessionStore } from './session-store.ts';

const HOUR_MS = 60 * 60 * 1000;

test('a session that another node has used does not end by the time of its last use on this node', async (t) => {
  const database = await openTestDatabase(t);
  const start = new Date('2026-05-04T00:00:00Z');
  const after = (hours: number) => new Date(start.getTime() + hours * HOUR_MS);
  await createInitialUser(database, start, async () => undefined);
  const { id } = await database.selectFrom('token').select('id').executeTakeFirstOrThrow();
  const { session, secret } = createSession({ id, expiresAt: undefined }, undefined, start);
  const [first, second] = [0, 1].map(() => new SessionStore(database, () => true)) as [
    SessionStore,
    SessionStore,
  ];
  await runTransaction(database, (trx) => first.add(session, trx));
  const find = async (node: SessionStore, hours: number) => {
    const found = (await node.findBySecret(secret, after(hours))) ?? assert.fail('not found');
    return { found, current: isCurrent(found, after(hours)) };
  };
  assert.equal((await find(first, 1)).current, true);
  await second.recordUse((await find(second, 10)).found, after(10));

  assert.equal((await find(first, 13)).current, true, 'used three hours ago');
  assert.equal((await find(first, 23)).current, false);
  assert.equal((await find(second, 23)).current, false);
  await second.recordUse((await find(second, 21)).found, after(21));
  assert.equal((await find(first, 23)).current, true);
});
