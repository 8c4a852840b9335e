import type { FastifyInstance } from 'fastify';
import type { Logger } from '../http/logger.ts';
import type { UploadCompleter } from './complete-upload.ts';
import { isExpired, type TusUpload } from './tus-upload.ts';
import type { TusUploadStore } from './tus-upload-store.ts';
import type { UploadLocker } from './upload-locker.ts';

type UploadMaintenanceDependencies = {
  tusUploads: TusUploadStore;
  locker: UploadLocker;
  completer: UploadCompleter;
  log: Pick<Logger, 'info' | 'error'>;
  now: () => Date;
};

const CLEANUP_INTERVAL_MS = 60 * 60 * 1000;

/** Finishes at the start what a crash left whole, and removes now and then what is over. */
export function scheduleUploadMaintenance(
  app: FastifyInstance,
  given: UploadMaintenanceDependencies,
): void {
  let isStopping = false;
  let working: Promise<void> = Promise.resolve();
  const begin = (work: () => Promise<void>) => {
    const fail = (error: unknown) => given.log.error({ err: error }, 'keeping uploads failed');
    working = working.then(work).catch(fail);
  };
  const timer = setInterval(
    () => begin(() => deleteExpiredUploads(given)),
    CLEANUP_INTERVAL_MS,
  ).unref();

  app.addHook('onReady', async () => {
    begin(async () => {
      for (const arrival of given.tusUploads.listAll()) {
        if (isStopping) return;
        await completeIfReceived(given, arrival);
      }
    });
  });
  app.addHook('onClose', async () => {
    isStopping = true;
    clearInterval(timer);
    await working;
    await given.completer.waitUntilIdle();
  });
}

async function completeIfReceived(
  { tusUploads, completer, log }: UploadMaintenanceDependencies,
  arrival: TusUpload,
) {
  const { id, sizeBytes, result } = arrival;
  if (result !== undefined || (await tusUploads.getOffset(arrival)) !== sizeBytes) return;
  try {
    const now = await completer.complete(id);
    log.info({ upload: id, ...now }, 'finished an upload that was whole at the start');
  } catch (error) {
    // Tried again when its owner asks, or at the next start.
    log.error({ err: error, upload: id }, 'could not finish an upload');
  }
}

/** Removes what is over and not just now in use; tells how many of them were not finished. */
export async function deleteExpiredUploads({
  tusUploads,
  locker,
  log,
  now,
}: Omit<UploadMaintenanceDependencies, 'completer'>): Promise<void> {
  const over = tusUploads
    .listAll()
    .filter((one) => isExpired(one, now()) && !locker.isLocked(one.id));
  for (const { id } of over) await tusUploads.remove(id);
  const unfinished = over.filter(({ result }) => result === undefined).length;
  if (unfinished > 0) log.info({ swept: unfinished }, 'removed uploads that were not finished');
}
