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
 * Reads the schema of a database file without changing or creating any file. No other process may use the
 * database: it is read without locks. Returns undefined if there is no such file.
 *
 * A read-only connection alone is not enough: SQLite would create `-shm` and, after a crash, recover `-wal`.
 */
export function readSchema(path: string): Schema | undefined {
  if (!existsSync(path)) return undefined;
  const url = pathToFileURL(path);
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false });
  // `immutable` ignores the WAL; without it, SQLite would create one for a moment.
  url.search = wal?.size ? '?mode=ro&vfs=unix-none' : '?immutable=1';
  using database = new DatabaseSync(url);
  // Keeps the index of the WAL in memory instead of in a file.
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
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
