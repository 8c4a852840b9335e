import { Cache } from '../cache/cache.ts';
import type { Database, DesignRow, Transaction } from '../database/database.ts';
import { afterCursor, type Pagination } from '../http/pagination.ts';
import type { RevisionProblem } from '../processing/revision.ts';
import type { DesignRecord, ReadyRevision } from './design.ts';
import { toDesignRecord, toDesignRow, toReadyRevision, toRevisionProblem } from './rows.ts';

/** Maximum number of cached designs, and of cached revisions. */
const MAX_CACHE_ENTRIES = 5_000;

/** Stores designs, and finds each with the revision that embeds show. RevisionStore adds revisions. */
export class DesignStore {
  readonly #db: Database;
  readonly #designs = new Cache<DesignRecord>({ maxEntries: MAX_CACHE_ENTRIES });
  readonly #revisions = new Cache<ReadyRevision>({ maxEntries: MAX_CACHE_ENTRIES });

  constructor(db: Database) {
    this.#db = db;
  }

  async add(design: DesignRecord, trx: Transaction): Promise<void> {
    await trx.insertInto('design').values(toDesignRow(design)).execute();
  }

  /** Finds a design of any user. Cached. */
  find(id: string): Promise<DesignRecord | undefined> {
    return this.#designs.getOrLoad(id, () => this.#loadDesign(id));
  }

  /** Finds a revision that is ready. Cached. */
  findReadyRevision(id: string): Promise<ReadyRevision | undefined> {
    return this.#revisions.getOrLoad(id, () => this.#loadRevision(id));
  }

  /** Lists the designs of a user, newest first. With `onlyIds`, lists only the designs with these ids. */
  async list(user: string, page: Pagination, onlyIds?: readonly string[]): Promise<DesignRecord[]> {
    const rows = await this.#db
      .selectFrom('design')
      .selectAll()
      .where('user_id', '=', user)
      .$if(onlyIds !== undefined, (query) => query.where('id', 'in', onlyIds ?? []))
      .where(afterCursor(page))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit)
      .execute();
    return Promise.all(rows.map((row) => this.#completeDesign(row)));
  }

  /** Updates the name, the description, and the revision that embeds show. */
  async update({ id, name, description, revision, updatedAt }: DesignRecord): Promise<void> {
    await this.#db
      .updateTable('design')
      .set({
        name,
        description,
        updated_at: updatedAt.toISOString(),
        ...(revision !== undefined && { revision_id: revision.id }),
      })
      .where('id', '=', id)
      .execute();
    this.invalidate(id);
  }

  /** Deletes a design. deleteUnreferencedBlobs deletes its blobs later, if no other design uses them. */
  async remove(id: string): Promise<void> {
    await this.#db.deleteFrom('design').where('id', '=', id).execute();
    // Deletes are rare and this cache has no index by design id, so clear it.
    this.#revisions.clear();
    this.invalidate(id);
  }

  /** Removes a design from the cache. Must be called after each change. */
  invalidate(id: string): void {
    this.#designs.invalidate(id);
  }

  async #loadDesign(id: string): Promise<DesignRecord | undefined> {
    const row = await this.#db
      .selectFrom('design')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && this.#completeDesign(row);
  }

  /** Converts a row to a design, with its revision and its problem. */
  async #completeDesign(row: DesignRow): Promise<DesignRecord> {
    const revision =
      row.revision_id === null ? undefined : await this.findReadyRevision(row.revision_id);
    const problem = row.status === 'failed' ? await this.#findProblem(row.id) : undefined;
    return toDesignRecord(row, { revision, problem });
  }

  async #loadRevision(id: string): Promise<ReadyRevision | undefined> {
    const row = await this.#db
      .selectFrom('revision')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const artifacts = await this.#db
      .selectFrom('artifact')
      .selectAll()
      .where('revision_id', '=', id)
      .execute();
    return toReadyRevision(row, artifacts);
  }

  /** Finds the problem of the latest revision. */
  async #findProblem(designId: string): Promise<RevisionProblem | undefined> {
    const row = await this.#db
      .selectFrom('revision')
      .select(['problem', 'number'])
      .where('design_id', '=', designId)
      .orderBy('number', 'desc')
      .executeTakeFirst();
    return row && toRevisionProblem(row);
  }
}
