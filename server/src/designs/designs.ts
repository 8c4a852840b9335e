import type { Database, DesignRow } from '../database/database.ts';
import { before, type Page } from '../http/list.ts';
import type { Design, Revision } from './design.ts';
import { designFromRow, designToRow, failureFromRow, revisionFromRow } from './rows.ts';

/** So many designs, and so many revisions, are embedded without a query. */
const REMEMBERED = 5_000;

/** The shelf of designs, each with the revision that embeds show. What comes and goes: uploads.ts. */
export class Designs {
  readonly #db: Database;
  readonly #known = new Map<string, Design>();
  readonly #revisions = new Map<string, Revision>();
  /** Moves with each change, so that a look-up begun before it is not remembered after it. */
  #epoch = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  async add(design: Design, step: Database): Promise<void> {
    await step.insertInto('design').values(designToRow(design)).execute();
  }

  /** Finds a design whoever owns it, in memory if it was found before. */
  find(id: string): Design | undefined | Promise<Design | undefined> {
    return this.#known.get(id) ?? this.#read(id);
  }

  /** Finds a revision that is ready, in memory if it was found before. */
  findRevision(id: string): Revision | undefined | Promise<Revision | undefined> {
    return this.#revisions.get(id) ?? this.#readRevision(id);
  }

  /** Designs of a user, the newest first; `only` narrows them to some ids. */
  async list(user: string, page: Page, only?: readonly string[]): Promise<Design[]> {
    const rows = await this.#db
      .selectFrom('design')
      .selectAll()
      .where('user_id', '=', user)
      .$if(only !== undefined, (query) => query.where('id', 'in', only ?? []))
      .where(before(page))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit)
      .execute();
    return Promise.all(rows.map((row) => this.#complete(row)));
  }

  /** Changes name and description, and which revision is shown. */
  async change({ id, name, description, revision, updatedAt }: Design): Promise<void> {
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
    this.forget(id);
  }

  /** Forgets the design. Its blobs are swept later: another design may have the same bytes. */
  async remove(id: string): Promise<void> {
    await this.#db.deleteFrom('design').where('id', '=', id).execute();
    // Few designs go, and their revisions are not known here by design.
    this.#revisions.clear();
    this.forget(id);
  }

  /** Reads a design anew when it is next asked for: something of it changed. */
  forget(id: string): void {
    this.#epoch += 1;
    this.#known.delete(id);
  }

  async #read(id: string): Promise<Design | undefined> {
    const epoch = this.#epoch;
    const row = await this.#db
      .selectFrom('design')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const design = await this.#complete(row);
    if (epoch === this.#epoch) remember(this.#known, design);
    return design;
  }

  async #complete(row: DesignRow): Promise<Design> {
    const revision =
      row.revision_id === null ? undefined : await this.#readRevision(row.revision_id);
    const problem = row.status === 'failed' ? await this.#failureOf(row.id) : undefined;
    return designFromRow(row, { revision, problem });
  }

  async #readRevision(id: string): Promise<Revision | undefined> {
    const epoch = this.#epoch;
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
    const revision = revisionFromRow(row, artifacts);
    if (revision !== undefined && epoch === this.#epoch) remember(this.#revisions, revision);
    return revision;
  }

  async #failureOf(id: string) {
    const row = await this.#db
      .selectFrom('revision')
      .select(['problem', 'number'])
      .where('design_id', '=', id)
      .orderBy('number', 'desc')
      .executeTakeFirst();
    return row && failureFromRow(row);
  }
}

function remember<T extends { id: string }>(known: Map<string, T>, thing: T): void {
  if (known.size >= REMEMBERED) {
    const [oldest] = known.keys();
    if (oldest !== undefined) known.delete(oldest);
  }
  known.set(thing.id, thing);
}
