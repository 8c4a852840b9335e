import assert from 'node:assert/strict';
import { copyFile, readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { sql } from 'kysely';
import { migrate } from './migrate.ts';
import { readSchema } from './read-schema.ts';
import { openSqlite } from './sqlite.ts';

const WAL_HEADER_BYTES = 32;

test('reading the schema never deletes the WAL of a process that is writing its first frame', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const path = join(directory, 'cloche.sqlite');
  {
    await using database = openSqlite(path);
    await migrate(database);
  }
  await using writer = openSqlite(path);
  await sql`UPDATE schema_version SET version = 'changed'`.execute(writer);
  // SQLite syncs the header of a new WAL before it writes frames. Then the file looks like this one.
  const copy = join(directory, 'copy.sqlite');
  await copyFile(path, copy);
  await copyFile(`${path}-wal`, `${copy}-wal`);
  await truncate(`${copy}-wal`, WAL_HEADER_BYTES);

  const expected = readSchema(path);
  assert.ok((await readdir(directory)).includes('cloche.sqlite-wal'));
  assert.equal(expected?.version, 'changed', 'what only the WAL contains is read');
  assert.deepEqual(readSchema(copy)?.migrations, expected?.migrations);
  assert.ok((await readdir(directory)).includes('copy.sqlite-wal'));
});

test('without a WAL, reading the schema creates no file', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const path = join(directory, 'cloche.sqlite');
  assert.equal(readSchema(path), undefined);
  {
    await using database = openSqlite(path);
    await migrate(database);
  }
  assert.ok((readSchema(path)?.migrations.length ?? 0) > 0);
  assert.deepEqual(await readdir(directory), ['cloche.sqlite']);
});
