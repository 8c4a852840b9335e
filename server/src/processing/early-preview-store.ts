import type { ModelStats } from '@cloche/contract/model-stats';
import type { BlobRef } from '../blobs/blob-store.ts';
import type { Database, Transaction } from '../database/database.ts';

/** The preview of a revision whose model is still being made. It was validated like every artifact. */
export type EarlyPreview = {
  revisionId: string;
  /** The SHA-256 of the file. */
  blob: BlobRef;
  sizeBytes: number;
  /** Of the preview itself. */
  stats: ModelStats;
};

/**
 * Stores the previews of the revisions that are being processed, in the database: each is small, and is deleted in the
 * transaction that ends the processing of its revision, or with its revision.
 */
export class EarlyPreviewStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Adds the preview of a revision, or replaces that of an earlier attempt. The caller has locked the design.
   *
   * @returns false, and adds nothing, if the revision is not being processed any more
   */
  async add(
    { revisionId, blob, sizeBytes, stats }: EarlyPreview,
    file: Buffer,
    trx: Transaction,
  ): Promise<boolean> {
    const revision = await trx
      .selectFrom('revision')
      .select('id')
      .where('id', '=', revisionId)
      .where('status', '=', 'processing')
      .executeTakeFirst();
    if (revision === undefined) return false;
    const content = file.toString('base64');
    const columns = { blob, size_bytes: sizeBytes, stats: JSON.stringify(stats), content };
    await trx
      .insertInto('early_preview')
      .values({ revision_id: revisionId, ...columns })
      .onConflict((conflict) => conflict.column('revision_id').doUpdateSet(columns))
      .execute();
    return true;
  }

  async find(revisionId: string): Promise<EarlyPreview | undefined> {
    const row = await this.#select()
      .where('early_preview.revision_id', '=', revisionId)
      .executeTakeFirst();
    return row && toEarlyPreview(row);
  }

  /** Finds that of the latest upload. */
  async findByDesign(designId: string): Promise<EarlyPreview | undefined> {
    const row = await this.#select()
      .innerJoin('revision', 'revision.id', 'early_preview.revision_id')
      .where('revision.design_id', '=', designId)
      .orderBy('revision.number', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row && toEarlyPreview(row);
  }

  /** Reads the file. Undefined if the revision has none, or another one. */
  async read({ revisionId, blob }: EarlyPreview): Promise<Buffer | undefined> {
    const row = await this.#db
      .selectFrom('early_preview')
      .select('content')
      .where('revision_id', '=', revisionId)
      .where('blob', '=', blob)
      .executeTakeFirst();
    return row && Buffer.from(row.content, 'base64');
  }

  #select() {
    return this.#db
      .selectFrom('early_preview')
      .select(['early_preview.revision_id', 'early_preview.blob'])
      .select(['early_preview.size_bytes', 'early_preview.stats']);
  }
}

/** Called in each transaction that ends the processing of a revision. */
export async function removeEarlyPreview(revisionId: string, trx: Transaction): Promise<void> {
  await trx.deleteFrom('early_preview').where('revision_id', '=', revisionId).execute();
}

function toEarlyPreview(row: {
  revision_id: string;
  blob: string;
  size_bytes: number;
  stats: string;
}): EarlyPreview {
  return {
    revisionId: row.revision_id,
    blob: row.blob as BlobRef,
    sizeBytes: row.size_bytes,
    stats: JSON.parse(row.stats),
  };
}
