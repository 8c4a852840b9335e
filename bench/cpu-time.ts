import { readdirSync, readFileSync } from 'node:fs';

/** The unit of the times in /proc/<pid>/stat (USER_HZ). */
const TICKS_PER_SECOND = 100;

/** Returns the CPU time that a process has used, user and system, in seconds. Linux only. */
export function readCpuSeconds(pid: number): number {
  const fields = readStatFields(pid);
  const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])];
  return (userTicks + systemTicks) / TICKS_PER_SECOND;
}

/**
 * Returns the CPU time of the threads of a process that run at the moment, in seconds, with the resolution of nanoseconds: for
 * differences over a time in which no thread ends. Linux only.
 */
export function readThreadCpuSeconds(pid: number): number {
  const folder = `/proc/${pid}/task`;
  const times = readdirSync(folder).map((thread) => {
    const [nanoseconds] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds);
  });
  return times.reduce((sum, time) => sum + time, 0) / 1e9;
}

/**
 * Returns the CPU time of all processes that a process, by default this one, has started and that have ended, with those that they
 * started, in seconds. A process counts whose parent has waited for it. Linux only.
 */
export function readChildrenCpuSeconds(pid: number | 'self' = 'self'): number {
  const fields = readStatFields(pid);
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}

/** Returns the fields of /proc/<pid>/stat from the third on. */
function readStatFields(pid: number | 'self'): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field, the name of the program, is in parentheses and may contain spaces.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
