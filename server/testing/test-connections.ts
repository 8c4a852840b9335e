import pg from 'pg';
import type { PostgresConnections, PostgresOptions } from '../src/database/postgres-connections.ts';
import { toPoolConfig } from '../src/database/postgres-connections.ts';

const APPLICATION_NAME = 'cloche tests';

/** The SQL that deletes the rows of all tables. All databases have the same. */
let deleteRowsSql: string | undefined;

/**
 * The connections to a database that one test after the other uses: a new one takes the server longer than most of what a
 * test does with it. They do not keep the process alive.
 */
export class TestConnections {
  readonly #pool: pg.Pool;

  constructor(options: PostgresOptions) {
    this.#pool = new pg.Pool({
      ...toPoolConfig(options),
      application_name: APPLICATION_NAME,
      idleTimeoutMillis: 0,
      allowExitOnIdle: true,
    });
    // The server stops first, or the database is deleted.
    this.#pool.on('error', options.onError);
    this.#pool.on('connect', (client) => client.on('error', options.onError));
  }

  /** Lends the connections to a test. `end` waits until it has given them back: then it gets no more. */
  lend(): PostgresConnections {
    const pool = this.#pool;
    let inUse = 0;
    const ended = Promise.withResolvers<void>();
    let isEnding = false;
    const giveBack = () => {
      inUse -= 1;
      if (isEnding && inUse === 0) ended.resolve();
    };
    return {
      options: pool.options,
      async connect() {
        if (isEnding) throw new Error('Cannot use a pool after calling end on the pool');
        inUse += 1;
        try {
          return notifyOfRelease(await pool.connect(), giveBack);
        } catch (error) {
          giveBack();
          throw error;
        }
      },
      async end() {
        isEnding = true;
        if (inUse > 0) await ended.promise;
      },
      readUse: () => ({ total: inUse, idle: 0, waiting: pool.waitingCount }),
    };
  }

  /**
   * Deletes the rows of all tables, for the next test. Other connections, which the test has left open, are ended, so that none
   * of them writes later.
   */
  async emptyDatabase(): Promise<void> {
    await this.#discardSettings();
    const client = await this.#pool.connect();
    try {
      deleteRowsSql ??= await createDeleteRowsSql(client);
      await client.query(`${END_OTHERS_SQL}; ${deleteRowsSql}`);
    } finally {
      client.release();
    }
  }

  /** Gives the connections the settings, locks and temporary tables of new ones: none. Closes those that are broken. */
  async #discardSettings(): Promise<void> {
    const idle = Array.from({ length: this.#pool.idleCount }, () => this.#pool.connect());
    for (const client of await Promise.all(idle)) {
      const isBroken = await client.query('DISCARD ALL').then(
        () => false,
        () => true,
      );
      client.release(isBroken);
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}

function notifyOfRelease(client: pg.PoolClient, onRelease: () => void): pg.PoolClient {
  const { release } = client;
  return Object.assign(client, {
    release(error?: Error | boolean) {
      release(error);
      onRelease();
    },
  });
}

const END_OTHERS_SQL = `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name <> '${APPLICATION_NAME}'`;

/** Without the triggers of foreign keys: every table is emptied. */
async function createDeleteRowsSql(client: pg.PoolClient): Promise<string> {
  const { rows } = await client.query<{ tablename: string }>(
    `SELECT tablename FROM pg_tables
     WHERE schemaname = 'public' AND tablename NOT LIKE 'kysely%' AND tablename <> 'schema_version'`,
  );
  const deletions = rows.map(({ tablename }) => `DELETE FROM ${pg.escapeIdentifier(tablename)}`);
  return ['SET LOCAL session_replication_role = replica', ...deletions].join(';\n');
}
