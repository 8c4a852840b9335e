import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { openSqlite, recycleWal } from './sqlite.ts';

const USER = {
  id: 'usr_1',
  name: 'anna',
  operator: 0,
  created_at: '2026-01-01T00:00:00.000Z',
  disabled_at: null,
  max_megabytes: null,
  max_designs: null,
};

async function openEmptyDatabase(t: TestContext): Promise<{ database: Database; path: string }> {
  const path = join(await openTemporaryDirectory(t), 'cloche.sqlite');
  const database = openSqlite(path);
  t.after(() => database.destroy());
  await migrate(database);
  return { database, path };
}

test('the database uses WAL, full synchronization and foreign keys', async (t) => {
  const { database } = await openEmptyDatabase(t);
  const rows: [pragma: string, value: unknown][] = [
    ['journal_mode', 'wal'],
    ['synchronous', 2],
    ['busy_timeout', 5000],
    ['foreign_keys', 1],
  ];
  for (const [pragma, value] of rows) {
    const { rows } = await sql<object>`PRAGMA ${sql.raw(pragma)}`.execute(database);
    assert.deepEqual(Object.values(rows[0] ?? {}), [value], pragma);
  }
});

test('a second migration keeps the rows', async (t) => {
  const { database } = await openEmptyDatabase(t);
  await database.insertInto('user').values(USER).execute();
  await migrate(database);
  assert.deepEqual({ ...(await database.selectFrom('user').selectAll().executeTakeFirst()) }, USER);
});

test('a transaction that fails is rolled back', async (t) => {
  const { database } = await openEmptyDatabase(t);
  const transaction = database.transaction().execute(async (trx) => {
    await trx.insertInto('user').values(USER).execute();
    throw new Error('cancelled');
  });
  await assert.rejects(transaction, /cancelled/);
  assert.deepEqual(await database.selectFrom('user').selectAll().execute(), []);
});

test('a full disk becomes server.storage-full, and the transaction is rolled back', async (t) => {
  const { database } = await openEmptyDatabase(t);
  await sql`PRAGMA max_page_count = 30`.execute(database);
  const transaction = database.transaction().execute(async (trx) => {
    await trx.insertInto('user').values(USER).execute();
    const id = 'u'.repeat(200_000);
    await trx
      .insertInto('user')
      .values({ ...USER, id, name: id })
      .execute();
  });
  await assert.rejects(
    transaction,
    (error) => error instanceof Problem && error.code === 'server.storage-full',
  );
  assert.deepEqual(await database.selectFrom('user').selectAll().execute(), []);
  await database.insertInto('user').values(USER).execute();
});

test('a full disk becomes server.storage-full for a statement that returns rows, too', async (t) => {
  const { database } = await openEmptyDatabase(t);
  await database.insertInto('user').values(USER).execute();
  await sql`PRAGMA max_page_count = 30`.execute(database);
  const update = database
    .updateTable('user')
    .set({ name: 'u'.repeat(200_000) })
    .returning('id');
  await assert.rejects(
    update.execute(),
    (error) => error instanceof Problem && error.code === 'server.storage-full',
  );
});

test('committed rows are visible to another connection', async (t) => {
  const { database, path } = await openEmptyDatabase(t);
  await database.insertInto('user').values(USER).execute();
  const other = openSqlite(path);
  t.after(() => other.destroy());
  assert.equal((await other.selectFrom('user').selectAll().execute()).length, 1);
});

test('a design must belong to an existing user', async (t) => {
  const { database } = await openEmptyDatabase(t);
  const design = {
    id: 'd',
    user_id: 'usr_none',
    name: '',
    description: '',
    external_id: null,
    tags: '[]',
    metadata: '{}',
    shared: 0,
    viewer: '{}',
    status: 'ready',
    revision_id: null,
    last_revision: 0,
    chosen_at_revision: 0,
    sort_name: '',
    search_text: '',
    created_at: '',
    updated_at: '',
    version: 1,
  };
  await assert.rejects(database.insertInto('design').values(design).execute(), /FOREIGN KEY/);
});

test('a migration that fails is rolled back', async (t) => {
  const database = openSqlite(join(await openTemporaryDirectory(t), 'cloche.sqlite'));
  t.after(() => database.destroy());
  await sql`CREATE TABLE job (id TEXT)`.execute(database);
  await assert.rejects(migrate(database), /table "job" already exists/);
  await sql`DROP TABLE job`.execute(database);
  await migrate(database);
});

test('after recycleWal, the WAL is overwritten and does not become longer', async (t) => {
  const { database, path } = await openEmptyDatabase(t);
  await database
    .insertInto('user')
    .values({ ...USER, id: 'u'.repeat(100_000) })
    .execute();
  const { size } = await stat(`${path}-wal`);
  for (let count = 0; count < 20; count += 1) {
    await recycleWal(database);
    await database
      .updateTable('user')
      .set({ created_at: String(count) })
      .execute();
  }
  assert.equal((await stat(`${path}-wal`)).size, size);
});
