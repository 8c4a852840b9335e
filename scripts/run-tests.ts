import { globSync } from 'node:fs';
import { findProgram, POOLER_TEST_FILE } from './optional-programs.ts';
import { listPoolerTestFiles, listPostgresTestFiles, runPostgresTests } from './postgres-tests.ts';
import { runTests, runTestsInSharedProcesses } from './run-node-tests.ts';
import { formatSkippedTests } from './skipped-tests-reporter.ts';
import { sharesProcess } from './test-processes.ts';

/**
 * Runs all tests, then those of the server that use a database a second time, with PostgreSQL: through PgBouncer if it is
 * installed. The last lines say what was not tested, and which tests failed. Exits with an error if a test of any run fails.
 */
const PROCESS_COUNT = 3;
const reporters = { reporter: 'spec', summaryReporter: './scripts/skipped-lines-reporter.ts' };
const throughPgBouncer = findProgram('pgbouncer') !== undefined;

const files = globSync('**/*.test.ts', { exclude: ['**/node_modules/**'] })
  // The last run has its tests.
  .filter((file) => !(throughPgBouncer && file === POOLER_TEST_FILE))
  .sort();
const sharedFiles = files.filter(sharesProcess);

console.log('\nThe tests that use the service or a browser:');
const shared = await runTestsInSharedProcesses(sharedFiles, {
  processCount: PROCESS_COUNT,
  ...reporters,
});
console.log('\nThe other tests:');
const others = await runTests({
  testArguments: ['--test-timeout=600000', ...files.filter((file) => !sharesProcess(file))],
  concurrency: PROCESS_COUNT,
  ...reporters,
});
console.log(
  `\nThe tests of the server that use a database, with PostgreSQL${throughPgBouncer ? ' through PgBouncer' : ''}:`,
);
const listFiles = throughPgBouncer ? listPoolerTestFiles : listPostgresTestFiles;
const postgres = await runPostgresTests(await listFiles(), { throughPgBouncer });
const skipped = [shared, others].flatMap(({ summary }) => summary.split('\n').filter(Boolean));
process.stdout.write(postgres.summary + formatSkippedTests(skipped));
if (![shared, others, postgres].every(({ passed }) => passed)) {
  const failures = [shared, others, postgres].map((run) => run.failures).join('');
  process.stdout.write(`\nFAILED:\n${failures}${shared.unfinished}`);
  process.exitCode = 1;
}
