import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';
import { readDatabaseTime } from './database-time.ts';
import { isPostgres } from './locks.ts';

/** After a crash, another process can run the task so much later. */
const LEASE_MS = 60_000;

/**
 * Runs a task unless another process runs it at the moment. Returns whether it was run. The lock is a row with a lease: a
 * lock of a connection would be lost behind a connection pooler.
 */
export async function runExclusively(
  database: Database,
  name: string,
  task: () => Promise<void>,
): Promise<boolean> {
  if (!isPostgres(database)) {
    await task();
    return true;
  }
  const holder = randomUUID();
  if (!(await acquireLease(database, name, holder))) return false;
  const timer = setInterval(() => {
    // If it fails, another process may run the task as well, which has no other effect.
    acquireLease(database, name, holder).catch(() => {});
  }, LEASE_MS / 4).unref();
  try {
    await task();
  } finally {
    clearInterval(timer);
    await database
      .deleteFrom('lease')
      .where('name', '=', name)
      .where('holder', '=', holder)
      .execute();
  }
  return true;
}

/** Acquires or extends a lease. Returns false if another process has it. */
async function acquireLease(database: Database, name: string, holder: string): Promise<boolean> {
  const now = await readDatabaseTime(database);
  const lease = { holder, ends_at: new Date(now.getTime() + LEASE_MS).toISOString() };
  const { numInsertedOrUpdatedRows = 0n } = await database
    .insertInto('lease')
    .values({ name, ...lease })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet(lease)
        .where(({ or, eb }) =>
          or([eb('lease.holder', '=', holder), eb('lease.ends_at', '<', now.toISOString())]),
        ),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}
