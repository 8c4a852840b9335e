import type { BlobRef, FileBlobStore } from '../blobs/blob-store.ts';
import { SharedBlobStore } from '../blobs/shared-blob-store.ts';
import type { Database } from '../database/database.ts';
import { isPostgres } from '../database/locks.ts';
import { runExclusively } from '../database/run-exclusively.ts';
import { isBlobNeeded } from '../designs/blob-references.ts';
import { listDeletableBlobs, toCutoff } from '../designs/delete-unreferenced-blobs.ts';
import { InstallationError } from './installation-error.ts';

type CollectGarbageOptions = {
  database: Database;
  blobs: FileBlobStore;
  isBucket: boolean;
  /** Only counts. */
  dryRun: boolean;
  now: Date;
};

/** The blobs that were deleted, or would be. */
export type CollectedGarbage = { count: number; bytes: number };

/**
 * Deletes the blobs that no row references and that were stored more than a day ago, as the service does every hour.
 *
 * @throws {InstallationError} a node does so at this moment
 */
export async function collectGarbage({
  database,
  blobs,
  isBucket,
  dryRun,
  now,
}: CollectGarbageOptions): Promise<CollectedGarbage> {
  const result = { count: 0, bytes: 0 };
  const store =
    isPostgres(database) || isBucket
      ? new SharedBlobStore(blobs, database, { isNeeded: isBlobNeeded })
      : blobs;
  const needed = { isBlobNeeded: (ref: BlobRef) => isBlobNeeded(database, ref) };
  const run = async () => {
    for await (const { ref, sizeBytes } of listDeletableBlobs(store, needed, now)) {
      if (!dryRun && !(await store.remove(ref, toCutoff(now)))) continue;
      result.count += 1;
      result.bytes += sizeBytes;
    }
  };
  if (dryRun) await run();
  else if (!(await runExclusively(database, 'blobs', run)))
    throw new InstallationError('A node deletes unreferenced files at this moment. Run it later.');
  return result;
}
