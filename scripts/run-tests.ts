import { globSync } from 'node:fs';
import { listPostgresTestFiles, runPostgresTests } from './postgres-tests.ts';
import { runTests, runTestsInSharedProcesses } from './run-node-tests.ts';
import { formatSkippedTests } from './skipped-tests-reporter.ts';

/**
 * Runs all tests, then those of the server that use a database a second time, with PostgreSQL. The last lines say
 * what was not tested, and which tests failed. Exits with an error if a test of any run fails.
 */
const WORKSPACES = [
  'contract',
  'pipeline',
  'viewer',
  'console',
  'sdk',
  'demo',
  'bench',
  'scripts',
  'e2e',
];
const reporters = { reporter: 'spec', summaryReporter: './scripts/skipped-lines-reporter.ts' };

console.log('\nThe tests of the server:');
const serverFiles = globSync('server/**/*.test.ts').sort();
const server = await runTestsInSharedProcesses(serverFiles, { processCount: 3, ...reporters });
console.log('\nThe other tests:');
const others = await runTests({
  testArguments: [
    '--test-timeout=600000',
    ...WORKSPACES.map((workspace) => `${workspace}/**/*.test.ts`),
  ],
  concurrency: 3,
  ...reporters,
});
console.log('\nThe tests of the server that use a database, with PostgreSQL:');
const postgres = await runPostgresTests(await listPostgresTestFiles());
const skipped = [server, others].flatMap(({ summary }) => summary.split('\n').filter(Boolean));
process.stdout.write(postgres.summary + formatSkippedTests(skipped));
if (![server, others, postgres].every(({ passed }) => passed)) {
  const failures = [server, others, postgres].map((run) => run.failures).join('');
  process.stdout.write(`\nFAILED:\n${failures}${server.unfinished}`);
  process.exitCode = 1;
}
