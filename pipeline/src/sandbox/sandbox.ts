import { mkdir, realpath, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelProcessorOptions, WorkerResult } from '../model-processor.ts';
import { classifyExit } from './classify-exit.ts';
import { detectIsolation, type Isolation } from './isolation.ts';
import { getDefaultLimits, getTimeoutMs, type SandboxLimits } from './limits.ts';
import { getNodeFlags, WORKER_ENTRY } from './node-permissions.ts';
import { createProgressReader } from './progress-reader.ts';
import { runProcess } from './run-process.ts';

/** Options of a sandbox. Limits that are not given have their default. */
export type SandboxOptions = Partial<SandboxLimits> & {
  log?: { warn(details: object, message: string): void };
  /** A script to run in place of the worker, for tests. */
  entryPoint?: string;
  /** Less isolation than the system supports, for tests. */
  isolation?: Isolation;
};

/** Options of one job; `timeoutMs` overrides that of the sandbox. */
export type SandboxRunOptions = Partial<ModelProcessorOptions> & { timeoutMs?: number };

// Notes, measured on Linux 6.18 with Node 24.21 and 2 cores in November 2026.
//
// Memory. `ulimit -v` alone does not limit the memory of WebAssembly well: V8 reserves 8 GiB for each memory, so
// that accesses out of bounds cause a trap; our libraries together reserve 67 GiB to use 0.2. With
// --disable-wasm-trap-handler it is still 28 GiB, and meshoptimizer's simplify takes 30-60 % longer.
// So the limit of writable memory is `ulimit -d` (RLIMIT_DATA counts private writable pages however
// they were mapped, and no reservations), with `ulimit -v` at 128 GiB as a second limit. An empty
// Node counts 560 MB of data, of which 512 are the range for machine code; the sample models
// (7-14 MB) count 730-800 and use 160-250. Default: 4 GiB, or three quarters of the memory of a
// smaller machine. Where a system accepts the limit but does not enforce it, V8's heap limit and
// the kernel's OOM killer (oom_score_adj) remain.
//
// Which isolation restricts what: Node's --permission restricts JavaScript (files, processes,
// threads, the inspector). Node 24 has no --allow-net, and its model does not cover signals,
// node:sqlite, V8's flags and the file access of addons: worker/preload.ts refuses these, and
// worker-attacks.test.ts tries each. The libraries need no threads. Native code (sharp) is allowed by
// --allow-addons, and restricted by the limits, the empty network namespace and the dropped
// capabilities; if its memory is corrupted, it can access the files that the service's own user may.
//
// Cost. The isolation: 10 ms. A cube of 2 kB: 0.45 s of CPU and 115 MB, nearly all of it to load
// libraries; with no library but the GLB reader 0.2 s.

/** Runs jobs on untrusted files, one process each. */
type Sandbox = {
  /**
   * Runs the job in `directory`, which contains `job.json` and the file `source`; the results are
   * in its directory `out`. Never throws because of what the worker does.
   */
  run(directory: string, options?: SandboxRunOptions): Promise<WorkerResult>;
  /** Whether workers have no network on this system. */
  readonly blocksNetwork: boolean;
};

/** Opens a sandbox: detects the isolation that this system supports, and logs what is missing. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const {
    log,
    entryPoint = WORKER_ENTRY,
    isolation = await detectIsolation(),
    ...customLimits
  } = options;
  const sandboxLimits = { ...getDefaultLimits(), ...customLimits };
  const missing = listMissingIsolation(isolation);
  if (missing.length > 0) log?.warn({ missing }, 'worker isolation is incomplete on this system');

  async function run(
    jobDirectory: string,
    { signal, onProgress, timeoutMs }: SandboxRunOptions = {},
  ): Promise<WorkerResult> {
    const directory = await realpath(jobDirectory);
    const outDirectory = join(directory, 'out');
    // An earlier attempt may have left incomplete results.
    await rm(outDirectory, { recursive: true, force: true });
    await mkdir(outDirectory);
    const command = [process.execPath, ...getNodeFlags(directory, sandboxLimits), entryPoint];
    const sourceBytes = await getSourceBytes(directory);
    const limits = {
      ...sandboxLimits,
      timeoutMs: timeoutMs ?? getTimeoutMs(sourceBytes, sandboxLimits),
    };
    const exit = await runProcess({
      command: isolation.wrapCommand(command, limits),
      directory,
      timeoutMs: limits.timeoutMs,
      signal: signal ?? new AbortController().signal,
      onData: createProgressReader(onProgress ?? (() => {})),
    });
    const result = await classifyExit(exit, directory, limits);
    if (!result.ok) log?.warn({ result, exit }, 'worker failed');
    return result;
  }

  return { run, blocksNetwork: isolation.blocksNetwork };
}

async function getSourceBytes(directory: string): Promise<number> {
  const source = await stat(join(directory, 'source')).catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return source?.size ?? 0;
}

function listMissingIsolation(isolation: Isolation): string[] {
  return [
    ...(isolation.blocksNetwork ? [] : ['network namespace (unshare -n)']),
    ...(isolation.limitsMemory ? [] : ['memory limit (ulimit -d)']),
    ...(isolation.hasParentDeathSignal ? [] : ['parent death signal (setpriv --pdeathsig)']),
  ];
}
