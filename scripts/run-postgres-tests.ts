import { listPoolerTestFiles, listPostgresTestFiles, runPostgresTests } from './postgres-tests.ts';

/**
 * Runs the tests of the server that use a database with PostgreSQL. Arguments are test files to run instead of
 * all. With `--pgbouncer`, they use it through PgBouncer, which must be installed, in transaction mode.
 */
const PGBOUNCER = '--pgbouncer';
const throughPgBouncer = process.argv.includes(PGBOUNCER);
const selected = process.argv.slice(2).filter((argument) => argument !== PGBOUNCER);
const listFiles = throughPgBouncer ? listPoolerTestFiles : listPostgresTestFiles;
const files = selected.length > 0 ? selected : await listFiles();
const { passed, summary, failures } = await runPostgresTests(files, { throughPgBouncer });
process.stdout.write(summary);
if (!passed) {
  process.stdout.write(`\nFAILED:\n${failures}`);
  process.exitCode = 1;
}
