import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { findProgram } from '../../scripts/optional-programs.ts';

/** A connection pooler in front of all databases of a PostgreSQL server. */
export type PgBouncer = AsyncDisposable & {
  /** The URL of a database of the server, through the pooler. */
  toUrl(databaseUrl: string): string;
  /** Returns the last lines that it has logged. */
  readLog(): string;
};

/** It refuses to run as root. This user exists everywhere. */
const NOBODY = 65534;
const PASSWORD = 'pooler';

/** The configuration in docs/scale.md: a test compares the two. */
const CONFIGURATION = join(import.meta.dirname, '../../deploy/pgbouncer.ini');

type PgBouncerOptions = {
  /** The connections to each database. Default: as in the configuration. */
  connections?: number;
};

/** Starts PgBouncer with the configuration in the documentation: only addresses, database and users are those of the server. */
export async function startPgBouncer(
  serverUrl: string,
  { connections }: PgBouncerOptions = {},
): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'cloche-pgbouncer-'));
  const port = await findFreePort();
  const server = new URL(serverUrl);
  const file = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'userlist.txt');
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    auth_file: users,
    ...(connections !== undefined && { default_pool_size: connections }),
  };
  let configuration = readFileSync(CONFIGURATION, 'utf8').replace(
    'cloche = host=postgres port=5432',
    `* = host=${server.hostname} port=${server.port}`,
  );
  for (const [name, value] of Object.entries(settings)) {
    const line = new RegExp(`^${name} = .*$`, 'm');
    assert.match(configuration, line);
    configuration = configuration.replace(line, `${name} = ${value}`);
  }
  // The folder for a socket that a package of Debian creates does not exist here.
  writeFileSync(file, `${configuration}unix_socket_dir =\n`);
  writeFileSync(users, `"${server.username}" "${PASSWORD}"\n`);
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (user.uid !== undefined) {
    chownSync(folder, user.uid, user.gid);
    for (const path of [file, users]) chmodSync(path, 0o644);
  }
  const child = spawn(findProgram('pgbouncer') ?? 'pgbouncer', [file], {
    ...user,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const closed = once(child, 'close');
  let log = '';
  await Promise.race([
    new Promise<void>((resolve) => {
      child.stderr.on('data', (chunk) => {
        log = (log + chunk).slice(-10_000_000);
        if (log.includes('process up')) resolve();
      });
    }),
    closed.then(() => {
      throw new Error(`PgBouncer did not start: ${log}`);
    }),
  ]);
  return {
    toUrl: (databaseUrl) =>
      Object.assign(new URL(databaseUrl), { port: String(port), password: PASSWORD }).href,
    readLog: () => log,
    [Symbol.asyncDispose]: async () => {
      process.off('exit', kill);
      kill();
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
