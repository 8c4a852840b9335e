import { type Dirent, existsSync, lstatSync, readlinkSync } from 'node:fs';
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findExecutable } from './find-executable.ts';
import { listCodePaths, WORKER_ENTRY } from './node-permissions.ts';
import { runProcess } from './run-process.ts';
import { createSeccompFilter } from './seccomp-filter.ts';
import { FILTER_FD } from './worker-protocol.ts';

// Notes, measured with bubblewrap 0.8 and Node 24.21 on Debian 12 in November 2026.
//
// bubblewrap has no option for another user of the host: `--uid` maps a user into a user namespace, and outside
// of it the process is still root. So, as root, it runs without a user namespace, and setpriv changes the user
// inside. Without root, the user stays the same, and a user namespace is what permits the other namespaces.
//
// `--proc` and `--dev` are not needed: Node, sharp and our libraries work without them. The directories above
// a mount have mode 0700 by default, which another user could not enter.

/** The user and group of workers when the service runs as root. No account of a distribution has it. */
const WORKER_ID = 65_533;
/** Threads and processes of the worker. Node has 11 threads, libvips one per processor. */
const MAX_THREADS = 128;
/** Where the loader and the C library are. On most systems, all but the first are symbolic links. */
const LIBRARY_DIRECTORIES = ['/usr/lib', '/usr/lib64', '/lib', '/lib64'];
const PROBE_TIMEOUT_MS = 10_000;

/** Runs commands in namespaces of their own, in which they see only their code and their input. */
export type Bubblewrap = {
  /** Returns the command that runs `command` isolated, with `directory` as its working directory. */
  wrapCommand(command: readonly string[], directory: string): string[];
  /** Returns the command that runs a browser isolated. It can write only to its profile. */
  wrapBrowser(command: readonly string[], profile: string): string[];
  /** Makes a directory of a browser writable for the user of the worker. */
  shareProfile(profile: string): Promise<void>;
  /** Lets the user of the worker, and no other, read the files in a job directory. */
  shareInput(directory: string): Promise<void>;
  /** What the command reads from the file descriptor FILTER_FD. */
  filter: Buffer;
};

/** Why bubblewrap cannot be used, as a sentence for the operator. */
export type MissingBubblewrap = { reason: string };

type Programs = { bwrap: string; setpriv: string; prlimit: string };

/** Finds bubblewrap and tries whether a worker starts in it. */
export async function findBubblewrap(
  directories?: readonly string[],
): Promise<Bubblewrap | MissingBubblewrap> {
  const filter = createSeccompFilter('worker');
  if (process.platform !== 'linux' || filter === undefined)
    return { reason: `bubblewrap needs Linux on x64 or arm64, not ${process.platform}` };
  const [bwrap, setpriv, prlimit] = await Promise.all(
    ['bwrap', 'setpriv', 'prlimit'].map((name) => findExecutable(name, directories)),
  );
  if (!bwrap)
    return { reason: 'bubblewrap is not installed; on Debian: apt-get install bubblewrap' };
  if (!setpriv || !prlimit)
    return { reason: 'setpriv or prlimit is not installed; on Debian: apt-get install util-linux' };
  const bubblewrap = createBubblewrap({ bwrap, setpriv, prlimit }, filter);
  const failure = await probe(bubblewrap);
  return failure === undefined ? bubblewrap : { reason: `bubblewrap does not work: ${failure}` };
}

