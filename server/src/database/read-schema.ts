import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** The schema of a database file. */
export type Schema = {
  /** Names of the migrations that were applied. */
  migrations: string[];
  /** Version of the program that applied the last one. Undefined if it is not recorded. */
  version: string | undefined;
};

/**
 * Reads the schema of a database file. Changes neither the database nor its WAL. Returns undefined if there is no such file.
 *
 * Without a WAL, the file is read without locks, and no other file is created. With one, another process may be writing it: a connection
 * without locks would see an incomplete WAL, and delete it when it is closed.
 */
export function readSchema(path: string): Schema | undefined {
  if (!existsSync(path)) return undefined;
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (wal?.size) return readSharedSchema(path);
  const url = pathToFileURL(path);
  url.search = '?immutable=1';
  using database = new DatabaseSync(url, { readOnly: true });
  return querySchema(database);
}

/** Reads the schema of a database that another process may be using. */
export function readSharedSchema(path: string): Schema {
  using database = new DatabaseSync(path, { readOnly: true });
  return querySchema(database);
}

function querySchema(database: DatabaseSync): Schema {
  return {
    migrations: readColumn(database, 'kysely_migration', 'name'),
    version: readColumn(database, 'schema_version', 'version')[0],
  };
}

function readColumn(database: DatabaseSync, table: string, column: string): string[] {
  const exists = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  if (exists.get(table) === undefined) return [];
  const rows = database.prepare(`SELECT ${column} AS value FROM ${table} ORDER BY value`).all();
  return rows.map(({ value }) => String(value));
}
