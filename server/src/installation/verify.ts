import type { BlobStore } from '../blobs/blob-store.ts';
import type { Database } from '../database/database.ts';
import { isBlobReferenced } from '../designs/blob-references.ts';
import { listReferencedBlobs } from './blob-list.ts';
import { type BlobDefect, checkBlobs, findBlobDefect, type OnProgress } from './check-blobs.ts';
import { checkRows, type RowDefect } from './check-rows.ts';
import { readSnapshot } from './copy-rows.ts';

/** What `verify` has found. Only defects are errors. */
export type VerifyReport = {
  rows: Record<string, number>;
  rowDefects: RowDefect[];
  blobs: { count: number; bytes: number };
  blobDefects: BlobDefect[];
  /** Blobs that no row references. The service deletes them when they are a day old. */
  unreferenced: { count: number; bytes: number };
};

type VerifyOptions = {
  database: Database;
  blobs: Pick<BlobStore, 'open' | 'list'>;
  onProgress: OnProgress;
};

/** Checks all rows and blobs of an installation, which may be in use. */
export async function verifyInstallation({
  database,
  blobs,
  onProgress,
}: VerifyOptions): Promise<VerifyReport> {
  const { checked, sizes } = await readSnapshot(database, async (snapshot) => ({
    checked: await checkRows(snapshot, onProgress),
    sizes: await listReferencedBlobs(snapshot),
  }));
  const found = await checkBlobs(sizes, (ref) => blobs.open(ref), onProgress);
  const blobDefects: BlobDefect[] = [];
  for (const { ref } of found) {
    // A design may have been deleted since its row was read. A blob that is there now was stored again.
    const reason = await findBlobDefect(ref, sizes.get(ref) ?? 0, (name) => blobs.open(name));
    if (reason !== undefined && (await isBlobReferenced(database, ref)))
      blobDefects.push({ ref, reason });
  }
  const unreferenced = { count: 0, bytes: 0 };
  for await (const { ref, sizeBytes } of blobs.list()) {
    if (sizes.has(ref) || (await isBlobReferenced(database, ref))) continue;
    unreferenced.count += 1;
    unreferenced.bytes += sizeBytes;
  }
  const bytes = sizes.values().reduce((total, size) => total + size, 0);
  return {
    rows: checked.counts,
    rowDefects: checked.defects,
    blobs: { count: sizes.size, bytes },
    blobDefects,
    unreferenced,
  };
}
