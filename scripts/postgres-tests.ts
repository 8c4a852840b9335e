import { join } from 'node:path';
import { startPgBouncer } from '../server/testing/pgbouncer.ts';
import { startPostgresServer } from '../server/testing/postgres-server.ts';
import { createTemplate } from '../server/testing/test-database.ts';
import { listImports, listReachedImports } from './import-graph.ts';
import { DIRECT_ONLY_TEST_FILES, POSTGRES_ONLY_TEST_FILES } from './postgres-only-test-files.ts';
import { runTestsInSharedProcesses, type TestRunResult } from './run-node-tests.ts';
import { readSourceFiles } from './source-files.ts';
import { SQLITE_TEST_FILES } from './sqlite-test-files.ts';

const ROOT = join(import.meta.dirname, '..');

/** More than processors: tests also wait for the database and for timers. */
const PROCESS_COUNT = 4;

/** The module with which tests open a database of either kind. */
const TEST_DATABASE = 'server/testing/test-database.ts';
/** Modules that tests of SQLite import. */
const SQLITE_MODULES = [
  'node:sqlite',
  'server/src/database/sqlite.ts',
  'server/src/startup/open-database.ts',
];

/** Lists the test files of the server that use a database, sorted. */
export async function listDatabaseTestFiles(): Promise<string[]> {
  const files = await readSourceFiles(ROOT, ['server/**/*.ts']);
  const imports = listImports(files);
  const usesDatabase = (path: string) =>
    listReachedImports(imports, path).some(
      ({ importer, specifier, target = specifier }) =>
        target === TEST_DATABASE || (importer === path && SQLITE_MODULES.includes(target)),
    );
  return [...files.keys()].filter((path) => path.endsWith('.test.ts') && usesDatabase(path)).sort();
}

/** Lists the test files that run a second time, with PostgreSQL. */
export async function listPostgresTestFiles(): Promise<string[]> {
  const files = await listDatabaseTestFiles();
  return files.filter(
    (path) => !Object.hasOwn(SQLITE_TEST_FILES, path) && !POSTGRES_ONLY_TEST_FILES.includes(path),
  );
}

/** Lists the test files that run through a connection pooler. */
export async function listPoolerTestFiles(): Promise<string[]> {
  const ownServer = POSTGRES_ONLY_TEST_FILES.filter(
    (path) => !Object.hasOwn(DIRECT_ONLY_TEST_FILES, path),
  );
  return [...(await listPostgresTestFiles()), ...ownServer].sort();
}

/** In these folders are the modules that use locks and transactions of several statements, or wait for changes. */
const POOLER_FOLDERS = ['database', 'events', 'processing', 'quotas', 'startup'];

/** Lists the test files that run through a connection pooler if all have run with PostgreSQL without one. */
export async function listPoolerDependentTestFiles(): Promise<string[]> {
  const isDependent = (path: string) =>
    POSTGRES_ONLY_TEST_FILES.includes(path) ||
    POOLER_FOLDERS.some((folder) => path.startsWith(`server/src/${folder}/`));
  return (await listPoolerTestFiles()).filter(isDependent);
}

/** Runs test files with PostgreSQL, through PgBouncer or without it. */
export async function runPostgresTests(
  files: readonly string[],
  { throughPgBouncer = false } = {},
): Promise<TestRunResult> {
  await using server = await startPostgresServer();
  await createTemplate(server.url);
  await using pooler = throughPgBouncer ? await startPgBouncer(server.url) : undefined;
  const pooled = pooler && { TEST_POOLER_URL: pooler.toUrl(server.url) };
  // Awaited: the server stops afterwards.
  const { passed, summary, failures, unfinished } = await runTestsInSharedProcesses(files, {
    processCount: PROCESS_COUNT,
    reporter: 'dot',
    summaryReporter: './scripts/postgres-tests-reporter.ts',
    environment: { TEST_POSTGRES_URL: server.url, ...pooled },
  });
  return { passed, summary: summary + unfinished, failures };
}
