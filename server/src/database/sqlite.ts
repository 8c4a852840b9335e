import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Problem } from '@cloche/contract/problem';
import { Kysely, SqliteAdapter, SqliteDialect } from 'kysely';
import type { Database, Tables } from './database.ts';

/**
 * Opens (or makes) the database file. WAL with `synchronous=FULL`: what is acknowledged has
 * reached the disk. Disposing closes it.
 */
export function openSqlite(path: string): Database {
  const database = new DatabaseSync(path);
  for (const pragma of [
    'journal_mode = WAL',
    'synchronous = FULL',
    'busy_timeout = 5000',
    'foreign_keys = ON',
  ]) {
    database.exec(`PRAGMA ${pragma}`);
  }
  return new Kysely<Tables>({
    dialect: new TransactionalDdlDialect({ database: toKyselySqliteDatabase(database) }),
  });
}

/** SQLite undoes changes of tables too: a migration that a crash cuts short has not begun. */
class TransactionalDdlDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalDdlAdapter();
  }
}

class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Kysely speaks to better-sqlite3; node:sqlite differs in how parameters are passed. */
function toKyselySqliteDatabase(database: DatabaseSync) {
  const prepared = new Map<string, ReturnType<typeof toKyselySqliteStatement>>();
  return {
    close: () => database.close(),
    prepare(sql: string) {
      const known = prepared.get(sql);
      if (known !== undefined) return known;
      const made = toKyselySqliteStatement(
        database.prepare(sql),
        () => sql !== 'rollback' || database.isTransaction,
      );
      // Queries are few and written in code; the bound is for lists of varying length.
      if (prepared.size < 500) prepared.set(sql, made);
      return made;
    },
  };
}

/** @param isDue a statement that is not, when it is run, does nothing */
function toKyselySqliteStatement(inner: StatementSync, isDue: () => boolean) {
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  return {
    reader: inner.columns().length > 0,
    all: (parameters: readonly unknown[]) => inner.all(...values(parameters)),
    run: (parameters: readonly unknown[]) => {
      // On a full disk SQLite ends the transaction itself; a rollback would hide why.
      if (!isDue()) return NO_CHANGES;
      try {
        return inner.run(...values(parameters));
      } catch (error) {
        throw isDiskFull(error) ? new Problem('server.storage-full', { cause: error }) : error;
      }
    },
    iterate: (parameters: readonly unknown[]) => inner.iterate(...values(parameters)),
  };
}

const NO_CHANGES = { changes: 0, lastInsertRowid: 0 };

/** SQLITE_FULL. */
function isDiskFull(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 13;
}
