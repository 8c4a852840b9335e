import assert from 'node:assert/strict';
import { Problem } from '@cloche/contract/problem';
import type { BlobRef } from '../blobs/blob-store.ts';
import { Cache, type NamedCaches } from '../cache/cache.ts';
import type { Database, DesignRow, Transaction } from '../database/database.ts';
import { isUniqueViolation } from '../database/postgres-errors.ts';
import { runTransaction } from '../database/transaction.ts';
import { publishEvent } from '../events/publish-event.ts';
import { assertIfMatch, type IfMatch } from '../http/if-match.ts';
import { type ReadItems, readStoredItems } from '../http/stored-data.ts';
import { type EarlyPreview, EarlyPreviewStore } from '../processing/early-preview-store.ts';
import { completeDesign, findProblem } from './complete-design.ts';
import type {
  Artifact,
  DesignFields,
  DesignRecord,
  ReadyRevision,
  ShownRevision,
} from './design.ts';
import { type DesignSearch, searchDesigns } from './design-search.ts';
import { assertStillReady } from './get-ready-revision.ts';
import { readRelatedRows } from './related-rows.ts';
import {
  toArtifact,
  toDesignRecord,
  toDesignRow,
  toFieldColumns,
  toReadyRevision,
} from './rows.ts';
import { toShownRevision } from './shown-revision.ts';
import { updateDesignRow } from './update-design-row.ts';

/** Maximum number of cached designs, and of cached revisions. */
const MAX_CACHE_ENTRIES = 5_000;

/** Receives the id of a design that was changed. `deletedFrom`: the user of the design, if it was deleted. */
type DesignChangeHandler = (id: string, deletedFrom?: string) => void;

type DesignUpdateOptions = {
  now: Date;
  /** The versions that may be changed. */
  ifMatch?: IfMatch | undefined;
  /** The first step of the transaction, before the design is locked. */
  begin?: ((trx: Transaction) => Promise<void>) | undefined;
  /** The last one. Receives the result before the commit. */
  complete: (updated: DesignRecord, trx: Transaction) => Promise<void>;
};

/** Stores designs, and finds each with the revision that embeds show. RevisionStore adds revisions. */
export class DesignStore {
  readonly #db: Database;
  readonly #onChange: DesignChangeHandler;
  readonly #earlyPreviews: EarlyPreviewStore;
  readonly #designs: Cache<DesignRecord>;
  readonly #revisions: Cache<ReadyRevision>;

  /**
   * @param onChange called after each change of a design
   * @param isCacheUsable while it returns false, each design is read from the database
   */
  constructor(
    db: Database,
    onChange: DesignChangeHandler = () => {},
    isCacheUsable: () => boolean = () => true,
  ) {
    this.#db = db;
    this.#earlyPreviews = new EarlyPreviewStore(db);
    this.#onChange = onChange;
    this.#designs = new Cache({ maxEntries: MAX_CACHE_ENTRIES, isUsable: isCacheUsable });
    this.#revisions = new Cache({ maxEntries: MAX_CACHE_ENTRIES, isUsable: isCacheUsable });
  }

