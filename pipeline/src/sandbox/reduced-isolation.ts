import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findExecutable } from './find-executable.ts';
import { createBrowserEnvironment, type Isolation, type IsolationOptions } from './isolation.ts';
import { limitCommand, SHELL } from './limit-command.ts';
import { PROBE_COMMAND } from './node-permissions.ts';
import { listMissingProtections, type ReducedProtections } from './sandbox-report.ts';
import { acquireSandboxUser, type WaitLog } from './sandbox-user.ts';
import { DROP_CAPABILITIES, toUserFlags } from './setpriv-flags.ts';

// Notes. The order of the programs: unshare needs a capability of root, setpriv then changes the user, which drops
// all capabilities, and sets the parent death signal, which a change of the user would remove.
//
// The directories above that of a job have mode 0700, and another user cannot enter them. The worker starts in
// its directory, which needs no permission for those above, and opens its input by relative paths.

/** The isolation at the level `reduced`: what systems allow on which bubblewrap does not work. */
export type ReducedIsolation = Isolation & ReducedProtections;

/** Threads and processes of the user of the service, who also has those of the service. */
const SHARED_USER_THREADS = 4096;
const PROBE_TIMEOUT_MS = 5000;

// Without the permission to change the user, root may need dac_override to read its directories.
const KEEP_DAC_OVERRIDE = [
  '--bounding-set=-all,+dac_override',
  '--inh-caps=-all',
  '--no-new-privs',
];
const PARENT_DEATH_SIGNAL = ['--pdeathsig', 'KILL'];

const execFileAsync = promisify(execFile);

type Prefixes = {
  /** Starts the command without a network. */
  network: readonly string[];
  /** Limits the number of threads. */
  threads(limit: number): string[];
  /** Changes the user and drops privileges. */
  privileges(userId: number | undefined): string[];
  environment: readonly string[];
};

/** Where the programs are, and where it is logged that the detection waits for a user. */
export type DetectionOptions = { directories?: readonly string[]; log?: WaitLog | undefined };

/** Detects what this system supports by running the programs found in `directories`. */
export async function detectReducedIsolation({
  directories,
  log,
}: DetectionOptions = {}): Promise<ReducedIsolation> {
  const [unshare, setpriv, env, prlimit] = await findPrograms(directories);
  const network = await findWorkingPrefix([
    [unshare, '-n'],
    [unshare, '-cn'],
    [unshare, '-rn'],
  ]);
  // Held until the last probe has ended: another service kills the processes of a user that is free.
  await using user = mayChangeUser(setpriv) ? await acquireSandboxUser({ log }) : undefined;
  const userFlags = user ? toUserFlags(user.id) : [];
  const changesUser = user !== undefined && (await startsWorker(setpriv, userFlags, network));
  const privileges = await findWorkingPrefix(
    [
      [setpriv, ...PARENT_DEATH_SIGNAL, ...(changesUser ? DROP_CAPABILITIES : KEEP_DAC_OVERRIDE)],
      [setpriv, ...PARENT_DEATH_SIGNAL, '--no-new-privs'],
    ],
    network,
  );
  const userNamespacePrefix = changesUser ? [setpriv, ...userFlags] : [];
  const allowsUserNamespaces =
    unshare === '' ||
    (await runsSuccessfully([...userNamespacePrefix, unshare, '-U', SHELL, '-c', ':']));
  const limitThreads = (limit: number) => [prlimit, `--nproc=${limit}`];
  const isRoot = process.getuid?.() === 0;
  // The kernel does not limit the processes of root.
  const limitsThreads =
    prlimit !== '' &&
    (changesUser || !isRoot) &&
    (await runsSuccessfully([...limitThreads(SHARED_USER_THREADS), SHELL, '-c', '(:) & wait']));
  const prefixes: Prefixes = {
    network,
    threads: (limit) =>
      limitsThreads ? limitThreads(changesUser ? limit : SHARED_USER_THREADS) : [],
    privileges: (userId) => [
      ...privileges,
      ...(privileges.length > 0 && userId !== undefined ? toUserFlags(userId) : []),
    ],
    // The shell sets variables of its own; `env -i` removes them.
    environment: env === '' ? [] : [env, '-i'],
  };
  const protections: ReducedProtections = {
    blocksNetwork: network.length > 0,
    limitsMemory: await supportsDataLimit(),
    limitsThreads,
    hasParentDeathSignal: privileges.length > 0,
    changesUser,
    allowsChromiumSandbox: allowsUserNamespaces && (changesUser || !isRoot),
  };
  return { ...createIsolation(prefixes, protections), ...protections };
}

function createIsolation(prefixes: Prefixes, protections: ReducedProtections): Isolation {
  const wrap = (command: readonly string[], options: IsolationOptions, variables: string[]) => {
    const { limits, userId } = options;
    const wrapped = [
      ...prefixes.network,
      ...prefixes.threads(limits.threads),
      ...prefixes.privileges(userId),
      ...prefixes.environment,
      ...(prefixes.environment.length > 0 ? variables : []),
      ...command,
    ];
    return { command: limitCommand(wrapped, limits) };
  };
  return {
    level: 'reduced',
    missing: listMissingProtections(protections),
    changesUser: protections.changesUser,
    hasOwnProcesses: false,
    allowsChromiumSandbox: protections.allowsChromiumSandbox,
    wrapWorker: (command, options) => wrap(command, options, []),
    wrapBrowser: (command, options) =>
      wrap(command, options, listBrowserVariables(options.directory)),
  };
}

function listBrowserVariables(profile: string): string[] {
  return Object.entries(createBrowserEnvironment(profile)).map(
    ([name, value]) => `${name}=${value}`,
  );
}

function mayChangeUser(setpriv: string): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0 && setpriv !== '';
}

/** Whether another user can run the worker: not if its directory is closed to other users. */
async function startsWorker(
  setpriv: string,
  userFlags: readonly string[],
  network: readonly string[],
): Promise<boolean> {
  const privileges = [...PARENT_DEATH_SIGNAL, ...userFlags, ...DROP_CAPABILITIES];
  return runsSuccessfully([...network, setpriv, ...privileges, ...PROBE_COMMAND]);
}

function findPrograms(directories?: readonly string[]) {
  const find = (name: string) => findExecutable(name, directories);
  return Promise.all([find('unshare'), find('setpriv'), find('env'), find('prlimit')]);
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
