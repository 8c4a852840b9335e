import { readFileSync } from 'node:fs';

/** The unit of the times in /proc/<pid>/stat (USER_HZ). */
const TICKS_PER_SECOND = 100;

/** Returns the CPU time that a process has used, user and system, in seconds. Linux only. */
export function readCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field, the name of the program, is in parentheses and may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])];
  return (userTicks + systemTicks) / TICKS_PER_SECOND;
}
