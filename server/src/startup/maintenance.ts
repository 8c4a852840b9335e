import type { FastifyInstance } from 'fastify';
import type { BlobStore } from '../blobs/blob-store.ts';
import { deleteEndedRetentions } from '../blobs/shared-blob-store.ts';
import type { Database } from '../database/database.ts';
import { readDatabaseTime } from '../database/database-time.ts';
import { isPostgres } from '../database/locks.ts';
import { runExclusively } from '../database/run-exclusively.ts';
import { deleteUnreferencedBlobs } from '../designs/delete-unreferenced-blobs.ts';
import type { RevisionStore } from '../designs/revision-store.ts';
import type { Reserve } from '../disk/disk-reserve.ts';
import { deleteChanges } from '../events/delete-changes.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import type { Logger } from '../http/logger.ts';
import type { TokenStore } from '../tokens/token-store.ts';

type MaintenanceDependencies = {
  database: Database;
  tokens: TokenStore;
  revisions: RevisionStore;
  idempotency: IdempotencyStore;
  blobs: BlobStore;
  reserve: Reserve;
  log: Logger;
  now: () => Date;
};

const FLUSH_INTERVAL_MS = 5_000;
const CLEANUP_INTERVAL_MS = 60 * 60 * 1000;
const CHANGE_CLEANUP_INTERVAL_MS = 10 * 60 * 1000;
/** Shorter than the interval, so that a service that is restarted every hour deletes blobs too. */
const FIRST_CLEANUP_DELAY_MS = 60 * 1000;

/** Schedules periodic tasks. Each of them may run late or fail. */
export function scheduleMaintenance(
  app: FastifyInstance,
  { database, tokens, revisions, idempotency, blobs, reserve, log, now }: MaintenanceDependencies,
): void {
  const stopping = new AbortController();
  const refillReserve = async () => void reserve.refill();
  const flushUsage = () => tokens.usage.flush();
  // Separate from `deleteBlobs`: on a full disk this task fails, but `deleteBlobs` must run to free space.
  const deleteExpiredKeys = async () => {
    await runExclusively(database, 'idempotency keys', () => idempotency.deleteExpired(now()));
  };
  const deleteOldChanges = async () => {
    if (!isPostgres(database)) return;
    await runExclusively(database, 'changes', async () => {
      await deleteChanges(database);
      await deleteEndedRetentions(database, await readDatabaseTime(database));
    });
  };
  const deleteBlobs = async () => {
    await runExclusively(database, 'blobs', deleteBlobsNow);
  };
  const deleteBlobsNow = async () => {
    const deletedBlobs = await deleteUnreferencedBlobs(blobs, revisions, now(), stopping.signal);
    if (deletedBlobs > 0) log.info({ deletedBlobs }, 'deleted unreferenced blobs');
  };
  const running = new Map<() => Promise<void>, Promise<void>>();
  const run = (task: () => Promise<void>) => {
    const logError = (error: unknown) => log.error({ err: error }, 'a maintenance task failed');
    running.set(task, task().catch(logError));
  };
  const timers = [
    setInterval(run, FLUSH_INTERVAL_MS, flushUsage).unref(),
    setInterval(run, FLUSH_INTERVAL_MS, refillReserve).unref(),
    setInterval(run, CLEANUP_INTERVAL_MS, deleteExpiredKeys).unref(),
    setInterval(run, CHANGE_CLEANUP_INTERVAL_MS, deleteOldChanges).unref(),
    setInterval(run, CLEANUP_INTERVAL_MS, deleteBlobs).unref(),
    setTimeout(run, FIRST_CLEANUP_DELAY_MS, deleteBlobs).unref(),
  ];
  app.addHook('onClose', async () => {
    for (const timer of timers) clearInterval(timer);
    stopping.abort();
    await Promise.all(running.values());
    // Only when tokens were last used is lost, for example on a full disk.
    await flushUsage().catch((err) => log.warn({ err }, 'storing the use of tokens failed'));
  });
}
