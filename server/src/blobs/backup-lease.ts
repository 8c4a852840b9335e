import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '../database/database.ts';
import { readDatabaseTime } from '../database/database-time.ts';

const RENEWAL_INTERVAL_MS = 30_000;
/** Much longer than the interval, by the clock of the database. After a crash, blobs are kept for so long. */
const LEASE_MS = 10 * 60_000;

/** No blob is deleted until this is disposed. `lost` says whether it was not renewed in time, at any moment. */
export type BackupLease = AsyncDisposable & { readonly lost: boolean };

/** The database of the lease. While a transaction uses its only connection, the lease is not renewed. */
export type LeaseData = {
  database: Database;
  /** Runs a change that must work on a full disk. */
  runWithReserve<T>(operation: () => Promise<T>): Promise<T>;
};

/** Keeps the service from deleting blobs: a backup has the rows that reference them. */
export async function acquireBackupLease({
  database,
  runWithReserve,
}: LeaseData): Promise<BackupLease> {
  const id = randomUUID();
  let renewedAtMs = Date.now();
  let lost = false;
  // By the clock of this machine: the time since then, before which the last renewal was sent.
  const hasExpired = () => Date.now() - renewedAtMs > LEASE_MS / 2;
  await runWithReserve(async () => insertLease(database, id, await readDatabaseTime(database)));
  let renewing: Promise<void> | undefined;
  const renew = async () => {
    const startMs = Date.now();
    const renewed_at = (await readDatabaseTime(database)).toISOString();
    await database.updateTable('backup').set({ renewed_at }).where('id', '=', id).execute();
    lost ||= hasExpired();
    renewedAtMs = startMs;
  };
  const timer = setInterval(() => {
    renewing ??= runWithReserve(renew)
      .catch(() => {
        // It is tried again at the next interval.
      })
      .finally(() => {
        renewing = undefined;
      });
  }, RENEWAL_INTERVAL_MS).unref();
  return {
    get lost() {
      return lost || hasExpired();
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await renewing;
      const remove = () => database.deleteFrom('backup').where('id', '=', id).execute();
      await runWithReserve(remove).catch(() => {
        // The lease ends later. The backup has its result, or another error.
      });
    },
  };
}

async function insertLease(database: Database, id: string, now: Date): Promise<void> {
  const time = now.toISOString();
  await database.deleteFrom('backup').where('renewed_at', '<', toLeaseStart(now)).execute();
  const values = { id, started_at: time, renewed_at: time };
  await database.insertInto('backup').values(values).execute();
}

/** Whether a backup is being made. */
export async function isBackupRunning(database: Database | Transaction): Promise<boolean> {
  const now = await readDatabaseTime(database);
  const row = await database
    .selectFrom('backup')
    .select('id')
    .where('renewed_at', '>=', toLeaseStart(now))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function toLeaseStart(now: Date): string {
  return new Date(now.getTime() - LEASE_MS).toISOString();
}
