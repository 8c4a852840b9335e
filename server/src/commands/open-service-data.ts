import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { MIGRATIONS } from '../database/migrate.ts';
import { readSharedSchema } from '../database/read-schema.ts';
import { openSqlite, recycleWal } from '../database/sqlite.ts';
import { DiskReserve } from '../disk/disk-reserve.ts';
import { ConfigError } from '../environment.ts';
import { becomeOwner } from '../startup/data-directory.ts';
import { tryAcquireDataDirectoryLock } from '../startup/data-directory-lock.ts';
import {
  assertDatabaseSupported,
  assertSchemaSupported,
  toDatabasePath,
} from '../startup/open-database.ts';
import { openCurrentPostgresDatabase } from '../startup/open-postgres-database.ts';

/** The database of a service that may be running. */
export type ServiceData = AsyncDisposable & {
  database: Database;
  /** Runs an operation that must work on a full disk. */
  runWithReserve<T>(operation: () => Promise<T>): Promise<T>;
};

/**
 * Opens the database for a command, while the service runs or not. Never creates or updates it.
 *
 * @throws {ConfigError} there is no database, or the service must update it first, or it is newer
 */
export async function openServiceData(
  { dataDirectory, database: config }: Pick<Config, 'dataDirectory' | 'database'>,
  options: { statementTimeoutMs?: number } = {},
): Promise<ServiceData> {
  process.umask(0o077);
  if (config.kind === 'sqlite') return openSqliteData(dataDirectory);
  const database = await openCurrentPostgresDatabase(config.url, options);
  return {
    database,
    runWithReserve: (operation) => operation(),
    [Symbol.asyncDispose]: () => database.destroy(),
  };
}

function openSqliteData(dataDirectory: string): ServiceData {
  const path = toDatabasePath(dataDirectory);
  if (!existsSync(path)) {
    throw new ConfigError(
      `CLOCHE_DATA is "${dataDirectory}", which has no Cloche database. Set it to the data directory of the service. The first start of the service creates the database.`,
    );
  }
  becomeOwner(dataDirectory);
  assertUsable(dataDirectory);
  return connectToSqlite(dataDirectory);
}

/**
 * Opens the database of service data once more: in SQLite, a transaction keeps its connection from others. Nothing is checked
 * again: reading the schema would release the locks of the first connection.
 */
export function openAgain(
  { dataDirectory, database: config }: Pick<Config, 'dataDirectory' | 'database'>,
  data: ServiceData,
): ServiceData {
  if (config.kind === 'sqlite') return connectToSqlite(dataDirectory);
  // A pool has several connections.
  return { ...data, [Symbol.asyncDispose]: async () => {} };
}

function connectToSqlite(dataDirectory: string): ServiceData {
  const database = openSqlite(toDatabasePath(dataDirectory));
  const reserve = new DiskReserve(join(dataDirectory, 'reserve'));
  return {
    database,
    runWithReserve: (operation) => reserve.run(operation, () => recycleWal(database)),
    [Symbol.asyncDispose]: async () => {
      reserve[Symbol.dispose]();
      await database.destroy();
    },
  };
}

function assertUsable(dataDirectory: string): void {
  {
    using lock = tryAcquireDataDirectoryLock(dataDirectory);
    // Without the lock, the service is running, so opening the database changes nothing.
    if (lock !== undefined) assertDatabaseSupported(dataDirectory);
  }
  const schema = readSharedSchema(toDatabasePath(dataDirectory));
  assertSchemaSupported(dataDirectory, schema);
  const isCurrent = Object.keys(MIGRATIONS).every((name) => schema.migrations.includes(name));
  if (isCurrent) return;
  throw new ConfigError(
    `CLOCHE_DATA is "${dataDirectory}", whose database is of an older version. Start this version of the service once: it updates the database.`,
  );
}
