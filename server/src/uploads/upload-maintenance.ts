import { Problem } from '@cloche/contract/problem';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/database.ts';
import { runExclusively } from '../database/run-exclusively.ts';
import { recycleWal } from '../database/sqlite.ts';
import { isStorageFull, type Reserve } from '../disk/disk-reserve.ts';
import type { Logger } from '../http/logger.ts';
import { removeSegments, type UploadCompleter } from './complete-upload.ts';
import { removeUpload } from './remove-upload.ts';
import type { TusUploadStore } from './tus-upload-store.ts';
import type { UploadLeases } from './upload-leases.ts';
import type { UploadSegments } from './upload-segments.ts';

export type UploadMaintenanceDependencies = {
  database: Database;
  /** The id of this node. */
  node: string;
  tusUploads: TusUploadStore;
  segments: UploadSegments;
  leases: UploadLeases;
  completer: UploadCompleter;
  reserve: Reserve;
  log: Pick<Logger, 'info' | 'error'>;
  now: () => Date;
};

type CleanupDependencies = Omit<
  UploadMaintenanceDependencies,
  'database' | 'node' | 'completer' | 'reserve'
>;

const INTERVAL_MS = 60 * 60 * 1000;
/** The node that received an upload completes it within this time, unless it has stopped. */
const COMPLETION_MS = 10 * 60 * 1000;

/**
 * Completes uploads that were fully received before a crash, and deletes what is no longer needed: at the start, and every
 * hour on one of the nodes.
 */
export function scheduleUploadMaintenance(
  app: FastifyInstance,
  dependencies: UploadMaintenanceDependencies,
): void {
  const { database, leases, completer, reserve, log } = dependencies;
  const stopping = new AbortController();
  let pending: Promise<void> = Promise.resolve();
  const run = (task: () => Promise<void>) => {
    pending = pending
      .then(task)
      .catch((error: unknown) => log.error({ err: error }, 'upload maintenance failed'));
  };
  const cleanUp = async () => {
    await completeReceivedUploads(dependencies, stopping.signal);
    await runExclusively(database, 'uploads', () =>
      reserve.run(
        () => deleteUnneededUploads(dependencies, stopping.signal),
        () => recycleWal(database),
      ),
    );
  };
  const timer = setInterval(run, INTERVAL_MS, cleanUp).unref();
  app.addHook('onReady', async () => {
    await leases.releaseOwn();
    run(cleanUp);
  });
  app.addHook('onClose', async () => {
    stopping.abort();
    clearInterval(timer);
    await pending;
    await completer.waitUntilIdle();
  });
}

/** Completes what this node has received, and what another one that has stopped did not complete. */
async function completeReceivedUploads(
  { tusUploads, completer, node, log, now }: UploadMaintenanceDependencies,
  signal: AbortSignal,
): Promise<void> {
  const startedBefore = new Date(now().getTime() - COMPLETION_MS);
  for (const { id, changedAt, ...upload } of await tusUploads.listReceived()) {
    if (signal.aborted) return;
    if (upload.node !== node && changedAt > startedBefore) continue;
    try {
      const completed = await completer.complete(id);
      log.info({ upload: id, ...completed }, 'completed a fully received upload');
    } catch (error) {
      // The next HEAD request, the next start or the next run tries again.
      log.error({ err: error, upload: id }, 'completing an upload failed');
    }
  }
}

/**
 * Deletes expired uploads that no request holds, and bytes that a crash has left. Logs how many of the uploads were
 * incomplete.
 */
export async function deleteUnneededUploads(
  dependencies: CleanupDependencies,
  signal?: AbortSignal,
): Promise<void> {
  const { tusUploads, segments, leases, log, now } = dependencies;
  /** An upload that cannot be deleted must not keep others from being deleted. */
  const attempt = async (id: string, operation: () => Promise<void>) => {
    try {
      await operation();
    } catch (error) {
      // Everything is tried again with more space.
      if (isStorageFull(error)) throw error;
      log.error({ err: error, upload: id }, 'deleting an upload failed');
    }
  };
  let deletedUploads = 0;
  for (const { id, result } of await tusUploads.listExpired(now())) {
    if (signal?.aborted) return;
    await attempt(id, async () => {
      // Undefined also if its client has removed it meanwhile.
      const lease = await leases.acquire(id).catch(ignoreUnknown);
      if (lease === undefined) return;
      await removeUpload(id, dependencies);
      if (result === undefined) deletedUploads += 1;
    });
  }
  if (deletedUploads > 0)
    log.info({ deletedUploads }, 'deleted expired uploads that were incomplete');
  for (const id of await tusUploads.listCompletedWithSegments())
    await attempt(id, () => removeSegments(id, dependencies));
  for await (const id of segments.listUploadIds()) {
    if (signal?.aborted) return;
    await attempt(id, async () => {
      // The row of an upload is written before its bytes.
      if ((await tusUploads.find(id)) === undefined) await segments.removeAll(id);
    });
  }
}

function ignoreUnknown(error: unknown): undefined {
  if (!(error instanceof Problem && error.code === 'upload.unknown')) throw error;
}
