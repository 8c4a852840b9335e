import { constants } from 'node:os';
import type { Isolation } from './isolation.ts';
import type { ResourceLimits } from './limits.ts';
import { type ProcessExit, type RunProcessOptions, runProcess } from './run-process.ts';
import { acquireSandboxUser, type SandboxUser, shareInput, type WaitLog } from './sandbox-user.ts';

export type RunIsolatedOptions = Omit<RunProcessOptions, 'filter'> & {
  limits: ResourceLimits;
  log?: WaitLog | undefined;
};

/**
 * Runs the command of a worker until it ends, with a user of its own if the isolation has that. Afterwards, none of
 * its processes is left if the isolation can find them.
 */
export async function runIsolated(
  isolation: Isolation,
  { limits, log, ...options }: RunIsolatedOptions,
): Promise<ProcessExit> {
  const { command, directory, signal } = options;
  await using user = isolation.changesUser ? await acquireSandboxUser({ signal, log }) : undefined;
  if (user) await shareInput(directory, user.id);
  const isolated = isolation.wrapWorker(command, { directory, limits, userId: user?.id });
  await killOtherProcesses(isolation, user);
  const exit = await runProcess({ ...options, ...isolated });
  await killOtherProcesses(isolation, user);
  return isolation.hasOwnProcesses ? toSignalExit(exit) : exit;
}

/** Native code may leave the process group. The processes of a PID namespace end with it. */
async function killOtherProcesses(isolation: Isolation, user?: SandboxUser): Promise<void> {
  if (!isolation.hasOwnProcesses) await user?.killProcesses();
}

/** bubblewrap exits with 128 + n if its command was ended by signal n. */
function toSignalExit(exit: ProcessExit): ProcessExit {
  const number = (exit.exitCode ?? 0) - 128;
  const signal = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  if (signal === undefined) return exit;
  return { ...exit, exitCode: null, signal: signal as NodeJS.Signals };
}