function createBubblewrap(programs: Programs, filter: Buffer): Bubblewrap {
  const isRoot = process.getuid?.() === 0;
  const namespaces = [
    programs.bwrap,
    ...(isRoot ? ROOT_FLAGS : ['--unshare-user']),
    ...NAMESPACE_FLAGS,
  ];
  const changeUser = [programs.setpriv, ...(isRoot ? CHANGE_USER : []), ...DROP_CAPABILITIES];
  return {
    filter,
    wrapCommand: (command, directory) => [
      ...namespaces,
      ...mountReadOnly([
        ...listCodePaths(),
        programs.setpriv,
        programs.prlimit,
        process.execPath,
        directory,
      ]),
      ...['--remount-ro', '/', '--chdir', directory, '--clearenv'],
      ...['--seccomp', String(FILTER_FD), '--'],
      ...[programs.prlimit, `--nproc=${MAX_THREADS}`],
      ...changeUser,
      ...command,
    ],
    wrapBrowser: (command, profile) => [
      ...namespaces,
      ...mountReadOnly([
        ...BROWSER_FILES.filter((path) => existsSync(path)),
        dirname(command[0] as string),
      ]),
      ...['--proc', '/proc', '--dev', '/dev', ...createParents([profile])],
      ...['--bind', profile, profile, '--remount-ro', '/', '--chdir', '/', '--clearenv'],
      ...[
        '--setenv',
        'HOME',
        profile,
        '--setenv',
        'TMPDIR',
        profile,
        '--setenv',
        'PATH',
        '/usr/bin',
      ],
      ...['--seccomp', String(FILTER_FD), '--', ...changeUser, ...command],
    ],
    async shareProfile(profile) {
      if (isRoot) await chown(profile, WORKER_ID, WORKER_ID);
    },
    async shareInput(directory) {
      if (!isRoot) return;
      await chown(directory, 0, WORKER_ID);
      await chmod(directory, 0o750);
      const entries: Dirent[] = await readdir(directory, { withFileTypes: true });
      for (const entry of entries.filter((entry) => entry.isFile())) {
        await chown(join(directory, entry.name), 0, WORKER_ID);
        await chmod(join(directory, entry.name), 0o640);
      }
    },
  };
}

const NAMESPACE_FLAGS = [
  ...['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
  '--die-with-parent',
];
/** setpriv needs these capabilities to change the user. Then it drops them. */
const ROOT_FLAGS = ['ALL', 'CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((name) =>
  name === 'ALL' ? ['--cap-drop', name] : ['--cap-add', name],
);
const CHANGE_USER = [`--reuid=${WORKER_ID}`, `--regid=${WORKER_ID}`, '--clear-groups'];
const DROP_CAPABILITIES = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'];

/** What browsers of a distribution and fonts consist of. The libraries are mounted anyway. */
const BROWSER_FILES = ['/usr/bin', '/usr/share/fonts', '/etc/fonts', '/etc/chromium.d', '/opt'];

/** Mounts the system's libraries and `paths`, all read-only. */
function mountReadOnly(paths: readonly string[]): string[] {
  const libraries = LIBRARY_DIRECTORIES.filter((path) => existsSync(path));
  const [links, directories] = [
    libraries.filter((path) => lstatSync(path).isSymbolicLink()),
    libraries.filter((path) => !lstatSync(path).isSymbolicLink()),
  ];
  const mounted = [...directories, ...paths];
  return [
    ...createParents(mounted),
    ...mounted.flatMap((path) => ['--ro-bind', path, path]),
    ...links.flatMap((path) => ['--symlink', readlinkSync(path), path]),
  ];
}

/** Creates the directories above the paths. Other users may enter them. */
function createParents(paths: readonly string[]): string[] {
  return listParents(paths).flatMap((path) => ['--perms', '0755', '--dir', path]);
}

/** Lists the directories above the paths, each before those in it. */
function listParents(paths: readonly string[]): string[] {
  const parents = new Set<string>();
  for (const path of paths) {
    for (let parent = dirname(path); parent !== '/'; parent = dirname(parent)) parents.add(parent);
  }
  // A parent is shorter than what is in it.
  return [...parents].sort((a, b) => a.length - b.length);
}

/** Runs a script that reads the code of the worker. Returns why that failed. */
async function probe(bubblewrap: Bubblewrap): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'cloche-sandbox-'));
  try {
    await bubblewrap.shareInput(directory);
    const script = `require('node:fs').readFileSync(${JSON.stringify(WORKER_ENTRY)})`;
    const command = [process.execPath, '--eval', script];
    const { exitCode, output } = await runProcess({
      command: bubblewrap.wrapCommand(command, directory),
      directory: '/',
      timeoutMs: PROBE_TIMEOUT_MS,
      signal: new AbortController().signal,
      filter: bubblewrap.filter,
      onData: () => {},
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
