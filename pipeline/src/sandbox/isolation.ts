import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findExecutable } from './find-executable.ts';
import type { SandboxLimits } from './limits.ts';

/** The isolation that this system supports for a child process. */
export type Isolation = {
  /** Returns the command that runs `command` isolated and limited; the first word is the program. */
  wrapCommand(command: readonly string[], limits: SandboxLimits): string[];
  /** The process has no network. */
  blocksNetwork: boolean;
  /** The system limits all memory of the process, in addition to the limit of V8's heap. */
  limitsMemory: boolean;
  /** The kernel kills the process when its parent exits, even if it is busy. */
  hasParentDeathSignal: boolean;
};

// The script contains no untrusted text: the limits and the command are positional arguments.
// The process gets a lower priority than the service, and is the first one that the kernel kills when
// the machine runs out of memory. If a limit cannot be set, the current one is lower, or the system
// does not support it, which detectIsolation() reports.
const LIMITS_SCRIPT = `
renice -n 10 -p $$ >/dev/null 2>&1
{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
ulimit -c 0 2>/dev/null
ulimit -f "$1" 2>/dev/null
ulimit -d "$2" 2>/dev/null
ulimit -v "$3" 2>/dev/null
shift 3
exec "$@"`;

const SHELL = '/bin/sh';
const PROBE_TIMEOUT_MS = 5000;

// A service that runs as root in a container needs dac_override to write to its directories.
const DROP_CAPABILITIES = [
  '--bounding-set=-all,+dac_override',
  '--inh-caps=-all',
  '--no-new-privs',
];
const PARENT_DEATH_SIGNAL = ['--pdeathsig', 'KILL'];

const execFileAsync = promisify(execFile);

/** Detects what this system supports by running the programs found in `directories`. */
export async function detectIsolation(directories?: readonly string[]): Promise<Isolation> {
  const [unshare = '', setpriv = '', env = ''] = await Promise.all(
    ['unshare', 'setpriv', 'env'].map((name) => findExecutable(name, directories)),
  );
  const networkPrefix = await findWorkingPrefix([
    [unshare, '-n'],
    [unshare, '-rn'],
  ]);
  const deathSignalPrefix = await findWorkingPrefix(
    [
      [setpriv, ...PARENT_DEATH_SIGNAL, ...DROP_CAPABILITIES],
      [setpriv, ...PARENT_DEATH_SIGNAL, '--no-new-privs'],
    ],
    networkPrefix,
  );
  // The shell sets variables of its own; `env -i` removes them.
  const environmentPrefix = env === '' ? [] : [env, '-i'];
  return {
    wrapCommand: (command, limits) =>
      limitCommand(
        [...networkPrefix, ...deathSignalPrefix, ...environmentPrefix, ...command],
        limits,
      ),
    blocksNetwork: networkPrefix.length > 0,
    limitsMemory: await supportsDataLimit(),
    hasParentDeathSignal: deathSignalPrefix.length > 0,
  };
}

/** Returns the command that runs `command` with resource limits. */
export function limitCommand(
  command: readonly string[],
  { fileBytes, memoryBytes, addressSpaceBytes }: SandboxLimits,
): string[] {
  return [
    ...[SHELL, '-c', LIMITS_SCRIPT, 'sh'],
    String(Math.ceil(fileBytes / 512)),
    toKibibytes(memoryBytes),
    toKibibytes(addressSpaceBytes),
    ...command,
  ];
}

async function findWorkingPrefix(
  prefixes: readonly (readonly string[])[],
  outerPrefix: readonly string[] = [],
): Promise<readonly string[]> {
  for (const prefix of prefixes) {
    if (prefix[0] === '') continue;
    if (await runsSuccessfully([...outerPrefix, ...prefix, SHELL, '-c', ':'])) return prefix;
  }
  return [];
}

async function supportsDataLimit(): Promise<boolean> {
  const script = 'ulimit -d 4000000 2>/dev/null; [ "$(ulimit -d)" != unlimited ]';
  return runsSuccessfully([SHELL, '-c', script]);
}

async function runsSuccessfully([program = '', ...args]: readonly string[]): Promise<boolean> {
  try {
    await execFileAsync(program, args, { timeout: PROBE_TIMEOUT_MS, killSignal: 'SIGKILL' });
    return true;
  } catch {
    // Missing, not permitted or not supported: the reason makes no difference.
    return false;
  }
}

function toKibibytes(bytes: number): string {
  return String(Math.floor(bytes / 1024));
}
