import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import type { Logger } from '../http/logger.ts';

type Log = Pick<Logger, 'info' | 'warn'>;

/** Logs what a migration waits for, until it is disposed. */
export type MigrationWatch = AsyncDisposable & {
  /** Receives the transaction of the migration, at its begin. */
  onBegin(trx: Transaction): Promise<void>;
};

/** What a transaction waits for, and the sessions that have it. */
type LockWait = { lock: string; sessions: string };

/** A shorter wait is not logged. */
const CHECK_INTERVAL_MS = 3_000;

/**
 * Watches a migration over a second connection. It waits for other sessions without a limit, such as for one that reads a table that
 * it changes: without a message, an operator would see a service that does not start.
 */
export function watchMigration(database: Database, log: Log): MigrationWatch {
  const ended = new AbortController();
  let running: Promise<void> | undefined;
  return {
    onBegin: async (trx) => {
      const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(trx);
      running = logWaits(database, rows[0]?.pid ?? 0, log, ended.signal);
    },
    [Symbol.asyncDispose]: async () => {
      ended.abort();
      await running;
    },
  };
}

/** Logs each change of what a process of the server waits for, until the signal is aborted. */
async function logWaits(database: Database, pid: number, log: Log, ended: AbortSignal) {
  let logged = '';
  for (;;) {
    await sleep(CHECK_INTERVAL_MS, undefined, { signal: ended }).catch(() => {});
    // An error of the connection ends the migration, which reports it.
    const wait = ended.aborted
      ? undefined
      : await findLockWait(database, pid).catch(() => undefined);
    const found = wait === undefined ? '' : `${wait.lock}, ${wait.sessions}`;
    if (found !== '' && found !== logged)
      log.warn(
        wait ?? {},
        'the update of the database waits for other sessions to end their transactions',
      );
    if (found === '' && logged !== '')
      log.info('the update of the database no longer waits for other sessions');
    logged = found;
    if (ended.aborted) return;
  }
}

async function findLockWait(database: Database, pid: number): Promise<LockWait | undefined> {
  const { rows } = await sql<LockWait>`
    SELECT CASE locktype WHEN 'advisory' THEN 'the start of another node, which may be updating the database'
        ELSE concat_ws(' on ', mode, relation::regclass) END AS lock,
      (SELECT string_agg(concat_ws(' ', 'process', blocking, application_name, state), ', ' ORDER BY blocking)
        FROM unnest(pg_blocking_pids(pid)) AS blocking LEFT JOIN pg_stat_activity ON pg_stat_activity.pid = blocking
      ) AS sessions
    FROM pg_locks WHERE pid = ${pid} AND NOT granted`.execute(database);
  return rows[0];
}
