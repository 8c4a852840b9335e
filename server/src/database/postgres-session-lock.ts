import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ConnectionSockets } from './connection-sockets.ts';

export type SessionLockOptions = {
  url: string;
  /** Two locks with the same name exclude each other, in one database. */
  name: string;
  /** A lock that is acquired too. Several processes can have it, but not while one has it as `name`. */
  sharedName?: string;
  /** Called once if another process has the lock after the connection was lost. */
  onLost: () => void;
  onError: (error: Error) => void;
};

const RETRY_INTERVAL_MS = 250;
/** How long the server may take to end an earlier connection of a lock. */
const MAX_END_MS = 2_000;

/** A lock that is held until it is disposed, except while the connection is lost. */
export type HeldSessionLock = AsyncDisposable & {
  /** @throws {LostLockError} the connection was lost at any time, so another process may have had the lock */
  assertHeld(): Promise<void>;
};

/** The connection of a lock was lost. */
export class LostLockError extends Error {
  override readonly name = 'LostLockError';
}

/** The lock `sharedName` is held by another process, in exclusive mode. */
export class SharedLockError extends Error {
  override readonly name = 'SharedLockError';
}

/**
 * Acquires a lock that the database releases when this process ends, also after a crash. If the connection is
 * lost, it is opened again and the lock acquired again. Returns undefined if another process has the lock.
 *
 * @throws {SharedLockError}
 */
export async function tryAcquireSessionLock(
  options: SessionLockOptions,
): Promise<HeldSessionLock | undefined> {
  const lock = new SessionLock(options);
  const refused = await lock.acquire();
  if (refused === 'sharedName') throw new SharedLockError();
  return refused === undefined ? lock : undefined;
}

class SessionLock implements HeldSessionLock {
  readonly #options: SessionLockOptions;
  /** No other lock, of this process or another one, has connections with this name. */
  readonly #applicationName = `cloche lock ${randomUUID()}`;
  readonly #sockets = new ConnectionSockets();
  #client: pg.Client | undefined;
  #closed = false;
  #wasLost = false;

  constructor(options: SessionLockOptions) {
    this.#options = options;
  }

  /** Returns which lock another process has, or undefined. */
  async acquire(): Promise<'name' | 'sharedName' | undefined> {
    const { url, onError } = this.#options;
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      keepAlive: true,
      stream: this.#sockets.create,
    });
    client.on('error', onError);
    try {
      await client.connect();
      await this.#configure(client);
      const refused = await this.#lock(client);
      // It may have been disposed meanwhile.
      if (refused !== undefined || this.#closed) {
        await client.end();
        return refused;
      }
    } catch (error) {
      client.end().catch(() => {
        // It was not connected.
      });
      throw error;
    }
    this.#client = client;
    client.on('end', () => void this.#acquireAgain());
    return undefined;
  }

  async assertHeld(): Promise<void> {
    // A query finds a connection that is lost and was not reported yet.
    const failed = await this.#client?.query('SELECT 1').then(
      () => undefined,
      (cause: unknown) => ({ cause }),
    );
    if (this.#wasLost || failed !== undefined) throw new LostLockError('', failed);
  }

  async #configure(client: pg.Client): Promise<void> {
    // The database notices within a minute that the machine of this process was switched off.
    await client.query(
      'SET tcp_keepalives_idle = 20; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3',
    );
    // Not an option of the client: a name in the URL would replace it.
    await client.query(`SET application_name = '${this.#applicationName}'`);
  }

  async #lock(client: pg.Client): Promise<'name' | 'sharedName' | undefined> {
    const { name, sharedName } = this.#options;
    if (!(await tryLock(client, name, 'exclusive'))) {
      await this.#endEarlierConnections(client);
      if (!(await tryLock(client, name, 'exclusive'))) return 'name';
    }
    if (sharedName === undefined || (await tryLock(client, sharedName, 'shared'))) return undefined;
    return 'sharedName';
  }

  /** Ends connections that were lost or given up. If the server has not noticed that, one of them may hold the lock. */
  async #endEarlierConnections(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ ended: boolean }>(
      `SELECT pg_terminate_backend(pid, ${MAX_END_MS}) AS ended FROM pg_stat_activity
       WHERE application_name = $1 AND pid <> pg_backend_pid()`,
      [this.#applicationName],
    );
    if (!rows.every(({ ended }) => ended))
      throw new Error('An earlier connection of the lock has not ended');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    void this.#client?.end();
    await this.#sockets.waitUntilClosed();
  }

  async #acquireAgain(): Promise<void> {
    this.#wasLost = true;
    while (!this.#closed) {
      await sleep(RETRY_INTERVAL_MS, undefined, { ref: false });
      if (this.#closed) return;
      try {
        const refused = await this.acquire();
        if (refused !== undefined && !this.#closed) this.#options.onLost();
        return;
      } catch (error) {
        if (!this.#closed) this.#options.onError(error as Error);
      }
    }
  }
}

async function tryLock(
  client: pg.Client,
  name: string,
  mode: 'exclusive' | 'shared',
): Promise<boolean> {
  const lock = mode === 'shared' ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
  const text = `SELECT ${lock}(hashtextextended($1, 0)) AS locked`;
  const { rows } = await client.query(text, [`cloche:${name}`]);
  return rows[0]?.locked === true;
}
