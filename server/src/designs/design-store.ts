import type { Database, DesignRow } from '../database/database.ts';
import { afterCursor, type Pagination } from '../http/pagination.ts';
import type { DesignRecord, ReadyRevision } from './design.ts';
import { designFromRow, designToRow, problemFromRow, readyRevisionFromRow } from './rows.ts';

/** So many designs, and so many revisions, are embedded without a query. */
const CACHE_SIZE = 5_000;

/** The shelf of designs, each with the revision that embeds show. What comes and goes: uploads.ts. */
export class DesignStore {
  readonly #db: Database;
  readonly #designCache = new Map<string, DesignRecord>();
  readonly #revisionCache = new Map<string, ReadyRevision>();
  /** Moves with each change, so that a look-up begun before it is not remembered after it. */
  #version = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  async add(design: DesignRecord, step: Database): Promise<void> {
    await step.insertInto('design').values(designToRow(design)).execute();
  }

  /** Finds a design whoever owns it, in memory if it was found before. */
  find(id: string): DesignRecord | undefined | Promise<DesignRecord | undefined> {
    return this.#designCache.get(id) ?? this.#loadDesign(id);
  }

  /** Finds a revision that is ready, in memory if it was found before. */
  findRevision(id: string): ReadyRevision | undefined | Promise<ReadyRevision | undefined> {
    return this.#revisionCache.get(id) ?? this.#loadRevision(id);
  }

  /** Designs of a user, the newest first; `only` narrows them to some ids. */
  async list(user: string, page: Pagination, only?: readonly string[]): Promise<DesignRecord[]> {
    const rows = await this.#db
      .selectFrom('design')
      .selectAll()
      .where('user_id', '=', user)
      .$if(only !== undefined, (query) => query.where('id', 'in', only ?? []))
      .where(afterCursor(page))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit)
      .execute();
    return Promise.all(rows.map((row) => this.#toDesign(row)));
  }

  /** Changes name and description, and which revision is shown. */
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

  /** Forgets the design. Its blobs are swept later: another design may have the same bytes. */
  async remove(id: string): Promise<void> {
    await this.#db.deleteFrom('design').where('id', '=', id).execute();
    // Few designs go, and their revisions are not known here by design.
    this.#revisionCache.clear();
    this.invalidate(id);
  }

  /** Reads a design anew when it is next asked for: something of it changed. */
  invalidate(id: string): void {
    this.#version += 1;
    this.#designCache.delete(id);
  }

  async #loadDesign(id: string): Promise<DesignRecord | undefined> {
    const epoch = this.#version;
    const row = await this.#db
      .selectFrom('design')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const design = await this.#toDesign(row);
    if (epoch === this.#version) addToCache(this.#designCache, design);
    return design;
  }

  async #toDesign(row: DesignRow): Promise<DesignRecord> {
    const revision =
      row.revision_id === null ? undefined : await this.#loadRevision(row.revision_id);
    const problem = row.status === 'failed' ? await this.#findProblem(row.id) : undefined;
    return designFromRow(row, { revision, problem });
  }

  async #loadRevision(id: string): Promise<ReadyRevision | undefined> {
    const epoch = this.#version;
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
    const revision = readyRevisionFromRow(row, artifacts);
    if (revision !== undefined && epoch === this.#version)
      addToCache(this.#revisionCache, revision);
    return revision;
  }

  async #findProblem(id: string) {
    const row = await this.#db
      .selectFrom('revision')
      .select(['problem', 'number'])
      .where('design_id', '=', id)
      .orderBy('number', 'desc')
      .executeTakeFirst();
    return row && problemFromRow(row);
  }
}

function addToCache<T extends { id: string }>(known: Map<string, T>, thing: T): void {
  if (known.size >= CACHE_SIZE) {
    const [oldest] = known.keys();
    if (oldest !== undefined) known.delete(oldest);
  }
  known.set(thing.id, thing);
}
