import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AFTER_NPM_TEST,
  SELECTED,
  skipUnlessSelected,
  skipWithout,
} from '../scripts/optional-programs.ts';
import {
  listPoolerDependentTestFiles,
  listPoolerTestFiles,
  runPostgresTests,
} from '../scripts/postgres-tests.ts';

const skip = skipWithout('pgbouncer') || skipUnlessSelected();

// `restore` and `move`, which refuse a pooler, get the URL of the database itself.
test('the tests of the server pass through PgBouncer in transaction mode', { skip }, async (t) => {
  // Otherwise the runner would skip the tests: it is itself run by a test.
  delete process.env.NODE_TEST_CONTEXT;
  delete process.env[SELECTED];
  const hasRunWithoutPooler = process.env[AFTER_NPM_TEST] !== undefined;
  const files = await (hasRunWithoutPooler ? listPoolerDependentTestFiles : listPoolerTestFiles)();
  const { passed, summary, failures } = await runPostgresTests(files, { throughPgBouncer: true });
  t.diagnostic(summary);
  assert.ok(passed, failures);
});
