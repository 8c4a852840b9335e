import { Problem } from '@cloche/contract/problem';
import type { ReadyRevision } from './design.ts';
import type { RevisionStore } from './revision-store.ts';

/** PostgreSQL refuses to compare the column with larger numbers. */
const MAX_NUMBER = 2 ** 31 - 1;

/** Returns the revision with a number from a request. @throws {Problem} request.invalid */
export async function getReadyRevision(
  revisions: Pick<RevisionStore, 'findReady'>,
  designId: string,
  number: number,
): Promise<ReadyRevision> {
  const revision = number > MAX_NUMBER ? undefined : await revisions.findReady(designId, number);
  if (revision !== undefined) return revision;
  throw new Problem('request.invalid', {
    field: 'revision',
    detail: `revision: the design has no revision ${number} that is ready. GET /v1/designs/${designId}/revisions lists its revisions.`,
  });
}
