import type { Transaction } from '../database/database.ts';
import { publishEvent } from '../events/publish-event.ts';
import { removeEarlyPreview } from '../processing/early-preview-store.ts';
import type { RevisionRecord, RevisionStatus } from '../processing/revision.ts';
import { updateDesignRow } from './update-design-row.ts';

/** Sets the status of a revision, and the status of its design. The preview is only shown early while it is being processed. */
export async function setRevisionStatus(
  trx: Transaction,
  revision: RevisionRecord,
  status: RevisionStatus,
  now: Date,
): Promise<void> {
  await trx.updateTable('revision').set({ status }).where('id', '=', revision.id).execute();
  if (status !== 'processing') await removeEarlyPreview(revision.id, trx);
  await updateDesignStatus(trx, revision.designId, now);
  await publishRevisionChange(revision, trx);
}

/** Tells other nodes that a revision, and thereby its design, was changed or deleted. */
export function publishRevisionChange(
  { id, designId }: Pick<RevisionRecord, 'id' | 'designId'>,
  trx: Transaction,
): Promise<void> {
  return publishEvent({ topic: 'design', id: designId, revisionIds: [id] }, trx);
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
