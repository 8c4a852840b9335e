import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listDatabaseTestFiles, listPostgresTestFiles } from './postgres-tests.ts';
import { SQLITE_TEST_FILES } from './sqlite-test-files.ts';

test('every test file of the server that uses a database runs with PostgreSQL, or is listed with a reason', async () => {
  const files = await listDatabaseTestFiles();
  const withPostgres = await listPostgresTestFiles();
  const excluded = Object.keys(SQLITE_TEST_FILES);
  assert.deepEqual([...withPostgres, ...excluded].sort(), files);
  for (const path of [
    'server/src/tokens/routes.test.ts',
    'server/src/designs/revisions.test.ts',
    'server/src/processing/job-store.test.ts',
    'server/src/uploads/tus-client.test.ts',
  ])
    assert.ok(withPostgres.includes(path), path);
});
