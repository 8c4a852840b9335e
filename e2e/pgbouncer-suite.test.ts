import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SELECTED, skipUnlessSelected, skipWithout } from '../scripts/optional-programs.ts';
import { listPoolerTestFiles, runPostgresTests } from '../scripts/postgres-tests.ts';

const skip = skipWithout('pgbouncer') || skipUnlessSelected();

// `restore` and `move`, which refuse a pooler, get the URL of the database itself.
test('the tests of the server pass through PgBouncer in transaction mode', { skip }, async (t) => {
  // Otherwise the runner would skip the tests: it is itself run by a test.
  delete process.env.NODE_TEST_CONTEXT;
  delete process.env[SELECTED];
  const { passed, summary, failures } = await runPostgresTests(await listPoolerTestFiles(), {
    throughPgBouncer: true,
  });
  t.diagnostic(summary);
  assert.ok(passed, failures);
});
