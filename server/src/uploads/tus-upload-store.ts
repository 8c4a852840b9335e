import { randomBytes } from 'node:crypto';
import { Problem } from '@cloche/contract/problem';
import type { Database, Transaction, TusUploadRow } from '../database/database.ts';
import { runTransaction } from '../database/transaction.ts';
import { completeDesignFields } from '../designs/design-fields.ts';
import {
  type InitialBytes,
  type NewTusUpload,
  type TusUpload,
  UPLOAD_LIFETIME_MS,
  type UploadResult,
} from './tus-upload.ts';
import type { Segment } from './upload-segments.ts';

/** Maximum number of incomplete uploads of one user. */
const MAX_INCOMPLETE_PER_USER = 100;

/** Stores resumable uploads, without their bytes. */
export class TusUploadStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Creates an upload. The transaction must hold a lock on the user.
   *
   * @throws {Problem} server.busy
   */
  async create(newUpload: NewTusUpload, now: Date, trx: Transaction): Promise<TusUpload> {
    const { count } = await trx
      .selectFrom('upload')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('user_id', '=', newUpload.user)
      .where('result', 'is', null)
      .where('created_at', '>', toOldestCreation(now))
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_INCOMPLETE_PER_USER) {
      throw new Problem('server.busy', {
        detail: `You have ${MAX_INCOMPLETE_PER_USER} incomplete uploads. Complete or delete some; they expire ${UPLOAD_LIFETIME_MS / 3_600_000} hours after creation.`,
        retryAfterSeconds: 60,
      });
    }
    const id = randomBytes(16).toString('hex');
    const upload: TusUpload = { id, ...newUpload, offset: 0, createdAt: now, result: undefined };
    const keyHash = upload.creationKey?.keyHash;
    // Of an upload that has expired.
    if (keyHash !== undefined)
      await trx
        .updateTable('upload')
        .set({ creation_key_hash: null })
        .where('creation_key_hash', '=', keyHash)
        .execute();
    await trx.insertInto('upload').values(toRow(upload)).execute();
    return upload;
  }

  /**
   * Returns what the uploads of a user will need that are neither complete nor expired.
   *
   * @param maxBytes counts for an upload whose length is not known
   */
  async sumPending(
    user: string,
    maxBytes: number,
    now: Date,
    db: Database | Transaction = this.#db,
  ): Promise<{ bytes: number; designs: number }> {
    const { bytes, designs } = await db
      .selectFrom('upload')
      .select(({ fn, val }) => [
        fn.sum<number | null>(fn.coalesce('size_bytes', val(maxBytes))).as('bytes'),
        fn.sum<number | null>('creates_design').as('designs'),
      ])
      .where('user_id', '=', user)
      .where('result', 'is', null)
      .where('created_at', '>', toOldestCreation(now))
      .executeTakeFirstOrThrow();
    return { bytes: Number(bytes), designs: Number(designs) };
  }

  async find(id: string): Promise<TusUpload | undefined> {
    const row = await this.#db
      .selectFrom('upload')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && toUpload(row);
  }

  /** Finds the upload that a request with this Idempotency-Key created, unless it has expired. */
  async findByCreationKey(
    keyHash: string,
    now: Date,
    db: Database | Transaction = this.#db,
  ): Promise<TusUpload | undefined> {
    const row = await db
      .selectFrom('upload')
      .selectAll()
      .where('creation_key_hash', '=', keyHash)
      .where('created_at', '>', toOldestCreation(now))
      .executeTakeFirst();
    return row && toUpload(row);
  }

  /** Lists the uploads whose bytes were all received, but which are not complete. */
  async listReceived(): Promise<(TusUpload & { node: string | undefined; changedAt: Date })[]> {
    const rows = await this.#db
      .selectFrom('upload')
      .selectAll()
      .where('result', 'is', null)
      .whereRef('offset_bytes', '=', 'size_bytes')
      .execute();
    return rows.map((row) => ({
      ...toUpload(row),
      node: row.node ?? undefined,
      changedAt: new Date(row.changed_at),
    }));
  }

  /** Lists uploads that have expired. */
  async listExpired(now: Date): Promise<TusUpload[]> {
    const rows = await this.#db
      .selectFrom('upload')
      .selectAll()
      .where('created_at', '<=', toOldestCreation(now))
      .execute();
    return rows.map(toUpload);
  }

  /** Lists complete uploads that still have segments. */
  async listCompletedWithSegments(): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('upload')
      .select('id')
      .distinct()
      .innerJoin('upload_segment', 'upload_segment.upload_id', 'upload.id')
      .where('result', 'is not', null)
      .execute();
    return rows.map(({ id }) => id);
  }

  /** Lists the segments that an upload consists of, in their order. */
  async listSegments(id: string): Promise<Segment[]> {
    const rows = await this.#db
      .selectFrom('upload_segment')
      .selectAll()
      .where('upload_id', '=', id)
      .orderBy('start_bytes')
      .execute();
    return rows.map(({ name, start_bytes: start, size_bytes: sizeBytes }) => ({
      name,
      start,
      sizeBytes,
    }));
  }

  /** Stores which bytes the request that created the upload contained. */
  async setInitialBytes(id: string, initialBytes: InitialBytes): Promise<void> {
    await this.#db
      .updateTable('upload')
      .set({ initial_bytes: JSON.stringify(initialBytes) })
      .where('id', '=', id)
      .execute();
  }

  /**
   * Stores the result of an upload, unless it has one. Returns whether it was stored: if not, the upload was completed or removed
   * meanwhile.
   */
  async complete(
    id: string,
    result: UploadResult,
    now: Date,
    db: Database | Transaction = this.#db,
  ): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('upload')
      .set({ result: JSON.stringify(result), changed_at: now.toISOString() })
      .where('id', '=', id)
      .where('result', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Removes the segments of an upload from the database. Their bytes must have been deleted. */
  async removeSegments(id: string): Promise<void> {
    await this.#db.deleteFrom('upload_segment').where('upload_id', '=', id).execute();
  }

  /** Removes an upload. Its bytes are deleted after that. */
  async remove(id: string): Promise<void> {
    await runTransaction(this.#db, async (trx) => {
      await trx.deleteFrom('upload').where('id', '=', id).execute();
    });
  }
}

