import { Problem } from '@cloche/contract/problem';
import type { Transaction } from '../database/database.ts';
import type { RevisionRecord } from '../processing/revision.ts';
import type { RevisionSummary } from './design.ts';

/**
 * Asserts that a revision is neither the one that embeds show nor the only one.
 *
 * @throws {Problem} revision.shown, revision.last
 */
export async function assertRemovable(
  trx: Transaction,
  { id, designId, number }: RevisionRecord,
): Promise<void> {
  const design = await trx
    .selectFrom('design')
    .select('revision_id')
    .where('id', '=', designId)
    .executeTakeFirst();
  if (design?.revision_id === id) {
    throw new Problem('revision.shown', {
      field: 'path.number',
      detail: `path.number: embeds show revision ${number}. Show another one with PATCH /v1/designs/${designId} first, or delete the design.`,
    });
  }
  const other = await trx
    .selectFrom('revision')
    .select('id')
    .where('design_id', '=', designId)
    .where('id', '!=', id)
    .limit(1)
    .executeTakeFirst();
  if (other !== undefined) return;
  throw new Problem('revision.last', {
    field: 'path.number',
    detail: `path.number: revision ${number} is the only one. Delete the design instead, or upload another model first.`,
  });
}

/** For a revision that cannot be cancelled any more. */
export function createEndedError({ status, revision: { number } }: RevisionSummary): Problem {
  return new Problem('revision.ended', {
    field: 'path.number',
    detail: `path.number: revision ${number} is ${status}, so there is nothing to cancel. To remove it, delete it.`,
  });
}
