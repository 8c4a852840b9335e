import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Database, Transaction } from '../database/database.ts';
import { lockUntilCommit } from '../database/locks.ts';
import { runTransaction } from '../database/transaction.ts';
import type { BlobRange, BlobRef, BlobStore, Draft } from './blob-store.ts';

/** Longer than the time from storing a blob to the commit of the row that references it. */
const RETENTION_MS = 60 * 60 * 1000;

/**
 * Blobs that several nodes store and remove. A blob that one of them stores is in the table `retained_blob` for an
 * hour, so that no other node removes it: a row may be about to reference it.
 */
export class SharedBlobStore implements BlobStore {
  readonly #inner: BlobStore;
  readonly #db: Database;
  readonly #now: () => Date;

  constructor(inner: BlobStore, db: Database, now: () => Date = () => new Date()) {
    this.#inner = inner;
    this.#db = db;
    this.#now = now;
  }

  async createDraft(
    bytes: AsyncIterable<Uint8Array>,
    options: { maxBytes: number },
  ): Promise<Draft> {
    const draft = await this.#inner.createDraft(bytes, options);
    return {
      ref: draft.ref,
      sizeBytes: draft.sizeBytes,
      path: draft.path,
      commit: async () => {
        await this.#retain(draft.ref);
        await draft.commit();
      },
      [Symbol.asyncDispose]: () => draft[Symbol.asyncDispose](),
    };
  }

  remove(ref: BlobRef, storedBefore?: Date): Promise<boolean> {
    return runTransaction(this.#db, async (trx) => {
      await lockBlob(ref, trx);
      if (await this.#isRetained(ref, trx)) return false;
      return this.#inner.remove(ref, storedBefore);
    });
  }

  open(ref: BlobRef, range?: BlobRange): Promise<Readable | undefined> {
    return this.#inner.open(ref, range);
  }

  read(ref: BlobRef): Promise<Buffer | undefined> {
    return this.#inner.read(ref);
  }

  copyToFile(ref: BlobRef, path: string): Promise<boolean> {
    return this.#inner.copyToFile(ref, path);
  }

  list(): AsyncIterable<{ ref: BlobRef; storedAt: Date }> {
    return this.#inner.list();
  }

  /** Waits for a node that is removing the blob. From then on, none does. */
  async #retain(ref: BlobRef): Promise<void> {
    const row = { id: randomUUID(), blob: ref, created_at: this.#now().toISOString() };
    await runTransaction(this.#db, async (trx) => {
      await lockBlob(ref, trx);
      await trx.insertInto('retained_blob').values(row).execute();
    });
  }

  async #isRetained(ref: BlobRef, trx: Transaction): Promise<boolean> {
    const endedAt = new Date(this.#now().getTime() - RETENTION_MS).toISOString();
    const row = await trx
      .selectFrom('retained_blob')
      .select('id')
      .where('blob', '=', ref)
      .where('created_at', '>=', endedAt)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }
}

/** Deletes the rows of blobs that are not retained any more. */
export async function deleteEndedRetentions(database: Database, now: Date): Promise<void> {
  const endedAt = new Date(now.getTime() - RETENTION_MS).toISOString();
  await database.deleteFrom('retained_blob').where('created_at', '<', endedAt).execute();
}

function lockBlob(ref: BlobRef, trx: Transaction): Promise<void> {
  return lockUntilCommit(trx, `blob:${ref}`);
}
