import type { BlobStore } from '../blobs/blob-store.ts';
import type { RevisionStore } from './revision-store.ts';

/** A blob is kept before its row is committed, so a fresh one may only look forgotten. */
const GRACE_PERIOD_MS = 24 * 60 * 60 * 1000;

/** Removes blobs that no design has had for a day, until `stop`. Tells how many. */
export async function deleteUnreferencedBlobs(
  blobs: BlobStore,
  uploads: RevisionStore,
  now: Date,
  stop?: AbortSignal,
): Promise<number> {
  const limit = new Date(now.getTime() - GRACE_PERIOD_MS);
  let swept = 0;
  for await (const { ref, keptAt } of blobs.list()) {
    if (stop?.aborted) break;
    if (keptAt >= limit || (await uploads.isBlobReferenced(ref))) continue;
    // Asked for the limit once more: the same bytes may have come again since they were listed.
    if (await blobs.remove(ref, limit)) swept += 1;
  }
  return swept;
}
