import { Problem } from '@cloche/contract/problem';
import type { Transaction } from '../database/database.ts';
import type { ReadyRevision } from './design.ts';

/** PostgreSQL refuses to compare the column with larger numbers. */
const MAX_NUMBER = 2 ** 31 - 1;

type ReadyRevisions = {
  findReady(designId: string, number: number): Promise<ReadyRevision | undefined>;
};

/** Returns the revision with a number from a request. @throws {Problem} request.invalid */
export async function getReadyRevision(
  revisions: ReadyRevisions,
  designId: string,
  number: number,
): Promise<ReadyRevision> {
  const revision = number > MAX_NUMBER ? undefined : await revisions.findReady(designId, number);
  if (revision !== undefined) return revision;
  throw createNotReadyError(designId, number);
}

/**
 * Checks in the transaction that chooses a revision, after it has locked the design, that the revision is still there.
 *
 * @throws {Problem} request.invalid
 */
export async function assertStillReady(
  trx: Transaction,
  designId: string,
  { id, number }: ReadyRevision,
): Promise<void> {
  const row = await trx
    .selectFrom('revision')
    .select('id')
    .where('id', '=', id)
    .where('status', '=', 'ready')
    .executeTakeFirst();
  if (row === undefined) throw createNotReadyError(designId, number);
}

function createNotReadyError(designId: string, number: number): Problem {
  return new Problem('request.invalid', {
    field: 'revision',
    detail: `revision: the design has no revision ${number} that is ready. GET /v1/designs/${designId}/revisions lists its revisions.`,
  });
}