  /** Its caches, for metrics. */
  get caches(): NamedCaches {
    return { designs: this.#designs, revisions: this.#revisions };
  }

  /** @throws {Problem} design.external-id */
  async add(design: DesignRecord, trx: Transaction): Promise<void> {
    await this.assertExternalIdFree(design, trx);
    await trx
      .insertInto('design')
      .values(toDesignRow(design))
      .execute()
      .catch((error) => throwExternalIdError(error, design));
    await addTags(trx, design);
  }

  /** @throws {Problem} design.external-id: another design of the user has the external id */
  async assertExternalIdFree(
    { id, user, externalId }: Pick<DesignRecord, 'user' | 'externalId'> & { id?: string },
    trx: Transaction | Database = this.#db,
  ): Promise<void> {
    if (externalId === undefined) return;
    const row = await trx
      .selectFrom('design')
      .select('id')
      .where('user_id', '=', user)
      .where('external_id', '=', externalId)
      .executeTakeFirst();
    if (row !== undefined && row.id !== id) throw createExternalIdError(externalId);
  }

  /** Finds a design of any user. Cached. */
  find(id: string): Promise<DesignRecord | undefined> {
    return this.#designs.getOrLoad(id, () => this.#loadDesign(id, this.#db));
  }

  /** Finds a design of any user. Not cached: another node may have changed it just now. */
  findCurrent(id: string): Promise<DesignRecord | undefined> {
    return this.#loadDesign(id, this.#db);
  }

  /** Returns a design as a transaction has changed it. */
  async getChanged(id: string, trx: Transaction): Promise<DesignRecord> {
    const design = await this.#loadDesign(id, trx);
    assert(design !== undefined, 'the transaction has not deleted the design');
    return design;
  }

  /** Finds what embeds show: the revision of the design, or the preview of the one that is being processed. */
  async findShown(design: DesignRecord): Promise<ShownRevision | undefined> {
    if (design.revision !== undefined) return design.revision;
    const preview = await this.#earlyPreviews.findByDesign(design.id);
    return preview && toShownRevision(preview);
  }

  /** Finds the preview of a revision that is being processed. */
  findEarlyPreview(revisionId: string): Promise<EarlyPreview | undefined> {
    return this.#earlyPreviews.find(revisionId);
  }

  /** Reads the file of such a preview. Undefined if it is not there any more. */
  readEarlyPreview(preview: EarlyPreview): Promise<Buffer | undefined> {
    return this.#earlyPreviews.read(preview);
  }

  /** Finds an artifact of any revision by its bytes. */
  async findArtifact(blob: BlobRef): Promise<Artifact | undefined> {
    const query = this.#db.selectFrom('artifact').selectAll().where('blob', '=', blob);
    const row = await query.limit(1).executeTakeFirst();
    return row && toArtifact(row);
  }

  /** Finds a revision that is ready. Cached. */
  findReadyRevision(id: string): Promise<ReadyRevision | undefined> {
    return this.#revisions.getOrLoad(id, () => this.#loadRevision(id, this.#db));
  }

  /** Finds the user of a design, also if the design is damaged. */
  async findOwner(id: string): Promise<Pick<DesignRecord, 'id' | 'user'> | undefined> {
    return this.#db
      .selectFrom('design')
      .select(['id', 'user_id as user'])
      .where('id', '=', id)
      .executeTakeFirst();
  }

  /** Lists one page of designs. @throws {Problem} request.cursor */
  async list(
    search: DesignSearch,
  ): Promise<ReadItems<DesignRecord> & { nextCursor: string | null }> {
    const { rows, nextCursor } = await searchDesigns(this.#db, search);
    const toIdentity = ({ id, name }: DesignRow) => ({ id, name });
    // Read at once. They are not cached: a long list would evict what embeds show.
    const related = await readRelatedRows(this.#db, rows);
    const page = await readStoredItems(rows, toIdentity, (row) =>
      completeDesign(row, async () => related.read(row)),
    );
    return { ...page, nextCursor };
  }

  /**
   * Changes fields of a design, and optionally the revision that embeds show: it remains until a newer
   * revision is ready that does not exist yet. Does nothing if the design was deleted.
   *
   * @throws {Problem} design.external-id, request.precondition-failed, request.invalid: the revision was deleted since
   */
  async update(
    design: DesignRecord,
    {
      revision: chosen,
      ...fields
    }: Partial<DesignFields> & { revision?: ReadyRevision | undefined },
    { now, ifMatch, begin, complete }: DesignUpdateOptions,
  ): Promise<void> {
    const { id } = design;
    await runTransaction(this.#db, async (trx) => {
      await begin?.(trx);
      // Read again: another request may have changed other fields in the meantime.
      const row = await trx
        .selectFrom('design')
        .selectAll()
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst();
      if (row === undefined) return;
      assertIfMatch(ifMatch, row.version);
      if (chosen !== undefined) await assertStillReady(trx, id, chosen);
      const current = toDesignRecord(row, design);
      const updated = {
        ...current,
        ...fields,
        ...(chosen && { revision: chosen }),
        updatedAt: now,
      };
      await this.assertExternalIdFree(updated, trx);
      await updateDesignRow(trx, id)
        .set({ ...toFieldColumns(updated), updated_at: now.toISOString() })
        .$if(chosen !== undefined, (query) =>
          query.set({
            revision_id: chosen?.id ?? null,
            chosen_at_revision: row.last_revision,
          }),
        )
        .execute()
        .catch((error) => throwExternalIdError(error, updated));
      await trx.deleteFrom('design_tag').where('design_id', '=', id).execute();
      await addTags(trx, updated);
      await publishEvent({ topic: 'design', id, revisionIds: [] }, trx);
      await complete(updated, trx);
    });
    this.invalidate(id);
  }

  /** Removes all designs and revisions from the cache. */
  invalidateAll(): void {
    this.#designs.clear();
    this.#revisions.clear();
  }

  /**
   * Deletes a design, and returns the ids of its revisions. deleteUnreferencedBlobs deletes its blobs later, if no other
   * design uses them.
   *
   * @throws {Problem} request.precondition-failed
   */
  async remove(id: string, ifMatch?: IfMatch): Promise<string[]> {
    const { revisionIds, user } = await runTransaction(this.#db, async (trx) => {
      // Locked, so that no revision is added in between.
      const row = await trx
        .selectFrom('design')
        .select(['version', 'user_id'])
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst();
      if (row !== undefined) assertIfMatch(ifMatch, row.version);
      const rows = await trx
        .selectFrom('revision')
        .select('id')
        .where('design_id', '=', id)
        .execute();
      const revisionIds = rows.map((revision) => revision.id);
      await trx.deleteFrom('design').where('id', '=', id).execute();
      const user = row?.user_id;
      const deletion = user === undefined ? {} : { deletedFrom: user };
      await publishEvent({ topic: 'design', id, revisionIds, ...deletion }, trx);
      await publishEvent({ topic: 'cancel', revisionIds }, trx);
      return { revisionIds, user };
    });
    this.invalidate(id, revisionIds, user);
    return revisionIds;
  }

  /**
   * Removes a design, and revisions that were changed or deleted, from the cache. Must be called after each change.
   *
   * @param deletedFrom the user of the design, if it was deleted
   */
  invalidate(id: string, revisionIds: readonly string[] = [], deletedFrom?: string): void {
    this.#designs.invalidate(id);
    for (const revisionId of revisionIds) this.#revisions.invalidate(revisionId);
    this.#onChange(id, deletedFrom);
  }

  async #loadDesign(id: string, db: Database | Transaction): Promise<DesignRecord | undefined> {
    const row = await db.selectFrom('design').selectAll().where('id', '=', id).executeTakeFirst();
    return row && this.#completeDesign(row, db);
  }

