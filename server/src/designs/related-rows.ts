import type { ArtifactRow, Database, DesignRow, RevisionRow } from '../database/database.ts';
import type { DesignRecord } from './design.ts';
import { toReadyRevision, toRevisionProblem } from './rows.ts';

/** What a page of designs needs from other tables. */
export type RelatedRows = {
  /** Converts what belongs to a design of the page. Throws if it is damaged. */
  read(design: DesignRow): Pick<DesignRecord, 'revision' | 'problem'>;
};

/** Reads what the designs of a page need from other tables, with the same number of statements for every size of the page. */
export async function readRelatedRows(
  db: Database,
  designs: readonly DesignRow[],
): Promise<RelatedRows> {
  const ids = designs.flatMap(({ revision_id }) => revision_id ?? []);
  const failed = designs.filter(({ status }) => status === 'failed').map(({ id }) => id);
  const [revisions, artifacts, latest] = [
    await readRevisions(db, ids),
    await readArtifacts(db, ids),
    await readLatestRevisions(db, failed),
  ];
  return {
    read({ id, revision_id, status }) {
      const row = revisions.get(revision_id ?? '');
      const failure = status === 'failed' ? latest.get(id) : undefined;
      return {
        revision: row && toReadyRevision(row, artifacts.get(row.id) ?? []),
        problem: failure && toRevisionProblem(failure),
      };
    },
  };
}

async function readRevisions(
  db: Database,
  ids: readonly string[],
): Promise<Map<string, RevisionRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('revision').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

async function readArtifacts(
  db: Database,
  revisionIds: readonly string[],
): Promise<Map<string, ArtifactRow[]>> {
  if (revisionIds.length === 0) return new Map();
  const query = db.selectFrom('artifact').selectAll().where('revision_id', 'in', revisionIds);
  return Map.groupBy(await query.execute(), ({ revision_id }) => revision_id);
}

/** Reads the problem of the latest revision of each design. */
async function readLatestRevisions(db: Database, designIds: readonly string[]) {
  if (designIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('revision')
    .select(['design_id', 'number', 'problem'])
    .where('design_id', 'in', designIds)
    .orderBy('number')
    .execute();
  return new Map(rows.map((row) => [row.design_id, row]));
}
