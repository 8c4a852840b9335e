import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { splitFailedTests } from './failed-tests.ts';
import { divideTestFiles, listUnfinishedFiles, writeProcessModules } from './test-processes.ts';

const ROOT = join(import.meta.dirname, '..');

/** Where the test processes keep modules that they have compiled: most of them load the same ones. */
const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/compiled-tests');

/** Whether all tests have passed, the text of a reporter, and the tests that failed, with their errors. */
export type TestRunResult = { passed: boolean; summary: string; failures: string };

type ReportOptions = {
  /** The reporter that prints while the tests run. */
  reporter: string;
  /** The reporter of the summary, made by `withFailedTests`. */
  summaryReporter: string;
  environment?: Readonly<Record<string, string>>;
};

type TestRunOptions = ReportOptions & {
  /** The patterns of the test files, and options. */
  testArguments: readonly string[];
  /** How many processes run at a time. */
  concurrency: number;
};

/** Runs `node --test`, with a process for each file. */
export async function runTests({
  testArguments,
  concurrency,
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
      ['--test', `--test-concurrency=${concurrency}`, ...reporterArguments, ...testArguments],
      // Not spawnSync: meanwhile this process reads the log of the database.
      {
        cwd: ROOT,
        stdio: 'inherit',
        env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE, ...environment },
      },
    );
    const [status] = await once(child, 'close');
    return { passed: status === 0, ...splitFailedTests(readFileSync(summaryFile, 'utf8')) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

type SharedRunResult = TestRunResult & {
  /** Says which files were not run to their end. Empty: all were. */
  unfinished: string;
};

/** Runs test files of the server. Processes share a queue of those that need no process of their own. */
export async function runTestsInSharedProcesses(
  files: readonly string[],
  { processCount, ...options }: ReportOptions & { processCount: number },
): Promise<SharedRunResult> {
  const directory = mkdtempSync(join(tmpdir(), 'cloche-processes-'));
  const processes = divideTestFiles(files);
  try {
    const modules = writeProcessModules(processes, { root: ROOT, directory, processCount });
    // Without files, Node would run all that it finds.
    assert.ok(modules.length > 0, 'no test files');
    const { passed, summary, failures } = await runTests({
      // The limit also applies to a process as a whole.
      testArguments: ['--test-timeout=7200000', ...modules],
      concurrency: processCount,
      ...options,
    });
    const unfinished = listUnfinishedFiles(processes, directory);
    const isComplete = unfinished.length === 0;
    return {
      passed: passed && isComplete,
      summary,
      failures,
      unfinished: isComplete ? '' : formatUnfinished(unfinished),
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function formatUnfinished(files: readonly string[]): string {
  const lines = files.map((file) => `- ${file}\n`);
  return `\nFAILED: a process ended before it had run all tests of these files:\n${lines.join('')}`;
}
