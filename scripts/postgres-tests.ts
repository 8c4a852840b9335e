import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgresServer } from '../server/testing/postgres-server.ts';
import { createTemplate } from '../server/testing/test-database.ts';
import { listImports, listReachedImports } from './import-graph.ts';
import { readSourceFiles } from './source-files.ts';
import { SQLITE_TEST_FILES } from './sqlite-test-files.ts';

const ROOT = join(import.meta.dirname, '..');

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

/** Lists the test files that run with PostgreSQL. */
export async function listPostgresTestFiles(): Promise<string[]> {
  const files = await listDatabaseTestFiles();
  return files.filter((path) => !Object.hasOwn(SQLITE_TEST_FILES, path));
}

/** Whether all tests have passed, and the text of a reporter. */
export type TestRunResult = { passed: boolean; summary: string };

/** Runs test files with PostgreSQL. */
export async function runPostgresTests(files: readonly string[]): Promise<TestRunResult> {
  await using server = await startPostgresServer();
  await createTemplate(server.url);
  // Awaited: the server stops afterwards.
  return await runTests({
    testArguments: ['--test-timeout=300000', ...files],
    reporter: 'dot',
    summaryReporter: './scripts/postgres-tests-reporter.ts',
    environment: { TEST_POSTGRES_URL: server.url },
  });
}

type TestRunOptions = {
  /** The patterns of the test files, and options. */
  testArguments: readonly string[];
  /** The reporter that prints while the tests run. */
  reporter: string;
  /** The reporter of the summary. */
  summaryReporter: string;
  environment?: Readonly<Record<string, string>>;
};

/** Runs `node --test`. */
export async function runTests({
  testArguments,
  reporter,
  summaryReporter,
  environment = {},
}: TestRunOptions): Promise<TestRunResult> {
  const directory = mkdtempSync(join(tmpdir(), 'cloche-tests-'));
  const summaryFile = join(directory, 'summary');
  const reporters = { [reporter]: 'stdout', [summaryReporter]: summaryFile };
  const reporterArguments = Object.entries(reporters).flatMap(([name, destination]) => [
    `--test-reporter=${name}`,
    `--test-reporter-destination=${destination}`,
  ]);
  try {
    const child = spawn(
      process.execPath,
      ['--test', '--test-concurrency=3', ...reporterArguments, ...testArguments],
      // Not spawnSync: meanwhile this process reads the log of the database.
      { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...environment } },
    );
    const [status] = await once(child, 'close');
    return { passed: status === 0, summary: readFileSync(summaryFile, 'utf8') };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
