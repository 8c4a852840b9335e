import { join } from 'node:path';
import { Problem } from '@cloche/contract/problem';
import { backUpDatabase } from '../database/back-up-database.ts';
import type { Database } from '../database/database.ts';
import { MIGRATIONS, type Migrations, migrate } from '../database/migrate.ts';
import { PROGRAM_VERSION } from '../database/program-version.ts';
import { readSchema } from '../database/read-schema.ts';
import { openSqlite } from '../database/sqlite.ts';
import { createDirectory } from '../disk/create-directory.ts';
import { isDiskFull } from '../disk/disk-reserve.ts';
import { ConfigError } from '../environment.ts';

/** Path of the database in the data directory. */
export function toDatabasePath(dataDirectory: string): string {
  return join(dataDirectory, 'cloche.sqlite');
}

/**
 * Asserts that this program knows every migration of the database. Changes neither the database nor its WAL.
 * The caller has the lock of the data directory.
 *
 * @throws {ConfigError} a newer program has changed the database
 */
export function assertDatabaseSupported(
  dataDirectory: string,
  migrations: Migrations = MIGRATIONS,
): void {
  const schema = readSchema(toDatabasePath(dataDirectory));
  if (schema !== undefined) assertSchemaSupported(dataDirectory, schema, migrations);
}

/** @throws {ConfigError} a newer program has changed the database */
export function assertSchemaSupported(
  dataDirectory: string,
  schema: { migrations: readonly string[]; version: string | undefined },
  migrations: Migrations = MIGRATIONS,
): void {
  const unknown = schema.migrations.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return;
  throw new ConfigError(
    `CLOCHE_DATA is "${dataDirectory}", whose database needs Cloche ${schema.version ?? ''} or newer. This is Cloche ${PROGRAM_VERSION}, which does not know ${unknown.join(', ')}. Nothing was changed. Install that version, or restore a backup.`,
  );
}

/**
 * Opens the database, or creates it, and applies pending migrations. An existing database is backed up
 * before that.
 *
 * @throws {ConfigError} there is no space for the backup
 */
export async function openDatabase(
  dataDirectory: string,
  migrations: Migrations = MIGRATIONS,
): Promise<Database> {
  const path = toDatabasePath(dataDirectory);
  const applied = readSchema(path)?.migrations ?? [];
  const pending = Object.keys(migrations).filter((name) => !applied.includes(name));
  const database = openSqlite(path);
  try {
    if (applied.length > 0 && pending.length > 0) await backUp(database, dataDirectory, pending);
    await migrate(database, migrations);
    return database;
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

async function backUp(
  database: Database,
  dataDirectory: string,
  [firstPending]: string[],
): Promise<void> {
  const directory = join(dataDirectory, 'backups');
  const time = new Date().toISOString().replaceAll(':', '-');
  const path = join(directory, `${time}-before-${firstPending}.sqlite`);
  try {
    await createDirectory(directory);
    await backUpDatabase(database, path);
  } catch (error) {
    const isFull = error instanceof Problem && error.code === 'server.storage-full';
    if (!isFull && !isDiskFull(error)) throw error;
    throw new ConfigError(
      `CLOCHE_DATA is "${dataDirectory}", where there is no space for a backup of the database. The backup is made before an update of the database; nothing was changed. Free some space, and start again.`,
    );
  }
  process.stdout.write(`The database was backed up to ${path} before its update.\n`);
}
