import { mkdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelProcessorOptions, WorkerResult } from '../model-processor.ts';
import { classifyExit } from './classify-exit.ts';
import { detectIsolation, type Isolation } from './isolation.ts';
import { getDefaultLimits, type SandboxLimits } from './limits.ts';
import { getNodeFlags, WORKER_ENTRY } from './node-permissions.ts';
import { createProgressReader } from './progress-reader.ts';
import { runProcess } from './run-process.ts';

export type SandboxOptions = Partial<SandboxLimits> & {
  log?: { warn(facts: object, message: string): void };
  /** Another program than the pipeline's, for tests. */
  entryPoint?: string;
  /** Fewer walls than there are, for tests. */
  isolation?: Isolation;
};

export type SandboxRunOptions = Partial<ModelProcessorOptions> & { timeoutMs?: number };

// Notes, measured on Linux 6.18 with Node 24.21 and 2 cores in November 2026.
//
// Memory. `ulimit -v` alone is a poor bound for WebAssembly: V8 reserves 8 GiB for each memory, to
// find accesses out of bounds by a trap; our libraries together reserve 67 GiB to use 0.2. With
// --disable-wasm-trap-handler it is still 28 GiB, and meshoptimizer's simplify takes 30-60 % longer.
// So what can be written is bounded exactly by `ulimit -d` (RLIMIT_DATA counts private writable
// pages however they were mapped, and no reservations), and `ulimit -v` stands behind it, at
// 128 GiB. An empty Node counts 560 MB of data, of which 512 are the range for machine code;
// the sample models (7-14 MB) count 730-800 and fill 160-250. Default: 4 GiB, or three quarters of
// a smaller machine. Where a system takes the limit and does not keep it, V8's heap limit
// and the kernel's own choice of whom to end (oom_score_adj) remain.
//
// What stands against what: Node's --permission holds JavaScript (files, processes, threads); Node
// 24 has no --allow-net, so `unshare -n` alone holds the network. The libraries need no workers.
// Native code (sharp) is let in by --allow-addons, and held by limits, an empty network and no
// capabilities; it is not held from files that the service's own user may read.
//
// Cost. The walls: 10 ms. A cube of 2 kB: 0.45 s of CPU and 115 MB, nearly all of it to load
// libraries; with no library but the GLB reader 0.2 s.

/** Runs jobs on files of strangers, one process each. */
export type Sandbox = {
  /**
   * Runs the job in `folder`, which holds `task.json` and the file `in`, and gets a folder `out`.
   * Never throws for what the child does.
   */
  run(folder: string, options?: SandboxRunOptions): Promise<WorkerResult>;
  /** Whether a child is without any network here. */
  readonly blocksNetwork: boolean;
};

/** Finds out once what walls this system has, and says once which are missing. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const {
    log,
    entryPoint = WORKER_ENTRY,
    isolation = await detectIsolation(),
    ...wishes
  } = options;
  const bounds = { ...getDefaultLimits(), ...wishes };
  const missing = [
    ...(isolation.blocksNetwork ? [] : ['no network (unshare -n)']),
    ...(isolation.limitsMemory ? [] : ['a bound on memory (ulimit -d)']),
    ...(isolation.hasParentDeathSignal ? [] : ['an end with the service (setpriv --pdeathsig)']),
  ];
  if (missing.length > 0) log?.warn({ missing }, 'this system cannot give a child process');

  async function run(given: string, { signal, onProgress, timeoutMs }: SandboxRunOptions = {}) {
    const directory = await realpath(given);
    const out = join(directory, 'out');
    // An earlier try may have left its half.
    await rm(out, { recursive: true, force: true });
    await mkdir(out);
    const command = [process.execPath, ...getNodeFlags(directory, bounds), entryPoint];
    const limits = { ...bounds, timeoutMs: timeoutMs ?? bounds.timeoutMs };
    const end = await runProcess({
      command: isolation.wrapCommand(command, bounds),
      directory,
      timeoutMs: limits.timeoutMs,
      signal: signal ?? new AbortController().signal,
      onData: createProgressReader(onProgress ?? (() => {})),
    });
    const outcome = await classifyExit(end, directory, limits);
    if (!outcome.ok) log?.warn({ outcome, end }, 'a child process did not finish its job');
    return outcome;
  }

  return { run, blocksNetwork: isolation.blocksNetwork };
}
