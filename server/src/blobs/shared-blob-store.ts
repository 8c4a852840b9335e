import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Problem } from '@cloche/contract/problem';
import type { Database, Transaction } from '../database/database.ts';
import { readDatabaseTime } from '../database/database-time.ts';
import { isPostgres, lockUntilCommit } from '../database/locks.ts';
import { runTransaction } from '../database/transaction.ts';
import { isStorageFull } from '../disk/disk-reserve.ts';
import { summarizeFiles } from './blob-files.ts';
import { findUnusedGeneration } from './blob-removals.ts';
import type {
  BlobRange,
  BlobRef,
  BlobStore,
  Draft,
  FileBlobStore,
  StoredBlob,
} from './blob-store.ts';
import { RetainedBlobs } from './retained-blobs.ts';

/** Longer than the time from storing a blob to the commit of the row that references it. */
const RETENTION_MS = 60 * 60 * 1000;

export type SharedBlobStoreOptions = {
  /** Whether a row references the blob, or it must be kept for another reason. */
  isNeeded(trx: Transaction, ref: BlobRef): Promise<boolean>;
  /** The clock that all nodes have in common. */
  readTime?: (trx: Transaction) => Promise<Date>;
};

/**
 * Blobs that several processes store and remove, or that are on another machine.
 *
 * A blob that a node stores is in the table `retained_blob` for an hour, so that no other node removes it: a row may be about to
 * reference it. With SQLite, there is only one process, which keeps this in memory.
 *
 * A removal is in the table `blob_removal` from before it begins until it is known to have ended. Until then, the same bytes
 * are stored as a file of another generation: docs/decisions/0081-removals-of-unknown-outcome.md.
 */
export class SharedBlobStore implements BlobStore {
  readonly #inner: FileBlobStore;
  readonly #db: Database;
  readonly #options: SharedBlobStoreOptions;
  readonly #retained = new RetainedBlobs();

  constructor(inner: FileBlobStore, db: Database, options: SharedBlobStoreOptions) {
    this.#inner = inner;
    this.#db = db;
    this.#options = options;
  }

  async createDraft(
    bytes: AsyncIterable<Uint8Array>,
    options: { maxBytes: number },
  ): Promise<Draft> {
    const draft = await this.#inner.createDraft(bytes, options);
    const retain = new DisposableStack();
    let retention = '';
    return {
      ref: draft.ref,
      sizeBytes: draft.sizeBytes,
      path: draft.path,
      commit: async () => {
        retain.use(this.#retained.retain(draft.ref));
        const { id, generation } = await this.#retain(draft.ref);
        retention = id;
        await draft.commit(generation);
      },
      assertRetained: (trx) => this.#assertRetained(draft.ref, retention, trx),
      [Symbol.asyncDispose]: async () => {
        await draft[Symbol.asyncDispose]();
        retain.dispose();
      },
    };
  }

  async remove(ref: BlobRef, storedBefore?: Date): Promise<boolean> {
    const files = await this.#inner.findFiles(ref);
    if (files.length === 0) return false;
    if (storedBefore !== undefined && summarizeFiles(files).storedAt >= storedBefore) return false;
    for (const { generation } of files)
      if (!(await this.#removeFile(ref, generation))) return false;
    return true;
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

  list(): AsyncIterable<StoredBlob> {
    return this.#inner.list();
  }

  /** From then on, no node begins to remove the blob. Returns the id of the row, and the generation of the file to store. */
  #retain(ref: BlobRef): Promise<{ id: string; generation: number }> {
    const id = randomUUID();
    return runTransaction(this.#db, async (trx) => {
      await lockBlob(ref, trx);
      if (isPostgres(trx)) {
        const created_at = (await this.#readTime(trx)).toISOString();
        await trx.insertInto('retained_blob').values({ id, blob: ref, created_at }).execute();
      }
      return { id, generation: await findUnusedGeneration(trx, ref) };
    });
  }

  /** That another node retains the same bytes is not enough: it may not have stored them yet. */
  async #assertRetained(ref: BlobRef, retention: string, trx: Transaction): Promise<void> {
    if (!isPostgres(trx)) return;
    await lockBlob(ref, trx);
    const row = await this.#selectRetained(trx, await this.#readTime(trx))
      .where('id', '=', retention)
      .executeTakeFirst();
    if (row !== undefined) return;
    throw new Problem('server.unavailable', {
      detail: 'The service stood still for too long while it stored the file. Send the file again.',
    });
  }

  async #removeFile(ref: BlobRef, generation: number): Promise<boolean> {
    const id = await this.#beginRemoval(ref, generation);
    if (id === undefined) return false;
    // Without an answer, the row stays for ever: there is no time after which the removal cannot be executed.
    const ended = await this.#inner.removeFile(ref, generation);
    if (!ended) return true;
    const endRemoval = this.#db.deleteFrom('blob_removal').where('id', '=', id).execute();
    await endRemoval.catch(() => {
      // The row stays: the bytes are stored as another generation, which is correct too.
    });
    return true;
  }

  /** Returns the id of the row of the removal, or undefined if the blob must not be removed. */
  async #beginRemoval(ref: BlobRef, generation: number): Promise<string | undefined> {
    const id = randomUUID();
    const begin = runTransaction(this.#db, async (trx) => {
      await lockBlob(ref, trx);
      // Here, because this process may have been suspended since it, or its caller, has checked the same before.
      if ((await this.#isRetained(ref, trx)) || (await this.#options.isNeeded(trx, ref)))
        return undefined;
      const created_at = (await this.#readTime(trx)).toISOString();
      await trx
        .insertInto('blob_removal')
        .values({ id, blob: ref, generation, created_at })
        .execute();
      return id;
    });
    return begin.catch((error) => {
      // Without its row, nothing is removed. A later sweep does it.
      if (isStorageFull(error)) return undefined;
      throw error;
    });
  }

  async #isRetained(ref: BlobRef, trx: Transaction): Promise<boolean> {
    if (!isPostgres(trx)) return this.#retained.has(ref);
    const row = await this.#selectRetained(trx, await this.#readTime(trx))
      .where('blob', '=', ref)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  #selectRetained(trx: Transaction, time: Date) {
    const endedAt = new Date(time.getTime() - RETENTION_MS).toISOString();
    return trx.selectFrom('retained_blob').select('id').where('created_at', '>=', endedAt);
  }

  #readTime(trx: Transaction): Promise<Date> {
    return (this.#options.readTime ?? readDatabaseTime)(trx);
  }
}

/** Deletes the rows of blobs that are not retained any more. `time` is that of the clock that all nodes have in common. */
export async function deleteEndedRetentions(database: Database, time: Date): Promise<void> {
  const endedAt = new Date(time.getTime() - RETENTION_MS).toISOString();
  await database.deleteFrom('retained_blob').where('created_at', '<', endedAt).execute();
}

function lockBlob(ref: BlobRef, trx: Transaction): Promise<void> {
  return lockUntilCommit(trx, `blob:${ref}`);
}
