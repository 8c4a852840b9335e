import type { Database } from '../database/database.ts';
import { MIGRATIONS, type Migrations } from '../database/migrate.ts';
import type { PoolUse } from '../database/postgres-connections.ts';
import { ConfigError } from '../environment.ts';
import type { EventSource } from '../events/event.ts';
import type { Logger } from '../http/logger.ts';
import { describeUrl, throwConnectionError } from './postgres-connection-errors.ts';
import { isPending, readSupportedSchema, updateSchema } from './postgres-schema.ts';

type Log = Pick<Logger, 'info' | 'warn' | 'error'>;

const POOLER_MESSAGE =
  'the database is behind a connection pooler: changes of other nodes are read every half second, without notifications';

/** Each node has it in shared mode. A command that replaces all rows has it alone. */
const INSTALLATION_LOCK = 'installation';

/** `isPooled`: behind a connection pooler, where this node has no lock on its id. */
export type OpenedPostgresDatabase = AsyncDisposable & {
  database: Database;
  events: EventSource;
  isPooled: boolean;
  readPoolUse: () => PoolUse;
};

export type OpenPostgresOptions = {
  nodeId: string;
  /** Called if another node with the same id has opened the database, after the connection was lost. */
  stop: () => void;
  migrations?: Migrations;
};

/**
 * Opens a PostgreSQL database for a node of the service, and applies pending migrations. Until it is disposed, no
 * other node with the same id can open the database: each would take the jobs of the other one for its own. Behind a
 * connection pooler, joining the nodes checks this instead.
 *
 * @throws {ConfigError} the database cannot be opened, a node with this id uses it, or a newer program has
 *   changed it
 */
export async function openPostgresDatabase(
  url: string,
  log: Log,
  { nodeId, stop, migrations = MIGRATIONS }: OpenPostgresOptions,
): Promise<OpenedPostgresDatabase> {
  // Loaded when it is needed: an installation with SQLite never loads it.
  const { openPostgresPool } = await import('../database/postgres.ts');
  const isPooled = await findPooler(url);
  if (isPooled) log.info(POOLER_MESSAGE);
  await using opened = new AsyncDisposableStack();
  const onError = (error: Error) => log.warn({ err: error }, 'a connection to the database failed');
  if (!isPooled) {
    const lock = await acquireNodeLock(url, nodeId, onError, () => {
      log.error('another node with the same id uses the database now: this one stops');
      stop();
    });
    opened.use(lock);
  }
  await updateSchema({ url, migrations, nodeId, isPooled, onError, log });
  const { database, readPoolUse } = openPostgresPool({ url, onError, isPooled });
  opened.use(database);
  const { PostgresEventReader } = await import('../events/postgres-event-reader.ts');
  const onEventError = (err: Error) =>
    log.warn({ err }, 'reading the changes of other nodes failed');
  const events = opened.use(
    new PostgresEventReader({ url, onError: onEventError, listen: !isPooled }),
  );
  const resources = opened.move();
  const close = () => resources.disposeAsync();
  return { database, events, isPooled, readPoolUse, [Symbol.asyncDispose]: close };
}

/** Opens a PostgreSQL database that has the schema of this program. @throws {ConfigError} */
export async function openCurrentPostgresDatabase(
  url: string,
  options: { statementTimeoutMs?: number } = {},
): Promise<Database> {
  const { openPostgres } = await import('../database/postgres.ts');
  const isPooled = await findPooler(url);
  const database = openPostgres({
    url,
    onError: () => {},
    maxConnections: 2,
    isPooled,
    ...options,
  });
  try {
    const schema = await readSupportedSchema(url, database, MIGRATIONS);
    if (!isPending(schema, MIGRATIONS)) return database;
    throw new ConfigError(
      `CLOCHE_DATABASE_URL is ${describeUrl(url)}, which has no tables or those of an older version. Start this version of the service once: it updates the database.`,
    );
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

/** While it is held, no node uses the database. */
export type PostgresLock = AsyncDisposable & {
  /** @throws {ConfigError} it was lost at any time, so a node may have changed the database */
  assertHeld(): Promise<void>;
};

/**
 * Keeps nodes from using a database, until the result is disposed.
 *
 * @throws {ConfigError} a node uses it, or it cannot be opened
 */
export async function lockPostgresDatabase(url: string): Promise<PostgresLock> {
  if (await findPooler(url))
    throw new ConfigError(
      `CLOCHE_DATABASE_URL is ${describeUrl(url)}, which is behind a connection pooler. This command needs the URL of the database itself.`,
    );
  const { tryAcquireSessionLock } = await import('../database/postgres-session-lock.ts');
  const lock = await tryAcquireSessionLock({
    url,
    name: INSTALLATION_LOCK,
    onError: () => {},
    // Before it changes anything, the command asserts that it has the lock.
    onLost: () => {},
  }).catch((error) => throwConnectionError(url, error));
  if (lock !== undefined)
    return {
      assertHeld: () => lock.assertHeld().catch((error) => throwLostLockError(url, error)),
      [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
    };
  throw new ConfigError(
    `CLOCHE_DATABASE_URL is ${describeUrl(url)}, which a node or another command is using. Stop all nodes first.`,
  );
}

function throwLostLockError(url: string, cause: unknown): never {
  throw new ConfigError(
    `The connection to ${describeUrl(url)} was lost, so a node may have changed the database. No rows were written. Stop all nodes, and run it again.`,
    { cause },
  );
}

/** Opens a database that no node uses, and applies pending migrations. @throws {ConfigError} */
export async function openUnusedPostgresDatabase(url: string): Promise<Database> {
  const onError = () => {};
  await updateSchema({ url, migrations: MIGRATIONS, nodeId: '', isPooled: false, onError });
  const { openPostgres } = await import('../database/postgres.ts');
  return openPostgres({ url, onError, maxConnections: 2, statementTimeoutMs: 0 });
}

/** @throws {ConfigError} the database cannot be opened */
async function findPooler(url: string): Promise<boolean> {
  const { isBehindPooler } = await import('../database/detect-pooler.ts');
  return isBehindPooler(url).catch((error) => throwConnectionError(url, error));
}

async function acquireNodeLock(
  url: string,
  nodeId: string,
  onError: (error: Error) => void,
  stop: () => void,
) {
  const { tryAcquireSessionLock } = await import('../database/postgres-session-lock.ts');
  const lock = await tryAcquireSessionLock({
    url,
    name: `node:${nodeId}`,
    sharedName: INSTALLATION_LOCK,
    onError,
    onLost: stop,
  }).catch((error) => throwConnectionError(url, error));
  if (lock !== undefined) return lock;
  throw new ConfigError(
    `CLOCHE_DATABASE_URL is ${describeUrl(url)}, which another node with the id ${nodeId} is using. Each node needs an id, and a data directory, of its own: if CLOCHE_DATA is a copy, delete the file "node-id" in it.`,
  );
}
