import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export type SessionLockOptions = {
  url: string;
  /** Two locks with the same name exclude each other, in one database. */
  name: string;
  /** Called once if another process has the lock after the connection was lost. */
  onLost: () => void;
  onError: (error: Error) => void;
};

const RETRY_INTERVAL_MS = 250;

/**
 * Acquires a lock that the database releases when this process ends, also after a crash. If the connection is
 * lost, it is opened again and the lock acquired again. Returns undefined if another process has the lock.
 */
export async function tryAcquireSessionLock(
  options: SessionLockOptions,
): Promise<AsyncDisposable | undefined> {
  const lock = new SessionLock(options);
  return (await lock.acquire()) ? lock : undefined;
}

class SessionLock implements AsyncDisposable {
  readonly #options: SessionLockOptions;
  #client: pg.Client | undefined;
  #closed = false;

  constructor(options: SessionLockOptions) {
    this.#options = options;
  }

  async acquire(): Promise<boolean> {
    const { url, name, onError } = this.#options;
    const client = new pg.Client({
      connectionString: url,
      application_name: 'cloche lock',
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      keepAlive: true,
    });
    client.on('error', onError);
    try {
      await client.connect();
      // The database notices within a minute that the machine of this process was switched off.
      await client.query(
        'SET tcp_keepalives_idle = 20; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3',
      );
      const { rows } = await client.query(
        'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked',
        [`cloche:${name}`],
      );
      if (rows[0]?.locked !== true) {
        await client.end();
        return false;
      }
    } catch (error) {
      client.end().catch(() => {
        // It was not connected.
      });
      throw error;
    }
    this.#client = client;
    client.on('end', () => void this.#acquireAgain());
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#client?.end();
  }

  async #acquireAgain(): Promise<void> {
    while (!this.#closed) {
      await sleep(RETRY_INTERVAL_MS, undefined, { ref: false });
      if (this.#closed) return;
      try {
        if (!(await this.acquire())) this.#options.onLost();
        return;
      } catch (error) {
        this.#options.onError(error as Error);
      }
    }
  }
}
