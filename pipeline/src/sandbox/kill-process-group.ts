import type { ChildProcess } from 'node:child_process';

/** Kills a detached child process and every process of its group. */
export function killProcessGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has no processes any more.
  }
}
