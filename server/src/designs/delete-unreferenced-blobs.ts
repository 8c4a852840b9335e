import type { BlobStore } from '../blobs/blob-store.ts';
import type { RevisionStore } from './revision-store.ts';

/** Minimum age of a deleted blob. A blob is stored before the row that references it is committed. */
const GRACE_PERIOD_MS = 24 * 60 * 60 * 1000;

/**
 * Garbage collection: deletes the blobs that no design has referenced for a day, until `signal` aborts.
 * Returns how many were deleted.
 */
export async function deleteUnreferencedBlobs(
  blobs: BlobStore,
  revisions: Pick<RevisionStore, 'isBlobReferenced'>,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  const cutoff = new Date(now.getTime() - GRACE_PERIOD_MS);
  let deletedCount = 0;
  for await (const { ref, storedAt } of blobs.list()) {
    if (signal?.aborted) break;
    if (storedAt >= cutoff || (await revisions.isBlobReferenced(ref))) continue;
    // The store compares the time again: the same bytes may have been uploaded since they were listed.
    if (await blobs.remove(ref, cutoff)) deletedCount += 1;
  }
  return deletedCount;
}
