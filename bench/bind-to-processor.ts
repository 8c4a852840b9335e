import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Lets all threads of a process run on one processor only: the last one that this process may use. Processors of a virtual machine are not
 * equally fast, and a process stays on one of them for a long time. Linux only.
 */
export function bindToLastProcessor(pid: number): void {
  const status = readFileSync('/proc/self/status', 'utf8');
  const last = /^Cpus_allowed_list:.*?(\d+)$/m.exec(status)?.[1];
  if (last === undefined) throw new Error('/proc/self/status does not list the processors.');
  execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', last, String(pid)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
