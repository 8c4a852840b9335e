import type { BlobRef, BlobStore } from '../blobs/blob-store.ts';
import type { RevisionStore } from './revision-store.ts';

/** Younger blobs are not deleted: a blob is stored before the row that references it is committed. */
const GRACE_PERIOD_MS = 24 * 60 * 60 * 1000;

/**
 * Deletes the blobs that no revision references and that were stored more than a day ago. Stops early
 * when `signal` aborts. Returns the number of deleted blobs.
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

/**
 * Deletes those of the blobs that no revision references, however recently they were stored. The store
 * keeps a blob that a request is storing at this moment.
 */
export async function deleteBlobsIfUnreferenced(
  blobs: BlobStore,
  revisions: Pick<RevisionStore, 'isBlobReferenced'>,
  refs: readonly BlobRef[],
): Promise<void> {
  for (const ref of refs) {
    if (!(await revisions.isBlobReferenced(ref))) await blobs.remove(ref);
  }
}
