import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { startPostgresServer } from '../server/testing/postgres-server.ts';
import { createTemplate } from '../server/testing/test-database.ts';

/**
 * Runs the tests of the server that use a database a second time, with PostgreSQL. Arguments are test files to
 * run instead of all.
 */
const DATABASE_IMPORTS = /testing\/(harness|test-database|test-job-store|problem-fixture)\.ts'/;

const [, , ...selected] = process.argv;
const testFiles = globSync('server/**/*.test.ts', { exclude: ['**/node_modules/**'] })
  .filter((path) => !path.endsWith('-browser.test.ts'))
  .filter((path) => DATABASE_IMPORTS.test(readFileSync(path, 'utf8')))
  .toSorted();

await using server = await startPostgresServer();
await createTemplate(server.url);
const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    '--test-concurrency=3',
    '--test-timeout=300000',
    '--test-reporter=dot',
    ...(selected.length > 0 ? selected : testFiles),
  ],
  { stdio: 'inherit', env: { ...process.env, TEST_POSTGRES_URL: server.url } },
);
process.exitCode = status ?? 1;
