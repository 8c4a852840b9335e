import type { FastifyInstance } from 'fastify';
import type { Logger } from '../http/logger.ts';
import type { UploadCompleter } from './complete-upload.ts';
import { isExpired, type TusUpload } from './tus-upload.ts';
import type { TusUploadStore } from './tus-upload-store.ts';
import type { UploadLocker } from './upload-locker.ts';

export type UploadMaintenanceDependencies = {
  tusUploads: TusUploadStore;
  locker: UploadLocker;
  completer: UploadCompleter;
  log: Pick<Logger, 'info' | 'error'>;
  now: () => Date;
};

const CLEANUP_INTERVAL_MS = 60 * 60 * 1000;

/** Completes uploads that were fully received before a crash, and deletes expired ones every hour. */
export function scheduleUploadMaintenance(
  app: FastifyInstance,
  dependencies: UploadMaintenanceDependencies,
): void {
  const { tusUploads, completer, log } = dependencies;
  let isStopping = false;
  let pending: Promise<void> = Promise.resolve();
  const run = (task: () => Promise<void>) => {
    pending = pending
      .then(task)
      .catch((error: unknown) => log.error({ err: error }, 'upload maintenance failed'));
  };
  const cleanup = () => run(() => deleteExpiredUploads(dependencies));
  const timer = setInterval(cleanup, CLEANUP_INTERVAL_MS).unref();

  app.addHook('onReady', async () => {
    run(async () => {
      for (const upload of await tusUploads.listAll()) {
        if (isStopping) return;
        await completeIfReceived(dependencies, upload);
      }
    });
  });
  app.addHook('onClose', async () => {
    isStopping = true;
    clearInterval(timer);
    await pending;
    await completer.waitUntilIdle();
  });
}

async function completeIfReceived(
  { tusUploads, completer, log }: UploadMaintenanceDependencies,
  upload: TusUpload,
): Promise<void> {
  const { id, sizeBytes, result } = upload;
  if (result !== undefined || (await tusUploads.getOffset(upload)) !== sizeBytes) return;
  try {
    const completed = await completer.complete(id);
    log.info({ upload: id, ...completed }, 'completed a fully received upload at startup');
  } catch (error) {
    // The next HEAD request or the next start tries again.
    log.error({ err: error, upload: id }, 'completing an upload failed');
  }
}

/** Deletes expired uploads that are not locked. Logs how many of them were incomplete. */
export async function deleteExpiredUploads({
  tusUploads,
  locker,
  log,
  now,
}: Omit<UploadMaintenanceDependencies, 'completer'>): Promise<void> {
  const uploads = await tusUploads.listAll();
  const expired = uploads.filter(
    (upload) => isExpired(upload, now()) && !locker.isLocked(upload.id),
  );
  for (const { id } of expired) await tusUploads.remove(id);
  const deletedUploads = expired.filter(({ result }) => result === undefined).length;
  if (deletedUploads > 0)
    log.info({ deletedUploads }, 'deleted expired uploads that were incomplete');
}
