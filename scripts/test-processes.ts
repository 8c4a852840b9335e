import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { toEndFile } from './run-test-queue.ts';

/** Test files in these folders use the service or a browser. */
const SHARED_FOLDERS = ['demo', 'e2e', 'sdk/testing', 'server', 'viewer/testing'];

/** Whether a test file is run by processes that run many: to load the service and to start a browser takes longer than most tests. */
export function sharesProcess(file: string): boolean {
  return SHARED_FOLDERS.some((folder) => file.startsWith(`${folder}/`));
}

/** Those of them that run in a process without the others, in this order: why. */
export const OWN_PROCESS_TEST_FILES: Readonly<Record<string, string>> = {
  'server/src/designs/upload-connection.test.ts': 'measures the memory of its process',
  'server/src/embed/large-assets.test.ts': 'lists the files that its process has open',
  'server/src/docs/openapi.test.ts': 'adds a hook to every server of its process',
};

/** The files that take longest. They are run first: otherwise one process would run the last of them alone. */
export const LONGEST_TEST_FILES: readonly string[] = [
  'e2e/failures.test.ts',
  'e2e/gate/gate-navigation.test.ts',
  'e2e/hostile-models.test.ts',
  'e2e/gate/gate-origins.test.ts',
  'e2e/gate/gate-requests.test.ts',
  'e2e/many-embeds.test.ts',
  'e2e/accessibility.test.ts',
  'e2e/gate/gate-framing.test.ts',
  'e2e/gate/run-matrix.test.ts',
  'e2e/backup-s3.test.ts',
  'demo/demo.test.ts',
  'e2e/nodes-database-outage.test.ts',
  'server/src/http/api-fuzz.test.ts',
  'server/src/installation/interrupted.test.ts',
  'server/src/tokens/revoked-requests.test.ts',
  'server/src/problems.test.ts',
  'server/src/installation/backup-under-load.test.ts',
  'server/src/installation/backup.test.ts',
  'server/src/embed/early-preview.test.ts',
  'server/src/http/connection-limits.test.ts',
  'server/src/designs/cancel-revision.test.ts',
  'server/src/uploads/routes.test.ts',
  'server/src/quotas/upload-quota.test.ts',
  'server/src/embed/early-preview-access.test.ts',
  'server/src/http/limits.test.ts',
  'server/src/designs/delete-unreferenced-blobs.test.ts',
  'server/src/processing/job-store.test.ts',
];

/** Which test files run in which processes. */
export type TestProcesses = {
  /** In a process of their own. */
  own: string[];
  /** Shared by the other processes: each takes the next file when it has completed one. */
  queue: string[];
};

/** Divides test files between processes. */
export function divideTestFiles(files: readonly string[]): TestProcesses {
  const shared = files.filter((file) => !Object.hasOwn(OWN_PROCESS_TEST_FILES, file));
  const first = LONGEST_TEST_FILES.filter((file) => shared.includes(file));
  return {
    own: Object.keys(OWN_PROCESS_TEST_FILES).filter((file) => files.includes(file)),
    queue: [...first, ...shared.filter((file) => !first.includes(file))],
  };
}

/** The folders in which processes note the files that they run. */
const CLAIMS = { own: 'own-claims', queue: 'claims' } as const;

/** Writes a module for each process, which runs its test files, and returns their paths. */
export function writeProcessModules(
  { own, queue }: TestProcesses,
  { root, directory, processCount }: { root: string; directory: string; processCount: number },
): string[] {
  const toScriptUrl = (name: string) => pathToFileURL(join(import.meta.dirname, name)).href;
  const createRunner = (files: readonly string[], claims: string) => {
    const claimDirectory = join(directory, claims);
    mkdirSync(claimDirectory);
    const urls = files.map((path) => pathToFileURL(join(root, path)).href);
    return `await import('${toScriptUrl('untracked-promises.ts')}');
// Its hook is for the whole process, not for the suite of the file that would load it first.
await import('${toScriptUrl('../e2e/shared-chromium.ts')}');
const { runTestQueue } = await import('${toScriptUrl('run-test-queue.ts')}');
await runTestQueue(${JSON.stringify({ urls, claimDirectory })});
`;
  };
  const ownRunners = own.length > 0 ? [createRunner(own, CLAIMS.own)] : [];
  const runner = createRunner(queue, CLAIMS.queue);
  const runners = Array.from({ length: Math.min(processCount, queue.length) }, () => runner);
  // Node starts them in the order of their names.
  return [...ownRunners, ...runners].map((text, index) => {
    const path = join(directory, `process-${String(index + 1).padStart(2, '0')}.test.mjs`);
    writeFileSync(path, text);
    return path;
  });
}

/** Lists the files that no process has run to their end. */
export function listUnfinishedFiles({ own, queue }: TestProcesses, directory: string): string[] {
  const listIn = (files: readonly string[], claims: string) =>
    files.filter((_, index) => !existsSync(join(directory, claims, toEndFile(index))));
  return [...listIn(own, CLAIMS.own), ...listIn(queue, CLAIMS.queue)];
}
