import { isBackupRunning } from '../blobs/backup-lease.ts';
import type { BlobRef } from '../blobs/blob-store.ts';
import type { Database, Transaction } from '../database/database.ts';

/** Whether a revision or an artifact references the blob. */
export async function isBlobReferenced(
  database: Database | Transaction,
  blob: BlobRef,
): Promise<boolean> {
  const source = await database
    .selectFrom('revision')
    .select('id')
    .where('source_blob', '=', blob)
    .limit(1)
    .executeTakeFirst();
  if (source !== undefined) return true;
  const artifact = await database
    .selectFrom('artifact')
    .select('kind')
    .where(({ eb, or }) => or([eb('blob', '=', blob), eb('brotli_blob', '=', blob)]))
    .limit(1)
    .executeTakeFirst();
  return artifact !== undefined;
}

/** Whether a blob must be kept: a row references it, or a backup is being made, which may need it. */
export async function isBlobNeeded(
  database: Database | Transaction,
  blob: BlobRef,
): Promise<boolean> {
  return (await isBlobReferenced(database, blob)) || isBackupRunning(database);
}
