import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createParents, listBrowserFiles, mountReadOnly } from './bubblewrap-mounts.ts';
import { findExecutable } from './find-executable.ts';
import { findInstallCommand } from './find-install-command.ts';
import {
  createBrowserEnvironment,
  type Isolation,
  type IsolationOptions,
  resolveLinks,
} from './isolation.ts';
import { limitCommand } from './limit-command.ts';
import { getDefaultLimits, getWorkerLimits } from './limits.ts';
import { listCodePaths, PROBE_COMMAND } from './node-permissions.ts';
import { runIsolated } from './run-isolated.ts';
import { createSeccompFilter, type FilteredProgram } from './seccomp-filter.ts';
import { DROP_CAPABILITIES, toUserFlags } from './setpriv-flags.ts';
import { FILTER_FD } from './worker-protocol.ts';

// Notes, measured with bubblewrap 0.8 and Node 24.21 on Debian 12 in November 2026.
//
// bubblewrap has no option for another user of the host: `--uid` maps a user into a user namespace, and outside
// of it the process is still root. So, as root, it runs without a user namespace, and setpriv changes the user
// inside, before the command starts: the limit of threads then counts for that user. Without root, the user stays
// the same, and a user namespace is what permits the other namespaces.
//
// `--proc` and `--dev` are not needed: Node, sharp and our libraries work without them. The directories above
// a mount have mode 0700 by default, which another user could not enter.

const PROBE_TIMEOUT_MS = 10_000;

/** Why bubblewrap cannot be used, as a sentence for the operator. */
export type MissingBubblewrap = { reason: string };

type Programs = { bwrap: string; setpriv: string; prlimit: string };
type Filters = Readonly<Record<FilteredProgram, Buffer>>;

/** Finds bubblewrap and tries whether a worker starts in it. */
export async function findBubblewrap(
  directories?: readonly string[],
): Promise<Isolation | MissingBubblewrap> {
  const [worker, browser] = [createSeccompFilter('worker'), createSeccompFilter('browser')];
  if (process.platform !== 'linux' || worker === undefined || browser === undefined)
    return {
      reason: `bubblewrap needs Linux on x64 or arm64, not ${process.platform} on ${process.arch}`,
    };
  const [bwrap, setpriv, prlimit] = await Promise.all(
    ['bwrap', 'setpriv', 'prlimit'].map((name) => findExecutable(name, directories)),
  );
  if (!bwrap)
    return { reason: `bubblewrap is not installed${await findInstallCommand('bubblewrap')}` };
  if (!setpriv || !prlimit)
    return {
      reason: `setpriv or prlimit is not installed${await findInstallCommand('util-linux')}`,
    };
  const isolation = createBubblewrap({ bwrap, setpriv, prlimit }, { worker, browser });
  const failure = await probe(isolation);
  return failure === undefined ? isolation : { reason: `bubblewrap does not work: ${failure}` };
}

function createBubblewrap(programs: Programs, filters: Filters): Isolation {
  const isRoot = process.getuid?.() === 0;
  const namespaces = [
    programs.bwrap,
    ...(isRoot ? ROOT_FLAGS : ['--unshare-user']),
    ...NAMESPACE_FLAGS,
  ];
  const finish = ['--remount-ro', '/', '--clearenv', '--seccomp', String(FILTER_FD)];
  /** Runs in the namespaces: limits the threads, changes the user and drops all privileges. */
  const restrict = ({ limits, userId }: IsolationOptions) => [
    ...[programs.prlimit, `--nproc=${limits.threads}`, programs.setpriv],
    ...(userId === undefined ? [] : toUserFlags(userId)),
    ...DROP_CAPABILITIES,
  ];
  const wrap = (program: FilteredProgram, command: string[], { limits }: IsolationOptions) => ({
    command: limitCommand([...namespaces, ...command], limits),
    filter: filters[program],
  });
  return {
    level: 'strict',
    missing: [],
    changesUser: isRoot,
    hasOwnProcesses: true,
    allowsChromiumSandbox: true,
    wrapWorker(command, options) {
      const { directory } = options;
      const { setpriv, prlimit } = programs;
      const visible = [...listCodePaths(), setpriv, prlimit, process.execPath, directory];
      const flags = [...mountReadOnly(visible), '--chdir', directory, ...finish];
      return wrap('worker', [...flags, '--', ...restrict(options), ...command], options);
    },
    wrapBrowser([executable = '', ...args], options) {
      const profile = options.directory;
      const path = resolveLinks(executable);
      const flags = [
        ...mountReadOnly(listBrowserFiles(path, profile)),
        ...['--proc', '/proc', '--dev', '/dev', ...createParents([profile])],
        ...['--bind', profile, profile, '--chdir', '/', ...finish],
        ...Object.entries(createBrowserEnvironment(profile)).flatMap((entry) => [
          '--setenv',
          ...entry,
        ]),
      ];
      return wrap('browser', [...flags, '--', ...restrict(options), path, ...args], options);
    },
  };
}

const NAMESPACE_FLAGS = [
  ...['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
  '--die-with-parent',
];
/** setpriv needs these capabilities to change the user. Then it drops them. */
const ROOT_FLAGS = [
  ...['--cap-drop', 'ALL'],
  ...['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((name) => ['--cap-add', name]),
];

/** Returns why a worker cannot start, or undefined if it can. */
async function probe(isolation: Isolation): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'cloche-sandbox-'));
  try {
    const { exitCode, output } = await runIsolated(isolation, {
      command: PROBE_COMMAND,
      directory,
      limits: getWorkerLimits(getDefaultLimits()),
      timeoutMs: PROBE_TIMEOUT_MS,
    });
    return exitCode === 0 ? undefined : output.split('\n')[0] || `exit code ${exitCode}`;
  } catch (error) {
    // In some containers, root may not change the owner of a file.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return error.message;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
