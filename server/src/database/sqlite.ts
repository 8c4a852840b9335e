import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
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
    dialect: new SqliteDialect({ database: asKyselyExpects(database) }),
  });
}

/** Kysely speaks to better-sqlite3; node:sqlite differs in how parameters are passed. */
function asKyselyExpects(database: DatabaseSync) {
  const prepared = new Map<string, ReturnType<typeof statement>>();
  return {
    close: () => database.close(),
    prepare(sql: string) {
      const known = prepared.get(sql);
      if (known !== undefined) return known;
      const made = statement(database.prepare(sql));
      // Queries are few and written in code; the bound is for lists of varying length.
      if (prepared.size < 500) prepared.set(sql, made);
      return made;
    },
  };
}

function statement(inner: StatementSync) {
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  return {
    reader: inner.columns().length > 0,
    all: (parameters: readonly unknown[]) => inner.all(...values(parameters)),
    run: (parameters: readonly unknown[]) => inner.run(...values(parameters)),
    iterate: (parameters: readonly unknown[]) => inner.iterate(...values(parameters)),
  };
}
