import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Problem } from '@cloche/contract/problem';
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  SqliteQueryCompiler,
  sql,
  type TransactionSettings,
} from 'kysely';
import { Cache } from '../cache/cache.ts';
import type { Database, Tables } from './database.ts';
import { isPostgres } from './locks.ts';

/** Number of prepared statements in the cache. Few queries differ, except in the length of a list. */
const MAX_PREPARED_STATEMENTS = 500;

/**
 * Opens the database file, or creates it. With WAL and `synchronous=FULL`, a committed transaction
 * survives a power failure. Disposing the database closes it.
 */
export function openSqlite(path: string): Database {
  const database = new DatabaseSync(path);
  for (const pragma of [
    'journal_mode = WAL',
    'synchronous = FULL',
    'busy_timeout = 5000',
    'foreign_keys = ON',
    // No temporary files: they need space outside the data directory.
    'temp_store = MEMORY',
  ]) {
    database.exec(`PRAGMA ${pragma}`);
  }
  return new Kysely<Tables>({
    dialect: new PortableDialect({ database: toKyselySqliteDatabase(database) }),
  });
}

/**
 * Opens a file that anyone may have written, without changing it: without locks, and without the files of a WAL or a
 * journal next to it. No other process may change it.
 */
export function openUntrustedSqlite(path: string): Database {
  const url = pathToFileURL(path);
  url.search = '?immutable=1';
  const database = new DatabaseSync(url, { readOnly: true });
  for (const pragma of ['trusted_schema = OFF', 'cell_size_check = ON', 'temp_store = MEMORY'])
    database.exec(`PRAGMA ${pragma}`);
  return new Kysely<Tables>({
    dialect: new PortableDialect({ database: toKyselySqliteDatabase(database) }),
  });
}

/** Moves all content to the file itself, so that it can be copied, and opened where nothing can be written. */
export async function makeSingleFile(database: Database): Promise<void> {
  await sql`PRAGMA journal_mode = DELETE`.execute(database);
}

/** Returns a number that changes whenever another connection has changed the database. */
export async function readDataVersion(database: Database): Promise<number> {
  const { rows } = await sql<{ data_version: number }>`PRAGMA data_version`.execute(database);
  return rows[0]?.data_version ?? 0;
}

/**
 * Moves the content of the WAL to the database, so that the next transaction overwrites the WAL from its
 * beginning instead of making it longer. Does nothing in PostgreSQL, which does so itself.
 */
export async function recycleWal(database: Database): Promise<void> {
  if (isPostgres(database)) return;
  try {
    await sql`PRAGMA wal_checkpoint(RESTART)`.execute(database);
  } catch {
    // The database may have to grow and the disk may be full: then the WAL is kept and used as it is.
  }
}

class PortableDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;

  constructor(config: SqliteDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateDriver(this.#config);
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalDdlAdapter();
  }

  override createQueryCompiler(): SqliteQueryCompiler {
    return new PortableQueryCompiler();
  }
}

/**
 * Begins transactions as writers, unless they are read only. One that becomes a writer later fails at once if another process, such as
 * a command, has written in the meantime.
 */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(
    connection: DatabaseConnection,
    { accessMode }: TransactionSettings = {},
  ): Promise<void> {
    const statement = accessMode === 'read only' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(statement));
  }
}

const LOCK_MODIFIERS: readonly unknown[] = [
  'ForUpdate',
  'ForNoKeyUpdate',
  'ForShare',
  'SkipLocked',
];

/** SQLite has no row locks, such as FOR UPDATE, and needs none: only one transaction writes at a time. */
class PortableQueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!LOCK_MODIFIERS.includes(node.modifier)) super.visitSelectModifier(node);
  }
}

/** SQLite can roll back DDL: a migration that is interrupted by a crash leaves no changes. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Adapts node:sqlite to the interface of better-sqlite3, where parameters are passed as an array. */
function toKyselySqliteDatabase(database: DatabaseSync) {
  const statements = new Cache<KyselySqliteStatement>({ maxEntries: MAX_PREPARED_STATEMENTS });
  return {
    close: () => database.close(),
    prepare(sql: string) {
      const cached = statements.get(sql);
      if (cached !== undefined) return cached;
      const statement = toKyselySqliteStatement(database, sql);
      statements.set(sql, statement);
      return statement;
    },
  };
}

type KyselySqliteStatement = ReturnType<typeof toKyselySqliteStatement>;

function toKyselySqliteStatement(database: DatabaseSync, sql: string) {
  const inner = database.prepare(sql);
  const toValues = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  return {
    reader: inner.columns().length > 0,
    // Also INSERT and UPDATE, with RETURNING.
    all: (parameters: readonly unknown[]) =>
      throwStorageFull(() => inner.all(...toValues(parameters))),
    run: (parameters: readonly unknown[]) => {
      // On a full disk, SQLite rolls back by itself. A second rollback would fail and hide the cause.
      if (sql === 'rollback' && !database.isTransaction) return NO_CHANGES;
      return throwStorageFull(() => inner.run(...toValues(parameters)));
    },
    iterate: (parameters: readonly unknown[]) => inner.iterate(...toValues(parameters)),
  };
}

const NO_CHANGES = { changes: 0, lastInsertRowid: 0 };

/** SQLITE_FULL, and SQLITE_IOERR_SHMSIZE: the file `-shm` cannot grow. */
const DISK_FULL_CODES: readonly unknown[] = [13, 4874];

/** Executes a statement. @throws {Problem} server.storage-full */
function throwStorageFull<T>(execute: () => T): T {
  try {
    return execute();
  } catch (error) {
    throw isDiskFull(error) ? new Problem('server.storage-full', { cause: error }) : error;
  }
}

function isDiskFull(error: unknown): boolean {
  return DISK_FULL_CODES.includes((error as { errcode?: number }).errcode);
}
