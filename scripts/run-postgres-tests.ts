import { listPostgresTestFiles, runPostgresTests } from './postgres-tests.ts';

/**
 * Runs the tests of the server that use a database with PostgreSQL. Arguments are test files to run instead of
 * all.
 */
const [, , ...selected] = process.argv;
const files = selected.length > 0 ? selected : await listPostgresTestFiles();
const { passed, summary } = await runPostgresTests(files);
process.stdout.write(summary);
if (!passed) process.exitCode = 1;
