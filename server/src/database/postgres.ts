import {
  type ColumnDefinitionNode,
  DataTypeNode,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  PostgresQueryCompiler,
  RawNode,
} from 'kysely';
import type pg from 'pg';
import type { Database, Tables } from './database.ts';
import {
  openConnections,
  type PoolUse,
  type PostgresConnections,
  type PostgresOptions,
  toBegin,
} from './postgres-connections.ts';
import { isConnectionError, toDatabaseError } from './postgres-errors.ts';
import { PostgresWatchdog } from './postgres-watchdog.ts';

/** Opens a pool of connections. Connects with the first query. Disposing the database closes the pool. */
export function openPostgres(options: PostgresOptions): Database {
  return openPostgresPool(options).database;
}

/** Like `openPostgres`, with the use of the pool. */
export function openPostgresPool(
  options: PostgresOptions,
  connections: PostgresConnections = openConnections(options),
): {
  database: Database;
  readPoolUse: () => PoolUse;
} {
  const pool = toPool(connections, options);
  const database = new Kysely<Tables>({ dialect: new PortableDialect({ pool }) });
  return { database, readPoolUse: connections.readUse };
}

function toPool(connections: PostgresConnections, options: PostgresOptions): PostgresPool {
  const begin = toBegin(options);
  const watchdog = new PostgresWatchdog(options.url);
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: connections.options,
    end: connections.end,
    async connect(): Promise<PostgresPoolClient> {
      const client = await connectTo(connections, watchdog).catch(throwDatabaseError);
      const translating = clients.get(client) ?? new TranslatingClient(client, watchdog, begin);
      clients.set(client, translating);
      return translating;
    },
  };
}

async function connectTo(
  connections: PostgresConnections,
  watchdog: PostgresWatchdog,
): Promise<pg.PoolClient> {
  watchdog.assertResponding();
  const connecting = connections.connect();
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

/** A connection that throws problems instead of the errors of PostgreSQL that have one. */
class TranslatingClient {
  readonly #client: pg.PoolClient;
  readonly #watchdog: PostgresWatchdog;
  /** What begins a transaction. */
  readonly #begin: string;
  #isBroken = false;

  constructor(client: pg.PoolClient, watchdog: PostgresWatchdog, begin: string) {
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
    const statement = text === 'begin' ? this.#begin : text;
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
