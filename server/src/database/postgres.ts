import {
  type ColumnDefinitionNode,
  DataTypeNode,
  Kysely,
  PostgresDialect,
  type PostgresPoolClient,
  PostgresQueryCompiler,
  RawNode,
} from 'kysely';
import pg from 'pg';
import type { Database, Tables } from './database.ts';
import { isConnectionError, toDatabaseError } from './postgres-errors.ts';

export type PostgresOptions = {
  /** `postgres://user:password@host:port/database`. */
  url: string;
  /** Receives the errors of idle connections. Without a listener, such an error would end the process. */
  onError: (error: Error) => void;
  maxConnections?: number;
  /** 0: no limit. */
  statementTimeoutMs?: number;
};

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** Maximum wait for a row or a table that another transaction has locked. */
const LOCK_TIMEOUT_MS = 10_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000;
/** The database stops a statement first, unless it does not respond at all. */
const QUERY_TIMEOUT_MARGIN_MS = 5_000;
/** `int8`: sizes and counts, which are less than 2 ** 53. */
const INT8_OID = 20;

/** Opens a pool of connections. Connects with the first query. Disposing the database closes the pool. */
export function openPostgres(options: PostgresOptions): Database {
  return new Kysely<Tables>({ dialect: new PortableDialect({ pool: openPool(options) }) });
}

function openPool({
  url,
  onError,
  maxConnections = 10,
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
}: PostgresOptions) {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'cloche',
    max: maxConnections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + QUERY_TIMEOUT_MARGIN_MS }),
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser: getTypeParser as typeof pg.types.getTypeParser },
  });
  // The pool reports errors of idle connections only.
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect(): Promise<PostgresPoolClient> {
      const client = await pool.connect().catch(throwDatabaseError);
      const translating = clients.get(client) ?? new TranslatingClient(client);
      clients.set(client, translating);
      return translating;
    },
  };
}

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format);
}

/** A connection that throws problems instead of the errors of PostgreSQL that have one. */
class TranslatingClient {
  readonly #client: pg.PoolClient;
  #isBroken = false;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the interface of Kysely has overloads, also for cursors
  query(...parameters: any[]): any {
    // biome-ignore lint/suspicious/noExplicitAny: as above
    return (this.#client.query as any)(...parameters).catch((error: unknown) => {
      this.#isBroken ||= isConnectionError(error);
      throwDatabaseError(error);
    });
  }

  release(isBroken?: boolean): void {
    this.#client.release(isBroken || this.#isBroken);
  }
}

function throwDatabaseError(error: unknown): never {
  throw toDatabaseError(error);
}

class PortableDialect extends PostgresDialect {
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
