import type { BlobRef } from '../blobs/blobs.ts';
import type { ArtifactRow, Database, DesignRow, RevisionRow } from '../database/database.ts';
import { before, type Page } from '../http/list.ts';
import type { Artifact, Design, Revision, Status } from './design.ts';

/** So many designs are embedded without a query. */
const REMEMBERED = 5_000;

/** The shelf of designs, their revisions and artifacts. */
export class Designs {
  readonly #db: Database;
  readonly #known = new Map<string, Design>();
  /** Moves with each change, so that a look-up begun before it is not remembered after it. */
  #epoch = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  async add(design: Design, step: Database): Promise<void> {
    await step.insertInto('design').values(toRow(design)).execute();
    if (design.revision === undefined) return;
    const { id, number, source, stats, artifacts } = design.revision;
    await step
      .insertInto('revision')
      .values({
        id,
        design_id: design.id,
        number,
        source,
        stats: JSON.stringify(stats),
        created_at: design.createdAt.toISOString(),
      })
      .execute();
    await step
      .insertInto('artifact')
      .values(artifacts.map((artifact) => ({ revision_id: id, ...artifact })))
      .execute();
  }

  /** Finds a design whoever owns it, in memory if it was found before. */
  find(id: string): Design | undefined | Promise<Design | undefined> {
    return this.#known.get(id) ?? this.#read(id);
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
    return Promise.all(rows.map(async (row) => fromRow(row, await this.#revisionOf(row))));
  }

  /** Changes name and description. */
  async change({ id, name, description, updatedAt }: Design): Promise<void> {
    await this.#db
      .updateTable('design')
      .set({ name, description, updated_at: updatedAt.toISOString() })
      .where('id', '=', id)
      .execute();
    this.#forget(id);
  }

  /** Forgets the design. Its blobs are swept later: another design may have the same bytes. */
  async remove(id: string): Promise<void> {
    await this.#db.deleteFrom('design').where('id', '=', id).execute();
    this.#forget(id);
  }

  /** Is a blob still part of any design? */
  async uses(blob: BlobRef): Promise<boolean> {
    const source = this.#db.selectFrom('revision').select('id').where('source', '=', blob).limit(1);
    if ((await source.executeTakeFirst()) !== undefined) return true;
    const part = this.#db.selectFrom('artifact').select('kind').where('blob', '=', blob).limit(1);
    return (await part.executeTakeFirst()) !== undefined;
  }

  async #read(id: string): Promise<Design | undefined> {
    const epoch = this.#epoch;
    const row = await this.#db
      .selectFrom('design')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const design = fromRow(row, await this.#revisionOf(row));
    if (epoch === this.#epoch) this.#remember(design);
    return design;
  }

  async #revisionOf({ revision_id }: DesignRow): Promise<Revision | undefined> {
    if (revision_id === null) return undefined;
    const row = await this.#db
      .selectFrom('revision')
      .selectAll()
      .where('id', '=', revision_id)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const artifacts = await this.#db
      .selectFrom('artifact')
      .selectAll()
      .where('revision_id', '=', revision_id)
      .execute();
    return revisionFromRows(row, artifacts);
  }

  #remember(design: Design): void {
    if (this.#known.size >= REMEMBERED) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    this.#known.set(design.id, design);
  }

  #forget(id: string): void {
    this.#epoch += 1;
    this.#known.delete(id);
  }
}

function toRow(design: Design): DesignRow {
  return {
    id: design.id,
    user_id: design.user,
    name: design.name,
    description: design.description,
    status: design.status,
    revision_id: design.revision?.id ?? null,
    created_at: design.createdAt.toISOString(),
    updated_at: design.updatedAt.toISOString(),
  };
}

function fromRow(row: DesignRow, revision: Revision | undefined): Design {
  return {
    id: row.id,
    user: row.user_id,
    name: row.name,
    description: row.description,
    status: row.status as Status,
    revision,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}

function revisionFromRows(row: RevisionRow, artifacts: readonly ArtifactRow[]): Revision {
  return {
    id: row.id,
    number: row.number,
    source: row.source as BlobRef,
    stats: JSON.parse(row.stats),
    artifacts: artifacts.map(({ kind, blob, bytes }) => ({ kind, blob, bytes }) as Artifact),
  };
}
