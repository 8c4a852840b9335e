import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { toEndFile } from './run-test-queue.ts';

/**
 * Test files of the server that need a process of their own: why. The others share processes, one after the other,
 * because loading and compiling the service takes longer than most tests.
 */
export const OWN_PROCESS_TEST_FILES: Readonly<Record<string, string>> = {
  'server/src/designs/upload-connection.test.ts': 'measures the memory of its process',
  'server/src/docs/openapi.test.ts': 'adds a hook to every server of its process',
  'server/src/embed/large-assets.test.ts': 'lists the files that its process has open',
};

/** The files that take longest. They are run first: otherwise one process would run the last of them alone. */
export const LONGEST_TEST_FILES: readonly string[] = [
  'server/src/installation/interrupted.test.ts',
  'server/src/installation/backup-under-load.test.ts',
  'server/src/installation/backup.test.ts',
  'server/src/http/api-fuzz.test.ts',
  'server/src/embed/early-preview-access.test.ts',
  'server/src/designs/cancel-revision.test.ts',
  'server/src/designs/delete-unreferenced-blobs.test.ts',
  'server/src/problems.test.ts',
  'server/src/processing/job-store.test.ts',
];

/** Which test files run in which processes. */
export type TestProcesses = {
  /** Each of them in a process of its own. */
  own: string[];
  /** Shared by the other processes: each takes the next file when it has completed one. */
  queue: string[];
};

/** Divides test files between processes. */
export function divideTestFiles(files: readonly string[]): TestProcesses {
  const shared = files.filter((file) => !Object.hasOwn(OWN_PROCESS_TEST_FILES, file));
  const first = LONGEST_TEST_FILES.filter((file) => shared.includes(file));
  return {
    own: files.filter((file) => !shared.includes(file)),
    queue: [...first, ...shared.filter((file) => !first.includes(file))],
  };
}

/** The folder in which processes note the files of the queue that they run. */
const CLAIMS = 'claims';

/** Writes a module for each process, which runs its test files, and returns their paths. */
export function writeProcessModules(
  { own, queue }: TestProcesses,
  { root, directory, processCount }: { root: string; directory: string; processCount: number },
): string[] {
  const toUrl = (path: string) => pathToFileURL(join(root, path)).href;
  const toScriptUrl = (name: string) => pathToFileURL(join(import.meta.dirname, name)).href;
  const claimDirectory = join(directory, CLAIMS);
  mkdirSync(claimDirectory);
  const options = JSON.stringify({ urls: queue.map(toUrl), claimDirectory });
  const runner = `await import('${toScriptUrl('untracked-promises.ts')}');
const { runTestQueue } = await import('${toScriptUrl('run-test-queue.ts')}');
await runTestQueue(${options});
`;
  const runners = Array.from({ length: Math.min(processCount, queue.length) }, () => runner);
  // Node starts them in the order of their names.
  const modules = [...own.map((file) => `import '${toUrl(file)}';\n`), ...runners];
  return modules.map((text, index) => {
    const path = join(directory, `process-${String(index + 1).padStart(2, '0')}.test.mjs`);
    writeFileSync(path, text);
    return path;
  });
}

/** Lists the files of the queue that no process has run to their end. */
export function listUnfinishedFiles({ queue }: TestProcesses, directory: string): string[] {
  return queue.filter((_, index) => !existsSync(join(directory, CLAIMS, toEndFile(index))));
}
