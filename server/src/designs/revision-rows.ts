import { Revision } from '@cloche/contract/design';
import type { RevisionRow } from '../database/database.ts';
import { assertResponse } from '../http/assert-response.ts';
import { readStoredData } from '../http/stored-data.ts';
import type { RevisionRecord, RevisionStatus } from '../processing/revision.ts';
import type { RevisionSummary } from './design.ts';
import {
  type SourceFileColumns,
  toRevisionProblem,
  toSourceFile,
  toSourceFileColumns,
} from './rows.ts';
import { toRevision } from './serialize.ts';

type RevisionColumns = Pick<RevisionRow, 'id' | 'design_id' | 'number'> & SourceFileColumns;
export type SummaryColumns = RevisionColumns &
  Pick<RevisionRow, 'status' | 'problem' | 'created_at'>;

/** @throws {Problem} server.damaged */
export function toSummary(row: SummaryColumns): Promise<RevisionSummary> {
  return readStoredData(`The revision ${row.number}`, () => {
    const summary: RevisionSummary = {
      revision: toRevisionRecord(row),
      status: row.status as RevisionStatus,
      problem: toRevisionProblem(row),
      createdAt: new Date(row.created_at),
    };
    assertResponse(Revision, toRevision(summary, { revision: undefined }));
    return summary;
  });
}

export function toRevisionRecord(row: RevisionColumns): RevisionRecord {
  return { id: row.id, designId: row.design_id, number: row.number, source: toSourceFile(row) };
}

/** Returns the row of a queued revision. */
export function toRevisionRow(
  { id, designId, number, source }: RevisionRecord,
  now: Date,
): RevisionRow {
  return {
    id,
    design_id: designId,
    number,
    status: 'queued',
    ...toSourceFileColumns(source),
    stats: null,
    report: null,
    poster_placeholder: null,
    problem: null,
    created_at: now.toISOString(),
  };
}
