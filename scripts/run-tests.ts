import { listPostgresTestFiles, runPostgresTests, runTests } from './postgres-tests.ts';

/**
 * Runs all tests, then those of the server that use a database a second time, with PostgreSQL. The last lines say
 * what was not tested. Exits with an error if a test of either run fails.
 */
const WORKSPACES = [
  'contract',
  'pipeline',
  'server',
  'viewer',
  'console',
  'sdk',
  'demo',
  'bench',
  'scripts',
  'e2e',
];

const all = await runTests({
  testArguments: [
    '--test-timeout=600000',
    ...WORKSPACES.map((workspace) => `${workspace}/**/*.test.ts`),
  ],
  reporter: 'spec',
  summaryReporter: './scripts/skipped-tests-reporter.ts',
});
console.log('\nThe tests of the server that use a database, with PostgreSQL:');
const postgres = await runPostgresTests(await listPostgresTestFiles());
process.stdout.write(postgres.summary + all.summary);
if (!all.passed || !postgres.passed) process.exitCode = 1;
