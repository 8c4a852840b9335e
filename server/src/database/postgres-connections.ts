import pg from 'pg';
import { ConnectionSockets } from './connection-sockets.ts';

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
/**
 * A transaction takes a lock, and then reads what others have committed before it had the lock. The default of a database may be
 * another level, at which it would read what was there when it began.
 */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
/** `int8`: sizes and counts, which are less than 2 ** 53. */
const INT8_OID = 20;

/** The connections of a pool. */
export type PoolUse = {
  total: number;
  idle: number;
  /** Queries that wait for a connection. */
  waiting: number;
};

/** A pool of connections. */
export type PostgresConnections = {
  options: object;
  connect(): Promise<pg.PoolClient>;
  /** Closes the pool when no connection is in use. */
  end(): Promise<void>;
  readUse(): PoolUse;
};

/** Opens a pool of connections. Connects when the first of them is needed. */
export function openConnections(options: PostgresOptions): PostgresConnections {
  const sockets = new ConnectionSockets();
  const pool = new pg.Pool({ ...toPoolConfig(options), stream: sockets.create });
  // The pool reports errors of idle connections only.
  pool.on('error', options.onError);
  pool.on('connect', (client) => client.on('error', options.onError));
  return {
    options: pool.options,
    connect: () => pool.connect(),
    async end() {
      await pool.end();
      await sockets.waitUntilClosed();
    },
    readUse: (): PoolUse => {
      const { totalCount, idleCount, waitingCount } = pool;
      return { total: totalCount, idle: idleCount, waiting: waitingCount };
    },
  };
}

/** Returns the settings of a pool and its connections. */
export function toPoolConfig(options: PostgresOptions): pg.PoolConfig {
  const {
    url,
    maxConnections = 10,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    isPooled = false,
  } = options;
  return {
    connectionString: url,
    application_name: 'cloche',
    max: maxConnections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...(!isPooled && toTimeouts(options)),
    ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + QUERY_TIMEOUT_MARGIN_MS }),
    keepAlive: true,
    types: { getTypeParser: getTypeParser as typeof pg.types.getTypeParser },
  };
}

/** Returns what begins a transaction: with a connection pooler, also time limits that end with it. */
export function toBegin(options: PostgresOptions): string {
  if (!options.isPooled) return BEGIN;
  const timeouts = Object.entries(toTimeouts(options));
  return [BEGIN, ...timeouts.map(([name, ms]) => `SET LOCAL ${name} = ${ms}`)].join('; ');
}

function toTimeouts({
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
  lockTimeoutMs = LOCK_TIMEOUT_MS,
}: PostgresOptions) {
  return {
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout:
      statementTimeoutMs > 0 ? IDLE_IN_TRANSACTION_TIMEOUT_MS : 0,
  };
}

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format);
}
