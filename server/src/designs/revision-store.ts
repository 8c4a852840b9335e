import { Problem } from '@cloche/contract/problem';
import type { BlobRef } from '../blobs/blob-store.ts';
import type { Database, RevisionRow, Transaction } from '../database/database.ts';
import type {
  ProcessingResult,
  RevisionProblem,
  RevisionRecord,
  RevisionStatus,
  RevisionStatusStore,
} from '../processing/revision.ts';
import type { ReadyRevision } from './design.ts';
import type { DesignStore } from './design-store.ts';
import {
  type SourceFileColumns,
  toArtifactRow,
  toReadyRevision,
  toSourceFile,
  toSourceFileColumns,
} from './rows.ts';

/** Maximum length of a list of revisions. Older revisions can still be found by number. */
const MAX_LISTED = 200;

/** A revision in a list, without its artifacts. */
export type RevisionSummary = {
  revision: RevisionRecord;
  status: RevisionStatus;
  createdAt: Date;
};

/** Stores revisions, their status and the results of their processing. */
export class RevisionStore implements RevisionStatusStore {
  readonly #db: Database;
  readonly #designs: DesignStore;

  constructor(db: Database, designs: DesignStore) {
    this.#db = db;
    this.#designs = designs;
  }

  /** Adds a queued revision. */
  async add(revision: RevisionRecord, now: Date, trx: Transaction): Promise<void> {
    await trx.insertInto('revision').values(toRevisionRow(revision, now)).execute();
    await setStatus(trx, revision, 'queued', now);
    this.#designs.invalidate(revision.designId);
  }

  async find(id: string): Promise<RevisionRecord | undefined> {
    const row = await this.#db
      .selectFrom('revision')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && toRevisionRecord(row);
  }

  /** Lists the revisions of a design, newest first. */
  async list(designId: string, limit = MAX_LISTED): Promise<RevisionSummary[]> {
    const rows = await this.#db
      .selectFrom('revision')
      .select(['id', 'design_id', 'number', 'status'])
      .select(['source_blob', 'source_size_bytes', 'detected_format', 'created_at'])
      .where('design_id', '=', designId)
      .orderBy('number', 'desc')
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      revision: toRevisionRecord(row),
      status: row.status as RevisionStatus,
      createdAt: new Date(row.created_at),
    }));
  }

  /** Finds a revision of a design by its number, if it is ready. Without its artifacts. */
  async findReady(designId: string, number: number): Promise<ReadyRevision | undefined> {
    const row = await this.#db
      .selectFrom('revision')
      .selectAll()
      .where('design_id', '=', designId)
      .where('number', '=', number)
      .executeTakeFirst();
    return row && toReadyRevision(row, []);
  }

  /** Returns the number for a new revision. @throws {Problem} design.unknown: the design was deleted */
  async getNextNumber(designId: string, trx: Transaction): Promise<number> {
    const design = await trx
      .selectFrom('design')
      .select('id')
      .where('id', '=', designId)
      .executeTakeFirst();
    if (design === undefined) throw new Problem('design.unknown', { field: 'path.id' });
    const { last } = await trx
      .selectFrom('revision')
      .select(({ fn }) => fn.max('number').as('last'))
      .where('design_id', '=', designId)
      .executeTakeFirstOrThrow();
    return Number(last ?? 0) + 1;
  }

  async markProcessing(revision: RevisionRecord, now: Date): Promise<void> {
    await this.#db.transaction().execute((trx) => setStatus(trx, revision, 'processing', now));
    this.#designs.invalidate(revision.designId);
  }

  invalidateDesign({ designId }: RevisionRecord): void {
    this.#designs.invalidate(designId);
  }

  /** Stores the result. Embeds show the revision from now on, unless a newer revision is ready. */
  async markReady(
    revision: RevisionRecord,
    { stats, report, posterPlaceholder, artifacts }: ProcessingResult,
    now: Date,
    trx: Transaction,
  ): Promise<void> {
    const { id, designId, number } = revision;
    await setStatus(trx, revision, 'ready', now);
    await trx
      .updateTable('revision')
      .set({
        stats: JSON.stringify(stats),
        report: report === undefined ? null : JSON.stringify(report),
        poster_placeholder:
          posterPlaceholder === undefined ? null : JSON.stringify(posterPlaceholder),
      })
      .where('id', '=', id)
      .execute();
    await trx
      .insertInto('artifact')
      .values(artifacts.map((artifact) => toArtifactRow(id, artifact)))
      .execute();
    const newer = await trx
      .selectFrom('revision')
      .select('id')
      .where('design_id', '=', designId)
      .where('status', '=', 'ready')
      .where('number', '>', number)
      .executeTakeFirst();
    if (newer !== undefined) return;
    await trx.updateTable('design').set({ revision_id: id }).where('id', '=', designId).execute();
  }

  async markFailed(
    revision: RevisionRecord,
    problem: Omit<RevisionProblem, 'revision'>,
    now: Date,
    trx: Transaction,
  ): Promise<void> {
    await setStatus(trx, revision, 'failed', now);
    await trx
      .updateTable('revision')
      .set({ problem: JSON.stringify(problem) })
      .where('id', '=', revision.id)
      .execute();
  }

  /** Lists the blobs of all revisions of a design: source files and artifacts. */
  async listBlobs(designId: string): Promise<BlobRef[]> {
    const revisions = this.#db.selectFrom('revision').where('design_id', '=', designId);
    const artifacts = this.#db
      .selectFrom('artifact')
      .select('blob')
      .where('revision_id', 'in', revisions.select('id'));
    const rows = await revisions.select('source_blob as blob').union(artifacts).execute();
    return rows.map(({ blob }) => blob as BlobRef);
  }

  /** Whether any revision uses the blob, as its source file or as an artifact. */
  async isBlobReferenced(blob: BlobRef): Promise<boolean> {
    const source = await this.#db
      .selectFrom('revision')
      .select('id')
      .where('source_blob', '=', blob)
      .limit(1)
      .executeTakeFirst();
    if (source !== undefined) return true;
    const artifact = await this.#db
      .selectFrom('artifact')
      .select('kind')
      .where('blob', '=', blob)
      .limit(1)
      .executeTakeFirst();
    return artifact !== undefined;
  }
}

type RevisionColumns = Pick<RevisionRow, 'id' | 'design_id' | 'number'> & SourceFileColumns;

function toRevisionRecord(row: RevisionColumns): RevisionRecord {
  return { id: row.id, designId: row.design_id, number: row.number, source: toSourceFile(row) };
}

/** Returns the row of a queued revision. */
function toRevisionRow({ id, designId, number, source }: RevisionRecord, now: Date): RevisionRow {
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

/** Sets the status of a revision and, if it is the latest one, of its design. */
async function setStatus(
  trx: Transaction,
  revision: RevisionRecord,
  status: RevisionStatus,
  now: Date,
): Promise<void> {
  const { id, designId, number } = revision;
  await trx.updateTable('revision').set({ status }).where('id', '=', id).execute();
  const newer = trx
    .selectFrom('revision')
    .select('id')
    .where('design_id', '=', designId)
    .where('number', '>', number);
  await trx
    .updateTable('design')
    .set({ status, updated_at: now.toISOString() })
    .where('id', '=', designId)
    .where(({ not, exists }) => not(exists(newer)))
    .execute();
}