  /** Converts a row to a design, with its revision and its problem. @throws {Problem} server.damaged */
  #completeDesign(row: DesignRow, db: Database | Transaction): Promise<DesignRecord> {
    return completeDesign(row, async () => ({
      revision:
        row.revision_id === null ? undefined : await this.#findRevision(row.revision_id, db),
      problem: row.status === 'failed' ? await findProblem(db, row.id) : undefined,
    }));
  }

  /** What a transaction reads is not cached: it may be rolled back. */
  #findRevision(id: string, db: Database | Transaction): Promise<ReadyRevision | undefined> {
    return db === this.#db ? this.findReadyRevision(id) : this.#loadRevision(id, db);
  }

  async #loadRevision(id: string, db: Database | Transaction): Promise<ReadyRevision | undefined> {
    const row = await db.selectFrom('revision').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) return undefined;
    const artifacts = await db
      .selectFrom('artifact')
      .selectAll()
      .where('revision_id', '=', id)
      .execute();
    return toReadyRevision(row, artifacts);
  }
}

/** Another transaction may have added a design with the same external id since it was checked. */
function throwExternalIdError(error: unknown, { externalId = '' }: DesignFields): never {
  throw isUniqueViolation(error, 'design_by_external_id')
    ? createExternalIdError(externalId)
    : error;
}

function createExternalIdError(externalId: string): Problem {
  return new Problem('design.external-id', {
    field: 'externalId',
    detail: `externalId: another design has the external id ${JSON.stringify(externalId)}. GET /v1/designs?externalId= finds it.`,
  });
}

async function addTags(trx: Transaction, { id, user, tags }: DesignRecord): Promise<void> {
  if (tags.length === 0) return;
  const rows = tags.map((tag) => ({ user_id: user, tag, design_id: id }));
  await trx.insertInto('design_tag').values(rows).execute();
}
