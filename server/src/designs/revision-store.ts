import { haveSamePicture } from '@cloche/contract/first-picture';
import { Problem } from '@cloche/contract/problem';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type { BlobRef } from '../blobs/blob-store.ts';
import type { Database, Transaction } from '../database/database.ts';
import { runTransaction } from '../database/transaction.ts';
import { publishEvent } from '../events/publish-event.ts';
import { assertIfMatch, type IfMatch } from '../http/if-match.ts';
import { type ReadItems, readStoredItems } from '../http/stored-data.ts';
import type {
  PosterUpdate,
  ProcessingResult,
  RevisionFailure,
  RevisionProcessingOptions,
  RevisionRecord,
  RevisionStatus,
  RevisionStatusStore,
} from '../processing/revision.ts';
import { isBlobNeeded } from './blob-references.ts';
import type { ReadyRevision, RevisionSummary } from './design.ts';
import type { DesignStore } from './design-store.ts';
import { findPictureOptions, findProcessingOptions } from './find-design-options.ts';
import { assertRemovable, createEndedError } from './revision-checks.ts';
import {
  type SummaryColumns,
  toRevisionRecord,
  toRevisionRow,
  toSummary,
} from './revision-rows.ts';
import { publishRevisionChange, setRevisionStatus, updateDesignStatus } from './revision-status.ts';
import { toArtifactRow, toPosterColumn, toPosterFields, toReadyRevision } from './rows.ts';
import { updateDesignRow } from './update-design-row.ts';

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
    await setRevisionStatus(trx, revision, 'queued', now);
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

  findProcessingOptions({ designId }: RevisionRecord): Promise<RevisionProcessingOptions> {
    return findProcessingOptions(designId, this.#db);
  }

  findPictureOptions(
    { designId }: RevisionRecord,
    db: Transaction | Database = this.#db,
  ): Promise<ViewerOptions> {
    return findPictureOptions(designId, db);
  }

  findResult({ id }: RevisionRecord): Promise<ProcessingResult | undefined> {
    return this.#designs.findReadyRevision(id);
  }

  /** Finds the revision that embeds show, if its poster was rendered with other options than the design has. */
  async findWithOutdatedPoster(designId: string, trx: Transaction): Promise<string | undefined> {
    const row = await trx
      .selectFrom('design')
      .innerJoin('revision', 'revision.id', 'design.revision_id')
      .select(['revision.id', 'revision.poster_placeholder', 'design.viewer'])
      .where('design.id', '=', designId)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { posterOptions = {} } = toPosterFields(row.poster_placeholder);
    return haveSamePicture(posterOptions, JSON.parse(row.viewer)) ? undefined : row.id;
  }

  /**
   * Lists revisions of a design, newest first, after the revision with the number `before`. `last` is the
   * number of the last one, if there are more.
   */
  async list(
    designId: string,
    limit: number,
    before?: number,
  ): Promise<ReadItems<RevisionSummary> & { last: number | undefined }> {
    const rows = await this.#selectSummaries(designId)
      .$if(before !== undefined, (query) => query.where('number', '<', before ?? 0))
      .orderBy('number', 'desc')
      .limit(limit + 1)
      .execute();
    const page = rows.slice(0, limit);
    const toIdentity = ({ number }: SummaryColumns) => ({
      id: String(number),
      name: `Revision ${number}`,
    });
    const items = await readStoredItems(page, toIdentity, toSummary);
    return { ...items, last: rows.length > limit ? page.at(-1)?.number : undefined };
  }

  /** Returns a revision of a design by its number. @throws {Problem} revision.unknown */
  async getByNumber(
    designId: string,
    number: number,
    trx: Transaction | Database = this.#db,
  ): Promise<RevisionSummary> {
    const row = await this.#selectSummaries(designId, trx)
      .where('number', '=', number)
      .executeTakeFirst();
    if (row !== undefined) return toSummary(row);
    throw new Problem('revision.unknown', {
      field: 'path.number',
      detail: `path.number: the design has no revision ${number}. GET /v1/designs/${designId}/revisions lists its revisions.`,
    });
  }

  #selectSummaries(designId: string, db: Transaction | Database = this.#db) {
    return db
      .selectFrom('revision')
      .select(['id', 'design_id', 'number', 'status', 'problem', 'created_at'])
      .select(['source_blob', 'source_size_bytes', 'detected_format', 'file_name'])
      .where('design_id', '=', designId);
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

  /**
   * Returns the number for a new revision.
   *
   * @throws {Problem} design.unknown: the design was deleted; request.precondition-failed
   */
  async getNextNumber(
    designId: string,
    trx: Transaction,
    ifMatch: IfMatch | undefined,
  ): Promise<number> {
    const design = await updateDesignRow(trx, designId)
      .set(({ eb }) => ({ last_revision: eb('last_revision', '+', 1) }))
      .returning(['last_revision', 'version'])
      .executeTakeFirst();
    if (design === undefined) throw new Problem('design.unknown', { field: 'path.id' });
    assertIfMatch(ifMatch, design.version - 1);
    return design.last_revision;
  }

  /**
   * Waits until no other transaction changes the design or its revisions. Each transaction that changes
   * them locks the design first, so that no two of them wait for each other.
   */
  async lockDesign(designId: string, trx: Transaction): Promise<void> {
    await trx.selectFrom('design').select('id').where('id', '=', designId).forUpdate().execute();
  }

  async markProcessing(
    revision: RevisionRecord,
    now: Date,
    isJobHeld: (trx: Transaction) => Promise<boolean>,
  ): Promise<boolean> {
    const isActive = await runTransaction(this.#db, async (trx) => {
      await this.lockDesign(revision.designId, trx);
      const row = await trx
        .selectFrom('revision')
        .select('id')
        .where('id', '=', revision.id)
        .where('status', 'in', ACTIVE_STATUSES)
        .executeTakeFirst();
      if (row === undefined || !(await isJobHeld(trx))) return false;
      await setRevisionStatus(trx, revision, 'processing', now);
      return true;
    });
    this.#designs.invalidate(revision.designId);
    return isActive;
  }

  /**
   * Cancels a revision that is queued or being processed, and deletes its job. The caller aborts the job
   * if it runs on this node; another node ends it when it receives the event. A revision that was cancelled before is not changed.
   *
   * @throws {Problem} revision.unknown, revision.ended
   */
  async cancel(designId: string, number: number, now: Date): Promise<RevisionSummary> {
    const summary = await runTransaction(this.#db, async (trx) => {
      await this.lockDesign(designId, trx);
      const summary = await this.getByNumber(designId, number, trx);
      if (summary.status === 'cancelled') return summary;
      if (!ACTIVE_STATUSES.includes(summary.status)) throw createEndedError(summary);
      await trx.deleteFrom('job').where('revision_id', '=', summary.revision.id).execute();
      await setRevisionStatus(trx, summary.revision, 'cancelled', now);
      await publishEvent({ topic: 'cancel', revisionIds: [summary.revision.id] }, trx);
      return { ...summary, status: 'cancelled' as const };
    });
    this.#designs.invalidate(designId);
    return summary;
  }

  /**
   * Deletes a revision with its artifacts and its job. The caller aborts the job if it runs on this node; another node ends it when it
   * receives the event.
   *
   * @throws {Problem} revision.unknown, revision.shown, revision.last
   */
  async remove(designId: string, number: number, now: Date): Promise<RevisionRecord> {
    const revision = await runTransaction(this.#db, async (trx) => {
      await this.lockDesign(designId, trx);
      const { revision } = await this.getByNumber(designId, number, trx);
      await assertRemovable(trx, revision);
      await trx.deleteFrom('revision').where('id', '=', revision.id).execute();
      await updateDesignStatus(trx, designId, now);
      await publishRevisionChange(revision, trx);
      await publishEvent({ topic: 'cancel', revisionIds: [revision.id] }, trx);
      return revision;
    });
    this.#designs.invalidate(designId, [revision.id]);
    return revision;
  }

  invalidateDesign({ designId, id }: RevisionRecord): void {
    this.#designs.invalidate(designId, [id]);
  }

  /**
   * Stores the result. Embeds show the revision from now on, unless a newer one is ready, or another one
   * was chosen after this one was uploaded.
   */
  async markReady(
    revision: RevisionRecord,
    { stats, report, posterPlaceholder, posterOptions, artifacts }: ProcessingResult,
    now: Date,
    trx: Transaction,
  ): Promise<void> {
    const { id, designId, number } = revision;
    await setRevisionStatus(trx, revision, 'ready', now);
    await trx
      .updateTable('revision')
      .set({
        stats: JSON.stringify(stats),
        report: report === undefined ? null : JSON.stringify(report),
        poster_placeholder: toPosterColumn({ posterPlaceholder, posterOptions }),
      })
      .where('id', '=', id)
      .execute();
    await trx
      .insertInto('artifact')
      .values(artifacts.map((artifact) => toArtifactRow(id, artifact)))
      .execute();
    const newer = trx
      .selectFrom('revision')
      .select('id')
      .where('design_id', '=', designId)
      .where('status', '=', 'ready')
      .where('number', '>', number);
    await updateDesignRow(trx, designId)
      .set({ revision_id: id })
      .where('chosen_at_revision', '<', number)
      .where(({ not, exists }) => not(exists(newer)))
      .execute();
  }

  /** Replaces the images of the poster. Embeds that have loaded keep theirs. */
  async replacePoster(
    revision: RevisionRecord,
    { artifacts, posterPlaceholder, options }: PosterUpdate,
    trx: Transaction,
  ): Promise<void> {
    const { id } = revision;
    await trx
      .deleteFrom('artifact')
      .where('revision_id', '=', id)
      .where('kind', 'like', 'poster%')
      .execute();
    await trx
      .insertInto('artifact')
      .values(artifacts.map((artifact) => toArtifactRow(id, artifact)))
      .execute();
    await trx
      .updateTable('revision')
      .set({ poster_placeholder: toPosterColumn({ posterPlaceholder, posterOptions: options }) })
      .where('id', '=', id)
      .execute();
    await publishRevisionChange(revision, trx);
  }

  async markFailed(
    revision: RevisionRecord,
    failure: RevisionFailure,
    now: Date,
    trx: Transaction,
  ): Promise<void> {
    await setRevisionStatus(trx, revision, 'failed', now);
    await trx
      .updateTable('revision')
      .set({ problem: JSON.stringify({ ...failure, failedAt: now }) })
      .where('id', '=', revision.id)
      .execute();
  }

  /**
   * Lists the blobs of a revision, or of all revisions of a design: source files, artifacts and their
   * compressed forms.
   */
  async listBlobs(designId: string, number?: number): Promise<BlobRef[]> {
    const revisions = this.#db
      .selectFrom('revision')
      .where('design_id', '=', designId)
      .$if(number !== undefined, (query) => query.where('number', '=', number ?? 0));
    const artifacts = this.#db
      .selectFrom('artifact')
      .where('revision_id', 'in', revisions.select('id'));
    const rows = await revisions
      .select('source_blob as blob')
      .union(artifacts.select('blob'))
      .union(
        artifacts
          .where('brotli_blob', 'is not', null)
          .select(({ ref }) => ref('brotli_blob').$notNull().as('blob')),
      )
      .execute();
    return rows.map(({ blob }) => blob as BlobRef);
  }

  /** Whether a blob must be kept: a revision or an artifact references it, or a backup is being made, which may need it. */
  isBlobNeeded(blob: BlobRef): Promise<boolean> {
    return isBlobNeeded(this.#db, blob);
  }
}

const ACTIVE_STATUSES: readonly RevisionStatus[] = ['queued', 'processing'];
