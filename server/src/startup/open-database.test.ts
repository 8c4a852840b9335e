import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { sql } from 'kysely';
import { readSnapshot } from '../../testing/read-snapshot.ts';
import { MIGRATIONS, type Migrations } from '../database/migrate.ts';
import { PROGRAM_VERSION } from '../database/program-version.ts';
import { assertDatabaseSupported, openDatabase, toDatabasePath } from './open-database.ts';

const [INITIAL_NAME = '', INITIAL] = Object.entries(MIGRATIONS)[0] ?? [];
const OLD: Migrations = { [INITIAL_NAME]: INITIAL ?? assert.fail() };
const NEWER: Migrations = {
  ...MIGRATIONS,
  '9998-table': { up: (db) => db.schema.createTable('added').addColumn('a', 'text').execute() },
  '9999-user': {
    up: async (db) => {
      await sql`UPDATE "user" SET created_at = 'changed'`.execute(db);
      await sql`DELETE FROM idempotency_key`.execute(db);
    },
  },
};
const FAILING: Migrations = {
  ...NEWER,
  'a-failure': { up: () => Promise.reject(new Error('failed half way')) },
};
const INSERT_USER = `INSERT INTO "user" (id, created_at) VALUES ('usr_1', '2026')`;

/** Creates a database with the schema of an older program and a user. */
async function createOldDatabase(directory: string): Promise<void> {
  await using database = await openDatabase(directory, OLD);
  await sql.raw(INSERT_USER).execute(database);
}

function readUsers(path: string): unknown[] {
  using database = new DatabaseSync(path, { readOnly: true });
  return database
    .prepare('SELECT id, created_at FROM "user"')
    .all()
    .map((row) => ({ ...row }));
}

const listBackups = async (directory: string) =>
  (await readdir(join(directory, 'backups')).catch(() => [])).map((name) =>
    join(directory, 'backups', name),
  );

for (const ending of ['is closed', 'crashes'] as const) {
  test(`an older program refuses a newer database and changes nothing, after the newer one ${ending}`, async (t) => {
    const directory = await openTemporaryDirectory(t);
    if (ending === 'is closed') await (await openDatabase(directory, NEWER)).destroy();
    else crashAfterMigration(directory);
    const names = await readdir(directory);
    assert.equal(names.includes('cloche.sqlite-wal'), ending === 'crashes');
    const before = await readFiles(directory);

    const version = PROGRAM_VERSION.replaceAll('.', '\\.');
    const message = new RegExp(
      `^CLOCHE_DATA is .* needs Cloche ${version} or newer\\. This is Cloche ${version}, which does not know 9998-table, 9999-user\\. Nothing was changed`,
    );
    const act = () => assertDatabaseSupported(directory, MIGRATIONS);
    assert.throws(act, { name: 'ConfigError', message });
    assert.deepEqual(await readFiles(directory), before);
  });
}

/** Without the index of the WAL, which each first connection builds from the WAL. */
async function readFiles(directory: string): Promise<Record<string, string>> {
  const { 'cloche.sqlite-shm': _index, ...files } = await readSnapshot(directory);
  return files;
}

/** Creates a newer database in a process that is killed, so that its changes are in the WAL only. */
function crashAfterMigration(directory: string): void {
  const script = `
    const { openDatabase } = await import(process.argv[1]);
    const { MIGRATIONS } = await import(process.argv[2]);
    const up = async () => {};
    await openDatabase(process.argv[3], { ...MIGRATIONS, '9998-table': { up }, '9999-user': { up } });
    process.kill(process.pid, 'SIGKILL');`;
  runScript(script, directory);
}

function runScript(script: string, directory: string) {
  const modules = ['open-database.ts', '../database/migrate.ts'];
  const paths = modules.map((path) => join(import.meta.dirname, path));
  return spawnSync(process.execPath, ['--input-type=module', '-e', script, ...paths, directory], {
    encoding: 'utf8',
  });
}

test('a database of this program or of an older one is supported, and so is none', async (t) => {
  const directory = await openTemporaryDirectory(t);
  assertDatabaseSupported(directory);
  assert.deepEqual(await readdir(directory), []);
  await createOldDatabase(directory);
  assertDatabaseSupported(directory);
});

test('an existing database is backed up before a migration, and only then', async (t) => {
  const directory = await openTemporaryDirectory(t);
  await createOldDatabase(directory);
  await (await openDatabase(directory, OLD)).destroy();
  assert.deepEqual(await listBackups(directory), [], 'without a migration, there is no backup');

  await (await openDatabase(directory, NEWER)).destroy();
  assert.deepEqual(readUsers(toDatabasePath(directory)), [{ id: 'usr_1', created_at: 'changed' }]);
  const [backup = '', ...others] = await listBackups(directory);
  assert.deepEqual(others, []);
  assert.equal((await stat(backup)).mode & 0o777, 0o600);
  assert.equal((await stat(join(directory, 'backups'))).mode & 0o777, 0o700);
  assert.deepEqual(readUsers(backup), [{ id: 'usr_1', created_at: '2026' }]);
});

test('the older program works with the backup', async (t) => {
  const directory = await openTemporaryDirectory(t);
  await createOldDatabase(directory);
  await (await openDatabase(directory, NEWER)).destroy();
  const [backup = ''] = await listBackups(directory);
  const restored = await openTemporaryDirectory(t);
  await copyFile(backup, toDatabasePath(restored));
  assertDatabaseSupported(restored, OLD);
  await using database = await openDatabase(restored, OLD);
  assert.equal((await database.selectFrom('user').select('id').execute()).length, 1);
});

test('a migration that fails half way leaves the older database usable', async (t) => {
  const directory = await openTemporaryDirectory(t);
  await createOldDatabase(directory);
  await assert.rejects(openDatabase(directory, FAILING), /failed half way/);
  assert.deepEqual(readUsers(toDatabasePath(directory)), [{ id: 'usr_1', created_at: '2026' }]);
  assertDatabaseSupported(directory, OLD);
  await (await openDatabase(directory, OLD)).destroy();
  await (await openDatabase(directory, NEWER)).destroy();
});

test('a process that is killed half way through a migration leaves the older database usable', async (t) => {
  const directory = await openTemporaryDirectory(t);
  await createOldDatabase(directory);
  const script = `
    const { openDatabase } = await import(process.argv[1]);
    const { MIGRATIONS } = await import(process.argv[2]);
    const drop = { up: (db) => db.schema.dropTable('idempotency_key').execute() };
    const kill = { up: () => process.kill(process.pid, 'SIGKILL') };
    await openDatabase(process.argv[3], { ...MIGRATIONS, '9998-drop': drop, '9999-kill': kill });`;
  assert.equal(runScript(script, directory).signal, 'SIGKILL');
  assertDatabaseSupported(directory, OLD);
  await using database = await openDatabase(directory, OLD);
  assert.deepEqual(await database.selectFrom('idempotency_key').selectAll().execute(), []);
  assert.deepEqual(readUsers(toDatabasePath(directory)), [{ id: 'usr_1', created_at: '2026' }]);
});

test('without a backup there is no migration', async (t) => {
  const directory = await openTemporaryDirectory(t);
  await createOldDatabase(directory);
  // A file in the place of the directory for backups.
  await writeFile(join(directory, 'backups'), '');
  await assert.rejects(openDatabase(directory, NEWER), { code: 'EEXIST' });
  assert.deepEqual(readUsers(toDatabasePath(directory)), [{ id: 'usr_1', created_at: '2026' }]);
});
