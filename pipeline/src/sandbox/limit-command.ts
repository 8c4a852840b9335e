import type { ResourceLimits } from './limits.ts';

export const SHELL = '/bin/sh';

// The script contains no untrusted text: the limits and the command are positional arguments.
// The process gets a lower priority than the service, and is the first one that the kernel kills when
// the machine runs out of memory. If a limit cannot be set, the current one is lower, or the system
// does not support it, which detectReducedIsolation() reports. After the processor time, the kernel sends SIGXCPU,
// which says more than SIGKILL; that follows if the process ignores it.
const LIMITS_SCRIPT = `
renice -n 10 -p $$ >/dev/null 2>&1
{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
ulimit -c 0 2>/dev/null
ulimit -f "$1" 2>/dev/null
ulimit -d "$2" 2>/dev/null
ulimit -v "$3" 2>/dev/null
ulimit -t "$(($4 + 5))" 2>/dev/null
ulimit -S -t "$4" 2>/dev/null
shift 4
exec "$@"`;

/** Returns the command that runs `command` with resource limits, except that of its threads. */
export function limitCommand(
  command: readonly string[],
  { writtenFileBytes, memoryBytes, addressSpaceBytes, cpuSeconds }: ResourceLimits,
): string[] {
  return [
    ...[SHELL, '-c', LIMITS_SCRIPT, 'sh'],
    String(Math.ceil(writtenFileBytes / 512)),
    toKibibytes(memoryBytes),
    toKibibytes(addressSpaceBytes),
    String(cpuSeconds),
    ...command,
  ];
}

function toKibibytes(bytes: number): string {
  return String(Math.floor(bytes / 1024));
}
