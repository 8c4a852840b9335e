import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findWorkerCode } from './find-worker-code.ts';
import type { SandboxLimits } from './limits.ts';

/** pipeline/src: the code of the worker. */
const SOURCE_DIRECTORY = realpathSync(join(import.meta.dirname, '..'));

const CONTRACT_DIRECTORY = dirname(
  realpathSync(fileURLToPath(import.meta.resolve('@cloche/contract/problem'))),
);

const worker = findWorkerCode(SOURCE_DIRECTORY, [CONTRACT_DIRECTORY]);

/** The script that a worker runs; tests use others. */
export const WORKER_ENTRY = worker.entry;

/** Reads the code of the worker. It fails if a user or an isolation does not let a worker start. */
export const PROBE_COMMAND = [
  process.execPath,
  '--eval',
  `require('node:fs').readFileSync(${JSON.stringify(WORKER_ENTRY)})`,
];

const PRELOAD = pathToFileURL(worker.preload).href;

/**
 * Node's flags for a worker, which may read its own code and the job directory, and write no file: its results
 * leave through a pipe.
 *
 * Node's permission model restricts the JavaScript of our libraries: no other files, no processes,
 * no threads. worker/preload.ts refuses what the model does not restrict, and addons other than sharp.
 * Native code is restricted by the system's isolation only.
 */
export function getNodeFlags(jobDirectory: string, { heapBytes }: SandboxLimits): string[] {
  // As another user, Node cannot see that the path is a directory. The pattern says it.
  const readable = [...listCodePaths(), jobDirectory, `${jobDirectory}/*`];
  return [
    '--permission',
    '--allow-addons',
    '--no-experimental-sqlite',
    '--disable-sigusr1',
    `--import=${PRELOAD}`,
    ...readable.map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${Math.floor(heapBytes / 1024 / 1024)}`,
    '--no-warnings',
  ];
}

/**
 * Lists the paths of the worker's code: pipeline/src and contract/src with their package.json, the directory of its scripts, and node_modules
 * of each parent directory, because npm may install to any.
 */
export function listCodePaths(): Set<string> {
  const directories = new Set([SOURCE_DIRECTORY, CONTRACT_DIRECTORY]);
  for (const directory of [...directories]) directories.add(join(directory, '../package.json'));
  directories.add(worker.directory);
  for (let parent = SOURCE_DIRECTORY; dirname(parent) !== parent; parent = dirname(parent)) {
    const modules = join(parent, 'node_modules');
    // In containers node_modules is often a symbolic link, and Node checks both paths.
    if (existsSync(modules)) directories.add(modules).add(realpathSync(modules));
  }
  return directories;
}
