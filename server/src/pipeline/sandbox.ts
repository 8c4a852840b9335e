import { mkdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tell } from './report.ts';
import { type Bounds, defaultBounds } from './sandbox/bounds.ts';
import { ENTRY, permissions } from './sandbox/flags.ts';
import { launch } from './sandbox/launch.ts';
import { judge, type Outcome } from './sandbox/outcome.ts';
import { readProgress } from './sandbox/progress.ts';
import { probeWalls, type Walls } from './sandbox/walls.ts';

export type { Outcome } from './sandbox/outcome.ts';
export type { ChildReport } from './sandbox/report.ts';

export type SandboxOptions = Partial<Bounds> & {
  log?: { warn(facts: object, message: string): void };
  /** Another program than the pipeline's, for tests. */
  entry?: string;
  /** Fewer walls than there are, for tests. */
  walls?: Walls;
};

export type RunOptions = { signal?: AbortSignal; tell?: Tell; timeoutMs?: number };

/** Runs jobs on files of strangers, one process each. */
export type Sandbox = {
  /**
   * Runs the job in `folder`, which holds `task.json` and the file `in`, and gets a folder `out`.
   * Never throws for what the child does.
   */
  run(folder: string, options?: RunOptions): Promise<Outcome>;
  /** Whether a child is without any network here. */
  readonly offline: boolean;
};

/** Finds out once what walls this system has, and says once which are missing. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { log, entry = ENTRY, walls = await probeWalls(), ...wishes } = options;
  const bounds = { ...defaultBounds(), ...wishes };
  const missing = [
    ...(walls.network ? [] : ['no network (unshare -n)']),
    ...(walls.memory ? [] : ['a bound on memory (ulimit -d)']),
    ...(walls.leash ? [] : ['an end with the service (setpriv --pdeathsig)']),
  ];
  if (missing.length > 0) log?.warn({ missing }, 'this system cannot give a child process');

  async function run(given: string, { signal, tell, timeoutMs }: RunOptions = {}) {
    const folder = await realpath(given);
    const out = join(folder, 'out');
    // An earlier try may have left its half.
    await rm(out, { recursive: true, force: true });
    await mkdir(out);
    const command = [process.execPath, ...permissions(folder, bounds), entry];
    const limits = { ...bounds, timeoutMs: timeoutMs ?? bounds.timeoutMs };
    const end = await launch({
      command: walls.wrap(command, bounds),
      folder,
      timeoutMs: limits.timeoutMs,
      signal: signal ?? new AbortController().signal,
      hear: readProgress(tell ?? (() => {})),
    });
    const outcome = await judge(end, folder, limits);
    if (!outcome.ok) log?.warn({ outcome, end }, 'a child process did not finish its job');
    return outcome;
  }

  return { run, offline: walls.network };
}
