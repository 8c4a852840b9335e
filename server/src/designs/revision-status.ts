import type { Transaction } from '../database/database.ts';
import { removeEarlyPreview } from '../processing/early-preview-store.ts';
import type { RevisionRecord, RevisionStatus } from '../processing/revision.ts';
import { updateDesignRow } from './update-design-row.ts';

/** Sets the status of a revision, and the status of its design. The preview is only shown early while it is being processed. */
export async function setRevisionStatus(
  trx: Transaction,
  { id, designId }: RevisionRecord,
  status: RevisionStatus,
  now: Date,
): Promise<void> {
  await trx.updateTable('revision').set({ status }).where('id', '=', id).execute();
  if (status !== 'processing') await removeEarlyPreview(id, trx);
  await updateDesignStatus(trx, designId, now);
}

/** The status of a design is that of its latest revision. */
export async function updateDesignStatus(
  trx: Transaction,
  designId: string,
  now: Date,
): Promise<void> {
  const latest = await trx
    .selectFrom('revision')
    .select('status')
    .where('design_id', '=', designId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (latest === undefined) return;
  await updateDesignRow(trx, designId)
    .set({ status: latest.status, updated_at: now.toISOString() })
    .execute();
}
