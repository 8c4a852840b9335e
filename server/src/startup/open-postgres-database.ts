import { Problem } from '@cloche/contract/problem';
import { sql } from 'kysely';
import { ConfigError } from '../config.ts';
import type { Database } from '../database/database.ts';
import { readDatabaseTime } from '../database/database-time.ts';
import { MIGRATIONS, type Migrations, migrate } from '../database/migrate.ts';
import { PROGRAM_VERSION } from '../database/program-version.ts';
import type { Schema } from '../database/read-schema.ts';
import type { EventSource } from '../events/event.ts';
import type { Logger } from '../http/logger.ts';

type Log = Pick<Logger, 'warn' | 'error'>;

/** A larger difference between the clocks of this machine and of the database is logged. */
const MAX_CLOCK_DIFFERENCE_MS = 2_000;

export type OpenPostgresOptions = {
  nodeId: string;
  /** Called if another node with the same id has opened the database, after the connection was lost. */
  stop: () => void;
  migrations?: Migrations;
};

/**
 * Opens a PostgreSQL database for a node of the service, and applies pending migrations. Until it is disposed, no
 * other node with the same id can open the database: each would take the jobs of the other one for its own.
 *
 * @throws {ConfigError} the database cannot be opened, a node with this id uses it, or a newer program has
 *   changed it
 */
export async function openPostgresDatabase(
  url: string,
  log: Log,
  { nodeId, stop, migrations = MIGRATIONS }: OpenPostgresOptions,
): Promise<{ database: Database; events: EventSource } & AsyncDisposable> {
  // Loaded when it is needed: an installation with SQLite never loads it.
  const { openPostgres } = await import('../database/postgres.ts');
  await using opened = new AsyncDisposableStack();
  const onError = (error: Error) => log.warn({ err: error }, 'a connection to the database failed');
  const lock = await acquireNodeLock(url, nodeId, onError, () => {
    log.error('another node with the same id uses the database now: this one stops');
    stop();
  });
  opened.use(lock);
  await updateSchema(url, migrations, onError);
  const database = opened.use(openPostgres({ url, onError }));
  await warnAboutClock(database, log);
  const { PostgresEventReader } = await import('../events/postgres-event-reader.ts');
  const onEventError = (err: Error) =>
    log.warn({ err }, 'reading the changes of other nodes failed');
  const events = opened.use(new PostgresEventReader({ url, onError: onEventError }));
  const resources = opened.move();
  return { database, events, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Opens a PostgreSQL database that has the schema of this program. @throws {ConfigError} */
export async function openCurrentPostgresDatabase(url: string): Promise<Database> {
  const { openPostgres } = await import('../database/postgres.ts');
  const database = openPostgres({ url, onError: () => {}, maxConnections: 2 });
  try {
    const { migrations } = await readSupportedSchema(url, database, MIGRATIONS);
    if (Object.keys(MIGRATIONS).every((name) => migrations.includes(name))) return database;
    throw new ConfigError(
      `CLOCHE_DATABASE_URL is ${describeUrl(url)}, which has no tables or those of an older version. Start this version of the service once: it updates the database.`,
    );
  } catch (error) {
    await database.destroy();
    throw error;
  }
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
    onError,
    onLost: stop,
  }).catch((error) => throwConnectionError(url, error));
  if (lock !== undefined) return lock;
  throw new ConfigError(
    `CLOCHE_DATABASE_URL is ${describeUrl(url)}, which another node with the id ${nodeId} is using. Each node needs an id, and a data directory, of its own: if CLOCHE_DATA is a copy, delete the file "node-id" in it.`,
  );
}

async function updateSchema(
  url: string,
  migrations: Migrations,
  onError: (error: Error) => void,
): Promise<void> {
  const { openPostgres } = await import('../database/postgres.ts');
  // A migration of a large table may take long.
  await using database = openPostgres({ url, onError, maxConnections: 2, statementTimeoutMs: 0 });
  await readSupportedSchema(url, database, migrations);
  await migrate(database, migrations).catch((error) => {
    throw isKnownError(error) ? toConnectionError(url, error) : error;
  });
}

/** @throws {ConfigError} a newer program has changed the database, or it cannot be opened */
async function readSupportedSchema(
  url: string,
  database: Database,
  migrations: Migrations,
): Promise<Schema> {
  const schema = await readSchema(database).catch((error) => throwConnectionError(url, error));
  const unknown = schema.migrations.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return schema;
  throw new ConfigError(
    `CLOCHE_DATABASE_URL is ${describeUrl(url)}, which needs Cloche ${schema.version ?? ''} or newer. This is Cloche ${PROGRAM_VERSION}, which does not know ${unknown.join(', ')}. Nothing was changed. Install that version, or restore a backup.`,
  );
}

async function readSchema(database: Database): Promise<Schema> {
  return {
    migrations: await readColumn(database, 'kysely_migration', 'name'),
    version: (await readColumn(database, 'schema_version', 'version'))[0],
  };
}

async function readColumn(database: Database, table: string, column: string): Promise<string[]> {
  const found = await sql<{ name: string | null }>`SELECT to_regclass(${table}) AS name`.execute(
    database,
  );
  if (!found.rows[0]?.name) return [];
  const { rows } = await sql<{
    value: string;
  }>`SELECT ${sql.ref(column)} AS value FROM ${sql.table(table)} ORDER BY value`.execute(database);
  return rows.map(({ value }) => value);
}

async function warnAboutClock(database: Database, log: Log): Promise<void> {
  const before = Date.now();
  const databaseTime = await readDatabaseTime(database);
  // The clock was read at some time within this duration.
  const durationMs = Date.now() - before;
  const differenceMs = Math.round(before + durationMs / 2 - databaseTime.getTime());
  if (Math.abs(differenceMs) <= MAX_CLOCK_DIFFERENCE_MS + durationMs / 2) return;
  log.warn(
    { differenceMs },
    'the clocks of this machine and of the database differ: synchronize them',
  );
}

const CONNECTION_ERROR_REASONS: Record<string, string> = {
  '28000': 'which refuses the user. Check the user, and pg_hba.conf of the server',
  '28P01': 'which refuses the password. Correct the user or the password',
  '3D000': 'a database that does not exist. Create it, or correct its name',
  '42501': 'where the user may not create tables. Make the user the owner of the database',
};

function isKnownError(error: unknown): boolean {
  return Object.hasOwn(CONNECTION_ERROR_REASONS, (error as { code?: string }).code ?? '');
}

/** @throws {ConfigError} */
function throwConnectionError(url: string, error: unknown): never {
  throw toConnectionError(url, error);
}

function toConnectionError(url: string, thrown: unknown): ConfigError {
  const error = thrown instanceof Problem ? thrown.cause : thrown;
  const { code = '', message } = error as { code?: string; message: string };
  const reason =
    CONNECTION_ERROR_REASONS[code] ??
    `which cannot be reached (${code || message}). Start the server, or correct the host and the port`;
  return new ConfigError(`CLOCHE_DATABASE_URL is ${describeUrl(url)}, ${reason}.`);
}

/** The host and the database: the other parts of the URL are secret. */
function describeUrl(url: string): string {
  const { host, pathname } = new URL(url);
  return `the database "${decodeURIComponent(pathname.slice(1))}" on ${host || 'this machine'}`;
}
