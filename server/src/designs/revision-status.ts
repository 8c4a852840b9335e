import type { Transaction } from '../database/database.ts';
import type { RevisionRecord, RevisionStatus } from '../processing/revision.ts';

/** Sets the status of a revision, and the status of its design. */
export async function setRevisionStatus(
  trx: Transaction,
  { id, designId }: RevisionRecord,
  status: RevisionStatus,
  now: Date,
): Promise<void> {
  await trx.updateTable('revision').set({ status }).where('id', '=', id).execute();
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
  await trx
    .updateTable('design')
    .set({ status: latest.status, updated_at: now.toISOString() })
    .where('id', '=', designId)
    .execute();
}
