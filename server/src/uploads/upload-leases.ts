import type { Database } from '../database/database.ts';
import { runTransaction } from '../database/transaction.ts';
import { publishEvent } from '../events/publish-event.ts';
import { createLeaseLostError, createUnknownUploadError } from './tus-errors.ts';
import type { Segment } from './upload-segments.ts';

/** How long a request holds an upload after the last renewal. Other requests wait so long for a node that was killed. */
export const UPLOAD_LEASE_MS = 6_000;

/** The right of one request to change an upload, while no other has a lease with a higher attempt. */
export type UploadLease = { uploadId: string; attempt: number };

type UploadLeasesOptions = {
  database: Database;
  /** The id of this node. */
  node: string;
  /** The clock of leases, which all nodes have in common. */
  leaseTime: () => Promise<Date>;
  now: () => Date;
};

/** Leases of uploads, in the database. A request that has lost its lease can change nothing: each change names the attempt. */
export class UploadLeases {
  readonly #options: UploadLeasesOptions;
  readonly #db: Database;

  constructor(options: UploadLeasesOptions) {
    this.#options = options;
    this.#db = options.database;
  }

  /**
   * Takes the lease of an upload. Returns undefined if another request has it.
   *
   * @throws {Problem} upload.unknown
   */
  async acquire(uploadId: string): Promise<UploadLease | undefined> {
    const { lease, isAcquired } = await this.acquireOrFind(uploadId);
    return isAcquired ? lease : undefined;
  }

  /**
   * Takes the lease of an upload. If another request has it, returns that lease.
   *
   * @throws {Problem} upload.unknown
   */
  async acquireOrFind(uploadId: string): Promise<{ lease: UploadLease; isAcquired: boolean }> {
    const time = await this.#options.leaseTime();
    const row = await this.#db
      .updateTable('upload')
      .set(({ eb }) => ({
        attempt: eb('attempt', '+', 1),
        node: this.#options.node,
        leased_until: toExpiry(time),
        stop_requested: 0,
      }))
      .where('id', '=', uploadId)
      .where(({ or, eb }) =>
        or([eb('leased_until', 'is', null), eb('leased_until', '<=', time.toISOString())]),
      )
      .returning('attempt')
      .executeTakeFirst();
    if (row !== undefined) return { lease: { uploadId, attempt: row.attempt }, isAcquired: true };
    const upload = await this.#db
      .selectFrom('upload')
      .select('attempt')
      .where('id', '=', uploadId)
      .executeTakeFirst();
    if (upload === undefined) throw createUnknownUploadError();
    return { lease: { uploadId, attempt: upload.attempt }, isAcquired: false };
  }

  /**
   * Asks the request that has this lease to end, once. It notices by the event, or with its next renewal. If it does not end, its lease
   * does.
   */
  async requestStop({ uploadId, attempt }: UploadLease): Promise<void> {
    const { numUpdatedRows } = await this.#db
      .updateTable('upload')
      .set({ stop_requested: 1 })
      .where('id', '=', uploadId)
      .where('attempt', '=', attempt)
      .where('leased_until', 'is not', null)
      .where('stop_requested', '=', 0)
      .executeTakeFirst();
    if (numUpdatedRows > 0n)
      await publishEvent({ topic: 'upload', id: uploadId, attempt }, this.#db);
  }

  /**
   * Extends a lease. Returns whether the request may go on. If it has lost or released the lease, or was asked to end, nothing is
   * extended.
   */
  async renew({ uploadId, attempt }: UploadLease): Promise<boolean> {
    const time = await this.#options.leaseTime();
    const { numUpdatedRows } = await this.#db
      .updateTable('upload')
      .set({ leased_until: toExpiry(time) })
      .where('id', '=', uploadId)
      .where('attempt', '=', attempt)
      .where('leased_until', 'is not', null)
      .where('stop_requested', '=', 0)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Ends a lease. Does nothing if another request has one. */
  async release({ uploadId, attempt }: UploadLease): Promise<void> {
    await this.#db
      .updateTable('upload')
      .set({ leased_until: null })
      .where('id', '=', uploadId)
      .where('attempt', '=', attempt)
      .execute();
  }

  /** Ends the leases of this node that are from before its start. */
  async releaseOwn(): Promise<void> {
    await this.#db
      .updateTable('upload')
      .set({ leased_until: null })
      .where('node', '=', this.#options.node)
      .where('leased_until', 'is not', null)
      .execute();
  }

  /**
   * Stores the Upload-Length, which was deferred.
   *
   * @throws {Problem} upload.locked, if another request has taken the lease
   */
  async setLength({ uploadId, attempt }: UploadLease, sizeBytes: number): Promise<void> {
    const { numUpdatedRows } = await this.#db
      .updateTable('upload')
      .set({ size_bytes: sizeBytes })
      .where('id', '=', uploadId)
      .where('attempt', '=', attempt)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw createLeaseLostError();
  }

  /**
   * Acknowledges bytes: adds a stored segment to the upload, or extends its last one, and sets the offset.
   *
   * @param from the offset so far
   * @throws {Problem} upload.locked, if another request has taken the lease
   */
  async acknowledge(
    { uploadId, attempt }: UploadLease,
    from: number,
    { name, start, sizeBytes }: Segment,
  ): Promise<void> {
    const changedAt = this.#options.now().toISOString();
    await runTransaction(this.#db, async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('upload')
        .set({ offset_bytes: start + sizeBytes, changed_at: changedAt })
        .where('id', '=', uploadId)
        .where('attempt', '=', attempt)
        .where('offset_bytes', '=', from)
        .where('result', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw createLeaseLostError();
      await trx
        .insertInto('upload_segment')
        .values({ upload_id: uploadId, name, start_bytes: start, size_bytes: sizeBytes })
        .onConflict((conflict) =>
          conflict.columns(['upload_id', 'start_bytes']).doUpdateSet({ size_bytes: sizeBytes }),
        )
        .execute();
    });
  }
}

function toExpiry(time: Date): string {
  return new Date(time.getTime() + UPLOAD_LEASE_MS).toISOString();
}
