import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DIRECT_ONLY_TEST_FILES, POSTGRES_ONLY_TEST_FILES } from './postgres-only-test-files.ts';
import {
  listDatabaseTestFiles,
  listPoolerTestFiles,
  listPostgresTestFiles,
} from './postgres-tests.ts';
import { SQLITE_TEST_FILES } from './sqlite-test-files.ts';

test('every test file of the server that uses a database runs with PostgreSQL, or is listed with a reason', async () => {
  const files = await listDatabaseTestFiles();
  const withPostgres = await listPostgresTestFiles();
  const excluded = Object.keys(SQLITE_TEST_FILES);
  assert.deepEqual([...withPostgres, ...excluded, ...POSTGRES_ONLY_TEST_FILES].sort(), files);
  for (const path of [
    'server/src/tokens/routes.test.ts',
    'server/src/designs/revisions.test.ts',
    'server/src/processing/job-store.test.ts',
    'server/src/uploads/tus-client.test.ts',
  ])
    assert.ok(withPostgres.includes(path), path);
});

test('every test file that uses PostgreSQL also runs through PgBouncer, or is listed with a reason', async () => {
  const files = await listPoolerTestFiles();
  const usesPostgres = [...(await listPostgresTestFiles()), ...POSTGRES_ONLY_TEST_FILES];
  assert.deepEqual([...files, ...Object.keys(DIRECT_ONLY_TEST_FILES)].sort(), usesPostgres.sort());
  // They connect through the pooler: usePostgresNodes opens it.
  for (const path of POSTGRES_ONLY_TEST_FILES.filter((path) => files.includes(path))) {
    const text = readFileSync(join(import.meta.dirname, '..', path), 'utf8');
    assert.match(text, /\busePostgresNodes\(\)/, path);
  }
});

test('the files that are not repeated with PostgreSQL always use it, and open no database of the other kind', () => {
  const otherDatabases =
    /\b(openTestServer|openTestDatabase|openDatabaseIn|createDatabaseIn|createEmptyInstallation|openProblemFixture|openSqlite|sqliteOnly|USES_POSTGRES|toTestConnection)\b/;
  for (const path of POSTGRES_ONLY_TEST_FILES) {
    const text = readFileSync(join(import.meta.dirname, '..', path), 'utf8');
    assert.match(text, /\b(usePostgresNodes|startPostgresServer)\(\)/, path);
    assert.doesNotMatch(text, otherDatabases, path);
  }
});
