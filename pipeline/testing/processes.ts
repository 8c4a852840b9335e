import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

/** A process of this machine, as listed in `/proc`. */
export type Process = {
  pid: number;
  parentPid: number;
  groupId: number;
  cwd: string;
  command: string;
};

type ProcessStat = Pick<Process, 'pid' | 'parentPid' | 'groupId'>;

/** Waits until a process has exited, limited by the timeout of the test. */
export async function waitForProcessExit(t: TestContext, pid: number): Promise<void> {
  assert.ok(pid > 1);
  t.after(() => isProcessAlive(pid) && process.kill(pid, 'SIGKILL'));
  while (isProcessAlive(pid)) await wait(10, undefined, { signal: t.signal });
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie has exited.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // There is no such process.
    return false;
  }
}

/** Lists all running processes, without zombies. */
export function listProcesses(): Process[] {
  return listProcessStats().flatMap(readProcessDetails);
}

/** Finds the processes with a working directory below `directory`, or with it in their command. */
export function findProcessesUsing(directory: string): Process[] {
  return listProcesses().filter(
    ({ cwd, command }) => cwd.startsWith(directory) || command.includes(directory),
  );
}

/** Finds the worker that runs a job. In its PID namespace it has another id. */
export function findWorkerPid(jobDirectory: string): number {
  const worker = findProcessesUsing(jobDirectory).find(({ command }) =>
    command.startsWith(`${process.execPath}\0`),
  );
  if (worker === undefined) throw new Error(`No worker runs the job in ${jobDirectory}.`);
  return worker.pid;
}

/** Finds the child processes of a process, their children, and so on. */
export function findDescendants(pid: number): Process[] {
  const stats = listProcessStats();
  const pids = new Set([pid]);
  for (let previousSize = 0; previousSize < pids.size; ) {
    previousSize = pids.size;
    for (const stat of stats) if (pids.has(stat.parentPid)) pids.add(stat.pid);
  }
  pids.delete(pid);
  return stats.filter((stat) => pids.has(stat.pid)).flatMap(readProcessDetails);
}

// Synchronous: promises take twenty times as long for files of a hundred bytes.

function listProcessStats(): ProcessStat[] {
  return readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) ? readProcessStat(Number(name)) : [],
  );
}

function readProcessStat(pid: number): ProcessStat[] {
  const stat = readUnlessExited(() => readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? '';
  // The name of the program may contain anything, including parentheses and spaces.
  const [state = 'X', parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (stat === '' || state === 'Z' || state === 'X') return [];
  return [{ pid, parentPid: Number(parent), groupId: Number(group) }];
}

function readProcessDetails(stat: ProcessStat): Process[] {
  const command = readUnlessExited(() => readFileSync(`/proc/${stat.pid}/cmdline`, 'utf8'));
  const cwd = readUnlessExited(() => readlinkSync(`/proc/${stat.pid}/cwd`)) ?? '';
  return command === undefined ? [] : [{ ...stat, cwd, command }];
}

function readUnlessExited<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // The process has just exited, or belongs to another user.
    return undefined;
  }
}
