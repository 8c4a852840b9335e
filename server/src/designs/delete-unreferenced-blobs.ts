import type { BlobRef, BlobStore, StoredBlob } from '../blobs/blob-store.ts';
import type { RevisionStore } from './revision-store.ts';

/** Younger blobs are not deleted: a blob is stored before the row that references it is committed. */
const GRACE_PERIOD_MS = 24 * 60 * 60 * 1000;

/**
 * Deletes the blobs that no revision references and that were stored more than a day ago. Stops early
 * when `signal` aborts. Returns the number of deleted blobs.
 */
export async function deleteUnreferencedBlobs(
  blobs: BlobStore,
  revisions: Pick<RevisionStore, 'isBlobNeeded'>,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  const cutoff = toCutoff(now);
  let deletedCount = 0;
  for await (const { ref } of listDeletableBlobs(blobs, revisions, now)) {
    if (signal?.aborted) break;
    // The store compares the time again: the same bytes may have been uploaded since they were listed.
    if (await blobs.remove(ref, cutoff)) deletedCount += 1;
  }
  return deletedCount;
}

/** Lists the blobs that `deleteUnreferencedBlobs` deletes. */
export async function* listDeletableBlobs(
  blobs: Pick<BlobStore, 'list'>,
  revisions: Pick<RevisionStore, 'isBlobNeeded'>,
  now: Date,
): AsyncGenerator<StoredBlob> {
  const cutoff = toCutoff(now);
  for await (const blob of blobs.list()) {
    if (blob.storedAt < cutoff && !(await revisions.isBlobNeeded(blob.ref))) yield blob;
  }
}

/** Blobs that were stored later are not deleted. */
export function toCutoff(now: Date): Date {
  return new Date(now.getTime() - GRACE_PERIOD_MS);
}

/**
 * Deletes those of the blobs that no revision references, however recently they were stored. The store
 * keeps a blob that a request is storing at this moment.
 */
export async function deleteBlobsIfUnreferenced(
  blobs: BlobStore,
  revisions: Pick<RevisionStore, 'isBlobNeeded'>,
  refs: readonly BlobRef[],
): Promise<void> {
  for (const ref of refs) {
    if (!(await revisions.isBlobNeeded(ref))) await blobs.remove(ref);
  }
}
