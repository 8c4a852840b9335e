import {
  type ColumnDefinitionNode,
  DataTypeNode,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPoolClient,
  PostgresQueryCompiler,
  RawNode,
} from 'kysely';
import pg from 'pg';
import { ConnectionSockets } from './connection-sockets.ts';
import type { Database, Tables } from './database.ts';
import { isConnectionError, toDatabaseError } from './postgres-errors.ts';
import { PostgresWatchdog } from './postgres-watchdog.ts';

export type PostgresOptions = {
  /** `postgres://user:password@host:port/database`. */
  url: string;
  /** Receives the errors of idle connections. Without a listener, such an error would end the process. */
  onError: (error: Error) => void;
  maxConnections?: number;
  /** 0: no limit, also for the time between the statements of a transaction. */
  statementTimeoutMs?: number;
  /** Maximum wait for a lock that another transaction has. 0: no limit. */
  lockTimeoutMs?: number;
  /** Whether the server is behind a connection pooler: then no setting belongs to a connection. Default: false. */
  isPooled?: boolean;
};

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const LOCK_TIMEOUT_MS = 10_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000;
/** The database stops a statement first, unless it does not respond at all. */
const QUERY_TIMEOUT_MARGIN_MS = 5_000;
/** `int8`: sizes and counts, which are less than 2 ** 53. */
const INT8_OID = 20;

/** The connections of a pool. */
export type PoolUse = {
  total: number;
  idle: number;
  /** Queries that wait for a connection. */
  waiting: number;
};

/** Opens a pool of connections. Connects with the first query. Disposing the database closes the pool. */
export function openPostgres(options: PostgresOptions): Database {
  return openPostgresPool(options).database;
}

/** Like `openPostgres`, with the use of the pool. */
export function openPostgresPool(options: PostgresOptions): {
  database: Database;
  readPoolUse: () => PoolUse;
} {
  const { readUse, ...pool } = openPool(options);
  const database = new Kysely<Tables>({ dialect: new PortableDialect({ pool }) });
  return { database, readPoolUse: readUse };
}

function openPool({
  url,
  onError,
  maxConnections = 10,
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
  lockTimeoutMs = LOCK_TIMEOUT_MS,
  isPooled = false,
}: PostgresOptions) {
  const timeouts = {
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout:
      statementTimeoutMs > 0 ? IDLE_IN_TRANSACTION_TIMEOUT_MS : 0,
  };
  const sockets = new ConnectionSockets();
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'cloche',
    max: maxConnections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...(!isPooled && timeouts),
    ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + QUERY_TIMEOUT_MARGIN_MS }),
    keepAlive: true,
    stream: sockets.create,
    types: { getTypeParser: getTypeParser as typeof pg.types.getTypeParser },
  });
  // The pool reports errors of idle connections only.
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  const begin = isPooled ? toBegin(timeouts) : undefined;
  const watchdog = new PostgresWatchdog(url);
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    async end() {
      await pool.end();
      await sockets.waitUntilClosed();
    },
    readUse: (): PoolUse => {
      const { totalCount, idleCount, waitingCount } = pool;
      return { total: totalCount, idle: idleCount, waiting: waitingCount };
    },
    async connect(): Promise<PostgresPoolClient> {
      const client = await connectTo(pool, watchdog).catch(throwDatabaseError);
      const translating = clients.get(client) ?? new TranslatingClient(client, watchdog, begin);
      clients.set(client, translating);
      return translating;
    },
  };
}

/** Begins a transaction with time limits that end with it. */
function toBegin(timeouts: Readonly<Record<string, number>>): string {
  const settings = Object.entries(timeouts).map(([name, ms]) => `SET LOCAL ${name} = ${ms}`);
  return ['BEGIN', ...settings].join('; ');
}

async function connectTo(pool: pg.Pool, watchdog: PostgresWatchdog): Promise<pg.PoolClient> {
  watchdog.assertResponding();
  const connecting = pool.connect();
  try {
    return await watchdog.watch(connecting);
  } catch (error) {
    // It may be connected later.
    connecting.then(
      (client) => client.release(),
      () => {},
    );
    throw error;
  }
}

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format);
}

/** A connection that throws problems instead of the errors of PostgreSQL that have one. */
class TranslatingClient {
  readonly #client: pg.PoolClient;
  readonly #watchdog: PostgresWatchdog;
  /** What begins a transaction instead of BEGIN. */
  readonly #begin: string | undefined;
  #isBroken = false;

  constructor(client: pg.PoolClient, watchdog: PostgresWatchdog, begin: string | undefined) {
    this.#client = client;
    this.#begin = begin;
    this.#watchdog = watchdog;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the interface of Kysely has overloads, also for cursors
  query(...parameters: any[]): any {
    return this.#query(parameters).catch((error: unknown) => {
      this.#isBroken ||= isConnectionError(error);
      throwDatabaseError(error);
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  async #query([text, ...parameters]: any[]): Promise<unknown> {
    // A query after one that was ended, such as ROLLBACK, would wait for it.
    if (this.#isBroken) throw new Error('Connection terminated');
    const statement = text === 'begin' && this.#begin !== undefined ? this.#begin : text;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    return this.#watchdog.watchQuery((this.#client.query as any)(statement, ...parameters));
  }

  release(isBroken?: boolean): void {
    this.#client.release(isBroken || this.#isBroken);
  }
}

function throwDatabaseError(error: unknown): never {
  throw toDatabaseError(error);
}

/** Migrations run in a transaction with a lock of its own. */
class PortableAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}

  override async releaseMigrationLock(): Promise<void> {}
}

class PortableDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new PortableAdapter();
  }

  override createQueryCompiler(): PostgresQueryCompiler {
    return new PortableQueryCompiler();
  }
}

/** Text is sorted and compared by its bytes, as in SQLite, whatever the locale of the database is. */
class PortableQueryCompiler extends PostgresQueryCompiler {
  protected override visitColumnDefinition(node: ColumnDefinitionNode): void {
    const isText = DataTypeNode.is(node.dataType) && node.dataType.dataType === 'text';
    const collation = RawNode.createWithSql('collate "C"');
    super.visitColumnDefinition(
      isText ? { ...node, frontModifiers: [collation, ...(node.frontModifiers ?? [])] } : node,
    );
  }
}
