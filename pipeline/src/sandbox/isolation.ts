import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SandboxLimits } from './limits.ts';

/** What this system can put around a process. */
export type Isolation = {
  /** The command that starts `command` within its bounds; the first word is the program. */
  wrapCommand(command: readonly string[], bounds: SandboxLimits): string[];
  /** Nothing inside reaches a network. */
  blocksNetwork: boolean;
  /** The system bounds the memory, not only the JavaScript engine its heap. */
  limitsMemory: boolean;
  /** The system ends the process when its parent ends, whatever it is doing. */
  hasParentDeathSignal: boolean;
};

// Nothing of a stranger is in this text: all that changes are positional arguments.
// It steps behind all who serve requests, and volunteers to be what the kernel ends when the
// machine's memory runs out. A limit that cannot be set is tighter already, or unknown to this
// system, which the probe has told.
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
const PROGRAM_DIRECTORIES = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];
const PROBE_TIMEOUT_MS = 5000;

// As root in a container it may still write where the service writes, and nothing else of a root.
const DROP_CAPABILITIES = [
  '--bounding-set=-all,+dac_override',
  '--inh-caps=-all',
  '--no-new-privs',
];
const PARENT_DEATH_SIGNAL = ['--pdeathsig', 'KILL'];

const execFileAsync = promisify(execFile);

/** Tries what this system can do, by doing it with the programs in `places`. */
export async function detectIsolation(
  places: readonly string[] = PROGRAM_DIRECTORIES,
): Promise<Isolation> {
  const [unshare = '', setpriv = '', env = ''] = await Promise.all(
    ['unshare', 'setpriv', 'env'].map((name) => findExecutable(name, places)),
  );
  const sealed = await findWorkingPrefix([
    [unshare, '-n'],
    [unshare, '-rn'],
  ]);
  const leashed = await findWorkingPrefix(
    [
      [setpriv, ...PARENT_DEATH_SIGNAL, ...DROP_CAPABILITIES],
      [setpriv, ...PARENT_DEATH_SIGNAL, '--no-new-privs'],
    ],
    sealed,
  );
  // The shell sets variables of its own; `env -i` forgets them.
  const inside = [...sealed, ...leashed, ...(env === '' ? [] : [env, '-i'])];
  return {
    wrapCommand: (command, { fileBytes, memoryBytes, addressSpaceBytes }) => [
      ...[SHELL, '-c', LIMITS_SCRIPT, 'sh'],
      String(Math.ceil(fileBytes / 512)),
      toKibibytes(memoryBytes),
      toKibibytes(addressSpaceBytes),
      ...inside,
      ...command,
    ],
    blocksNetwork: sealed.length > 0,
    limitsMemory: await supportsDataLimit(),
    hasParentDeathSignal: leashed.length > 0,
  };
}

async function findWorkingPrefix(
  prefixes: readonly (readonly string[])[],
  within: readonly string[] = [],
): Promise<readonly string[]> {
  for (const prefix of prefixes) {
    if (prefix[0] === '') continue;
    if (await runsSuccessfully([...within, ...prefix, SHELL, '-c', ':'])) return prefix;
  }
  return [];
}

async function supportsDataLimit(): Promise<boolean> {
  const script = 'ulimit -d 4000000 2>/dev/null; [ "$(ulimit -d)" != unlimited ]';
  return runsSuccessfully([SHELL, '-c', script]);
}

async function runsSuccessfully([program = '', ...rest]: readonly string[]): Promise<boolean> {
  try {
    await execFileAsync(program, rest, { timeout: PROBE_TIMEOUT_MS, killSignal: 'SIGKILL' });
    return true;
  } catch {
    // Whatever the reason, this system does not do it.
    return false;
  }
}

/** Looks in the system's own folders alone: PATH may hold anything. */
async function findExecutable(name: string, places: readonly string[]): Promise<string> {
  for (const place of places) {
    try {
      await access(join(place, name), constants.X_OK);
      return join(place, name);
    } catch {
      // Not here; perhaps in the next.
    }
  }
  return '';
}

function toKibibytes(bytes: number): string {
  return String(Math.floor(bytes / 1024));
}
