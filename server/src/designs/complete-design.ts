import { Design } from '@cloche/contract/design';
import type { Database, DesignRow, Transaction } from '../database/database.ts';
import { assertResponse } from '../http/assert-response.ts';
import { readStoredData } from '../http/stored-data.ts';
import type { RevisionProblem } from '../processing/revision.ts';
import type { DesignRecord } from './design.ts';
import { toDesignRecord, toRevisionProblem } from './rows.ts';
import { toDesign } from './serialize.ts';

/** Converts a row to a design. @throws {Problem} server.damaged */
export function completeDesign(
  row: DesignRow,
  readRelated: () => Promise<Pick<DesignRecord, 'revision' | 'problem'>>,
): Promise<DesignRecord> {
  return readStoredData(`The design ${row.id}`, async () => {
    const design = toDesignRecord(row, await readRelated());
    assertResponse(Design, toDesign(design));
    return design;
  });
}

/** Finds the problem of the latest revision. */
export async function findProblem(
  db: Database | Transaction,
  designId: string,
): Promise<RevisionProblem | undefined> {
  const row = await db
    .selectFrom('revision')
    .select(['problem', 'number'])
    .where('design_id', '=', designId)
    .orderBy('number', 'desc')
    .executeTakeFirst();
  return row && toRevisionProblem(row);
}
