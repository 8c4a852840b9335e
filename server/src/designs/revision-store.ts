import { Problem } from '@cloche/contract/problem';
import type { BlobRef } from '../blobs/blob-store.ts';
import type { Database, RevisionRow } from '../database/database.ts';
import type {
  ProcessingResult,
  RevisionProblem,
  RevisionRecord,
  RevisionStatus,
} from './design.ts';
import type { DesignStore } from './design-store.ts';
import {
  artifactToRow,
  readyRevisionFromRow,
  type SourceFileColumns,
  sourceFileFromRow,
} from './rows.ts';

/** Whoever looks for an older one knows its number. */
const MAX_LISTED = 200;

/** The shelf of uploads: each waits, is processed, and is then a revision or a failure. */
export class RevisionStore {
  readonly #db: Database;
  readonly #designs: DesignStore;

  constructor(db: Database, designs: DesignStore) {
    this.#db = db;
    this.#designs = designs;
  }

  async add(upload: RevisionRecord, now: Date, step: Database): Promise<void> {
    const { id, designId, number, source } = upload;
    await step
      .insertInto('revision')
      .values({
        ...{ id, design_id: designId, number, status: 'queued', source: source.blob },
        source_bytes: source.sizeBytes,
        examined: JSON.stringify(source.detectedFormat),
        ...{ stats: null, report: null, look: null, problem: null },
        created_at: now.toISOString(),
      })
      .execute();
    await setStatus(step, upload, 'queued', now);
    this.#designs.invalidate(designId);
  }

  async find(id: string): Promise<RevisionRecord | undefined> {
    const row = await this.#db
      .selectFrom('revision')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && revisionRecordFromRow(row);
  }

  /** The newest of a design, with what has become of them. */
  async list(designId: string, limit = MAX_LISTED) {
    const rows = await this.#db
      .selectFrom('revision')
      .select(['id', 'design_id', 'number', 'status'])
      .select(['source', 'source_bytes', 'examined', 'created_at'])
      .where('design_id', '=', designId)
      .orderBy('number', 'desc')
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      upload: revisionRecordFromRow(row),
      status: row.status as RevisionStatus,
      createdAt: new Date(row.created_at),
    }));
  }

  /** The revision of a design by its number, if it is ready. */
  async findReady(designId: string, number: number) {
    const row = await this.#db
      .selectFrom('revision')
      .selectAll()
      .where('design_id', '=', designId)
      .where('number', '=', number)
      .executeTakeFirst();
    return row && readyRevisionFromRow(row, []);
  }

  /** @throws {Problem} design.unknown: it was deleted meanwhile */
  async getNextNumber(designId: string, step: Database): Promise<number> {
    const design = await step
      .selectFrom('design')
      .select('id')
      .where('id', '=', designId)
      .executeTakeFirst();
    if (design === undefined) throw new Problem('design.unknown', { field: 'path.id' });
    const { last } = await step
      .selectFrom('revision')
      .select(({ fn }) => fn.max('number').as('last'))
      .where('design_id', '=', designId)
      .executeTakeFirstOrThrow();
    return Number(last ?? 0) + 1;
  }

  async markProcessing(upload: RevisionRecord, now: Date): Promise<void> {
    await this.#db.transaction().execute((step) => setStatus(step, upload, 'processing', now));
    this.#designs.invalidate(upload.designId);
  }

  /** To be called when what `finish` or `fail` wrote is committed. */
  invalidateDesign({ designId }: RevisionRecord): void {
    this.#designs.invalidate(designId);
  }

  /** Makes the upload a revision that is shown from now on, unless a newer one is ready already. */
  async markReady(
    upload: RevisionRecord,
    made: ProcessingResult,
    now: Date,
    step: Database,
  ): Promise<void> {
    const { id, designId, number } = upload;
    await setStatus(step, upload, 'ready', now);
    await step
      .updateTable('revision')
      .set({
        stats: JSON.stringify(made.stats),
        report: made.report === undefined ? null : JSON.stringify(made.report),
        look: made.posterPlaceholder === undefined ? null : JSON.stringify(made.posterPlaceholder),
      })
      .where('id', '=', id)
      .execute();
    await step
      .insertInto('artifact')
      .values(made.artifacts.map((artifact) => artifactToRow(id, artifact)))
      .execute();
    const newer = await step
      .selectFrom('revision')
      .select('id')
      .where('design_id', '=', designId)
      .where('status', '=', 'ready')
      .where('number', '>', number)
      .executeTakeFirst();
    if (newer !== undefined) return;
    await step.updateTable('design').set({ revision_id: id }).where('id', '=', designId).execute();
  }

  async markFailed(
    upload: RevisionRecord,
    problem: Omit<RevisionProblem, 'revision'>,
    now: Date,
    step: Database,
  ): Promise<void> {
    await setStatus(step, upload, 'failed', now);
    await step
      .updateTable('revision')
      .set({ problem: JSON.stringify(problem) })
      .where('id', '=', upload.id)
      .execute();
  }

  /** Is a blob still part of any design? */
  async isBlobReferenced(blob: BlobRef): Promise<boolean> {
    const source = this.#db.selectFrom('revision').select('id').where('source', '=', blob).limit(1);
    if ((await source.executeTakeFirst()) !== undefined) return true;
    const part = this.#db.selectFrom('artifact').select('kind').where('blob', '=', blob).limit(1);
    return (await part.executeTakeFirst()) !== undefined;
  }
}

type RevisionColumns = Pick<RevisionRow, 'id' | 'design_id' | 'number'> & SourceFileColumns;

function revisionRecordFromRow(row: RevisionColumns): RevisionRecord {
  return {
    id: row.id,
    designId: row.design_id,
    number: row.number,
    source: sourceFileFromRow(row),
  };
}

/** Of the upload, and of its design if no newer upload came. */
async function setStatus(
  step: Database,
  upload: RevisionRecord,
  status: RevisionStatus,
  now: Date,
): Promise<void> {
  const { id, designId, number } = upload;
  await step.updateTable('revision').set({ status }).where('id', '=', id).execute();
  const newer = step
    .selectFrom('revision')
    .select('id')
    .where('design_id', '=', designId)
    .where('number', '>', number);
  await step
    .updateTable('design')
    .set({ status, updated_at: now.toISOString() })
    .where('id', '=', designId)
    .where(({ not, exists }) => not(exists(newer)))
    .execute();
}