/** Uploads that were created then, or earlier, have expired. */
function toOldestCreation(now: Date): string {
  return new Date(now.getTime() - UPLOAD_LIFETIME_MS).toISOString();
}

function toRow(upload: TusUpload): TusUploadRow {
  const { id, user, sizeBytes, offset, parsedMetadata, metadata, creationKey } = upload;
  const createdAt = upload.createdAt.toISOString();
  return {
    id,
    user_id: user,
    size_bytes: sizeBytes ?? null,
    offset_bytes: offset,
    parsed_metadata: JSON.stringify(parsedMetadata),
    metadata: metadata === undefined ? null : JSON.stringify(metadata),
    creates_design: parsedMetadata.designId === undefined ? 1 : 0,
    creation_key_hash: creationKey?.keyHash ?? null,
    creation_request_hash: creationKey?.requestHash ?? null,
    initial_bytes: null,
    result: null,
    attempt: 0,
    node: null,
    leased_until: null,
    stop_requested: 0,
    created_at: createdAt,
    changed_at: createdAt,
  };
}

function toUpload(row: TusUploadRow): TusUpload {
  const { creation_key_hash: keyHash, creation_request_hash: requestHash } = row;
  const parsedMetadata = JSON.parse(row.parsed_metadata);
  // An earlier version may have begun the upload, with fewer fields of a design.
  const fields = { ...completeDesignFields({}, ''), ...parsedMetadata.fields };
  return {
    id: row.id,
    user: row.user_id,
    parsedMetadata: { ...parsedMetadata, fields },
    sizeBytes: row.size_bytes ?? undefined,
    offset: row.offset_bytes,
    metadata: parseOptional(row.metadata),
    createdAt: new Date(row.created_at),
    result: parseOptional(row.result),
    ...(keyHash !== null &&
      requestHash !== null && {
        creationKey: { keyHash, requestHash, initialBytes: parseOptional(row.initial_bytes) },
      }),
  };
}

function parseOptional(json: string | null) {
  return json === null ? undefined : JSON.parse(json);
}
