import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../src/database/database.ts';
import { createInitialUser } from '../src/startup/bootstrap-token.ts';
import { UserStore } from '../src/users/user-store.ts';
import { USES_POOLER, USES_POSTGRES } from './postgres-run.ts';
import { openTestDatabase } from './test-database.ts';

/** Connections of a test database. */
const MAX_CONNECTIONS = 10;

/** How a connection differs from a new one, after a test has changed it. */
const STATE_SQL = sql<Record<string, unknown>>`SELECT current_database(),
  current_setting('work_mem') AS work_mem, to_regclass('pg_temp.left_over') AS table,
  (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks`;

/** Changes what a connection keeps until it ends. Returns its state before and after. */
function changeConnection(database: Database) {
  return database.connection().execute(async (connection) => {
    const before = await STATE_SQL.execute(connection);
    await sql`SET work_mem = '1MB'`.execute(connection);
    await sql`CREATE TEMP TABLE left_over (id text)`.execute(connection);
    await sql`SELECT pg_advisory_lock(1)`.execute(connection);
    return { before: before.rows, after: (await STATE_SQL.execute(connection)).rows };
  });
}

/** Reads the state of all connections: each is used until all are. */
function readStates(database: Database) {
  const all = Promise.withResolvers<void>();
  let count = 0;
  const read = async (connection: Database) => {
    count += 1;
    if (count === MAX_CONNECTIONS) all.resolve();
    await all.promise;
    return STATE_SQL.execute(connection);
  };
  const reading = () => database.connection().execute(read);
  return Promise.all(Array.from({ length: MAX_CONNECTIONS }, reading));
}

/** Begins a transaction that its test does not wait for. */
async function beginTransaction(database: Database, onEnd: () => void): Promise<void> {
  const begun = Promise.withResolvers<void>();
  const transaction = database.transaction().execute(async (trx) => {
    await new UserStore(database).hasAny(trx);
    begun.resolve();
    await setTimeout(50);
    await new UserStore(database).hasAny(trx);
  });
  transaction.then(onEnd, begun.reject);
  await begun.promise;
}

test('a test gets nothing of the one before it, which has used the same database', async (t) => {
  let earlier: Database | undefined;
  let state: Awaited<ReturnType<typeof changeConnection>> | undefined;
  let hasEnded = false;
  const hasDirectConnection = USES_POSTGRES && !USES_POOLER;
  await t.test('before', async (t) => {
    const database = await openTestDatabase(t);
    await createInitialUser(database, new Date(), async () => {});
    assert.equal(await new UserStore(database).hasAny(), true);
    earlier = database;
    if (!hasDirectConnection) return;
    state = await changeConnection(database);
    await beginTransaction(database, () => {
      hasEnded = true;
    });
  });
  await t.test('after', async (t) => {
    const database = await openTestDatabase(t);
    assert.equal(await new UserStore(database).hasAny(), false);
    assert.ok(earlier !== undefined);
    await assert.rejects(new UserStore(earlier).hasAny());
    if (!hasDirectConnection) return;
    assert.notDeepEqual(state?.after, state?.before);
    assert.ok(hasEnded);
    for (const { rows } of await readStates(database)) assert.deepEqual(rows, state?.before);
  });
});
