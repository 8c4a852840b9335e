import { mkdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelProcessorOptions, WorkerResult } from '../model-processor.ts';
import type { ProgressListener, StepName } from '../processing-steps.ts';
import { findBubblewrap } from './bubblewrap.ts';
import { classifyExit } from './classify-exit.ts';
import type { Isolation } from './isolation.ts';
import { getDefaultLimits, getTimeoutMs, getWorkerLimits, type SandboxLimits } from './limits.ts';
import { getNodeFlags, WORKER_ENTRY } from './node-permissions.ts';
import { createProgressReader } from './progress-reader.ts';
import { receiveResults } from './receive-results.ts';
import { detectReducedIsolation } from './reduced-isolation.ts';
import { runIsolated } from './run-isolated.ts';
import type { SandboxLevel, SandboxReport } from './sandbox-report.ts';
import type { WaitLog } from './sandbox-user.ts';

/** Options of a sandbox. Limits that are not given have their default. */
export type SandboxOptions = Partial<SandboxLimits> & {
  /** How many jobs run at the same time; they share the memory. Default: 1. */
  workerCount?: number;
  log?: WaitLog;
  /** A script to run in place of the worker, for tests. */
  entryPoint?: string;
  /** `auto`: strict if the system supports it. Default: `auto`. */
  level?: SandboxLevel | 'auto';
  /** Another isolation than the best that the system supports, for tests. */
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
// (7-14 MB) count 730-800 and use 160-250. Default: 4 GiB, or an equal part of three quarters of the
// memory of a smaller machine. Where a system accepts the limit but does not enforce it, V8's heap limit and
// the kernel's OOM killer (oom_score_adj) remain.
//
// Which isolation restricts what: at every level, Node's --permission restricts JavaScript (files, processes,
// threads, the inspector). Node 24 has no --allow-net, and its model does not cover signals,
// node:sqlite, V8's flags and the file access of addons: worker/preload.ts refuses these, and
// worker-attacks.test.ts tries each. The libraries need no threads. Native code (sharp) is allowed by
// --allow-addons. At the level `strict`, bubblewrap.ts restricts it as well: to its own namespaces, without a file
// to write. At the level `reduced`, reduced-isolation.ts restricts it: by limits and, where the system has that,
// by another user and an empty network namespace. worker-attacks.test.ts also tries what native code reaches.
//
// Cost. The isolation: 10 ms, strict: 20 ms. A cube of 2 kB: 0.45 s of CPU and 115 MB, nearly all of it to load
// libraries; with no library but the GLB reader 0.2 s. On a slower machine, all code was loaded after 0.29 s if built, and 0.62 s if not.

/** Runs jobs on untrusted files, one process each. */
export type Sandbox = {
  /**
   * Runs the job in `directory`, which contains `job.json` and the file `source`; the results are
   * written to its directory `out`. Never throws because of what the worker does.
   */
  run(directory: string, options?: SandboxRunOptions): Promise<WorkerResult>;
  /** What protects this system from its workers. */
  readonly report: SandboxReport;
  /** The isolation of the workers, for a browser. */
  readonly isolation: Isolation;
};

/** The level that was asked for is not available. The message says why, and what to do. */
export class SandboxUnavailableError extends Error {}

/**
 * Opens a sandbox: detects the isolation that this system supports, and logs what is missing.
 *
 * @throws {SandboxUnavailableError} for the level `strict`
 */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { log, entryPoint = WORKER_ENTRY, level = 'auto', isolation: given, ...rest } = options;
  const { workerCount, ...customLimits } = rest;
  const sandboxLimits = { ...getDefaultLimits(workerCount), ...customLimits };
  const { isolation, reason } = given ? { isolation: given } : await detectIsolation(level, log);
  const report: SandboxReport = {
    level: isolation.level,
    missing: isolation.missing,
    ...(reason && { reason }),
  };
  if (report.missing.length > 0)
    log?.warn(report, `the isolation of workers is incomplete${reason ? `: ${reason}` : ''}`);

  async function run(
    jobDirectory: string,
    {
      signal,
      onProgress,
      onPreview,
      onMemory,
      timeoutMs,
      decodedBytes,
      workerFlags = [],
    }: SandboxRunOptions = {},
  ): Promise<WorkerResult> {
    const directory = await realpath(jobDirectory);
    const outDirectory = join(directory, 'out');
    // An earlier attempt may have left incomplete results.
    await rm(outDirectory, { recursive: true, force: true });
    await mkdir(outDirectory, { mode: 0o700 });
    const limits = {
      ...sandboxLimits,
      timeoutMs: timeoutMs ?? getTimeoutMs(decodedBytes, sandboxLimits),
    };
    let step: StepName | undefined;
    const onStep: ProgressListener = (name, percent) => {
      step = name;
      onProgress?.(name, percent);
    };
    const exit = await runIsolated(isolation, {
      command: [
        ...[process.execPath, ...getNodeFlags(directory, sandboxLimits)],
        ...[...workerFlags, entryPoint],
      ],
      directory,
      limits: getWorkerLimits(limits),
      log,
      timeoutMs: limits.timeoutMs,
      signal,
      onData: createProgressReader(onStep, onMemory),
      receiveResults: (pipe) =>
        receiveResults(pipe, outDirectory, limits.fileBytes, (name) => {
          if (name === 'preview.glb') onPreview?.(join(outDirectory, name));
        }),
    });
    const result = await classifyExit(exit, directory, limits, { step, decodedBytes });
    if (!result.ok) log?.warn({ result, exit }, 'worker failed');
    return result;
  }

  return { run, report, isolation };
}

/** Detects the isolation of the level, and why it is not better. */
async function detectIsolation(
  level: SandboxLevel | 'auto',
  log: WaitLog | undefined,
): Promise<{ isolation: Isolation; reason?: string }> {
  const found = level === 'reduced' ? { reason: 'that level was chosen' } : await findBubblewrap();
  if (!('reason' in found)) return { isolation: found };
  if (level === 'strict') throw new SandboxUnavailableError(found.reason);
  return { isolation: await detectReducedIsolation({ log }), reason: found.reason };
}
