import type { Database, Transaction } from '../database/database.ts';
import { lockUntilCommit } from '../database/locks.ts';
import {
  addAmounts,
  assertWithinQuota,
  createByteQuotaError,
  hasLimits,
  NO_QUOTAS,
  type QuotaAmount,
  type QuotaLimits,
  type QuotaRequest,
  toBytes,
} from './quota.ts';

/** Quota of an upload in progress. Disposing it releases what it reserves. */
export interface Reservation extends Disposable {
  /** The most bytes that the upload may have. */
  readonly maxBytes: number;
  /** Sets the size of the file, at most `maxBytes`, when it is known. */
  resize(bytes: number): void;
}

/** Uploads in progress that are stored elsewhere. */
export type PendingUploads = { sumPending(user: string): QuotaAmount };

export type QuotasOptions = {
  database: Database;
  /** The limits of users without limits of their own. */
  limits: QuotaLimits;
  pendingUploads: PendingUploads;
};

/** What a user uses, and may use. */
export type QuotaUsage = { stored: QuotaAmount; reserved: QuotaAmount; limits: QuotaLimits };

/** Limits what each user stores. Uploads in progress count too, those on this node only. */
export class Quotas {
  readonly #database: Database;
  readonly #limits: QuotaLimits;
  readonly #pendingUploads: PendingUploads;
  readonly #reservations = new Map<string, Set<QuotaAmount>>();
  /** Number of uploads that were committed on this node. */
  #commits = 0;

  constructor({ database, limits, pendingUploads }: QuotasOptions) {
    this.#database = database;
    this.#limits = limits;
    this.#pendingUploads = pendingUploads;
  }

  /**
   * Reserves quota for an upload, until it is disposed.
   *
   * @throws {Problem} upload.quota
   */
  reserve(user: string, request: QuotaRequest): Promise<Reservation> {
    return this.check(user, request, (maxBytes) =>
      this.#add(user, { bytes: maxBytes, designs: request.designs }),
    );
  }

  /**
   * Checks the quota and runs `onAccepted` in the same step, so that no other upload is accepted in
   * between. `onAccepted` receives the most bytes that the upload may have.
   *
   * @throws {Problem} upload.quota
   */
  async check<T>(
    user: string,
    request: QuotaRequest,
    onAccepted: (maxBytes: number) => T,
  ): Promise<T> {
    for (;;) {
      const commits = this.#commits;
      const { stored, limits } = await this.#read(user, this.#database);
      // During the query, an upload may have moved from the reservations to the rows.
      if (commits !== this.#commits && hasLimits(limits)) continue;
      const used = addAmounts(stored, this.#sumReserved(user));
      return onAccepted(assertWithinQuota(used, request, limits));
    }
  }

  /**
   * Asserts that a file of known size can be stored, in the transaction that stores it: an operator may
   * have changed the limit, and another node may have stored other files.
   *
   * @throws {Problem} upload.quota
   */
  async assertStorable(user: string, needed: QuotaAmount, trx: Transaction): Promise<void> {
    await lockUntilCommit(trx, `quota:${user}`);
    const { stored, limits } = await this.#read(user, trx);
    const { bytes, designs } = needed;
    assertWithinQuota(stored, { minBytes: bytes, maxBytes: bytes, designs }, limits);
  }

  /** Creates the problem of an upload with more bytes than were left when it started. */
  async createExceededError(user: string, { maxBytes }: Reservation): Promise<Error> {
    const { stored, reserved, limits } = await this.getUsage(user);
    const others = stored.bytes + reserved.bytes - maxBytes;
    return createByteQuotaError(others, limits.bytes, `more than ${maxBytes}`);
  }

  /** Must be called after the transaction that stores a file, together with the end of its reservation. */
  recordCommit(): void {
    this.#commits += 1;
  }

  async getUsage(user: string): Promise<QuotaUsage> {
    const limits = await this.#readLimits(user, this.#database);
    const stored = await sumStored(user, this.#database);
    return { stored, reserved: this.#sumReserved(user), limits };
  }

  /** Adds a reservation. Must not be async: see `check`. */
  #add(user: string, amount: QuotaAmount): Reservation {
    const all = this.#reservations;
    const ofUser = all.get(user) ?? new Set();
    all.set(user, ofUser.add(amount));
    return {
      maxBytes: amount.bytes,
      resize: (bytes) => {
        amount.bytes = bytes;
      },
      [Symbol.dispose]: () => {
        ofUser.delete(amount);
        if (ofUser.size === 0 && all.get(user) === ofUser) all.delete(user);
      },
    };
  }

  #sumReserved(user: string): QuotaAmount {
    const reservations = [...(this.#reservations.get(user) ?? [])];
    return reservations.reduce(addAmounts, this.#pendingUploads.sumPending(user));
  }

  /** Reads the limits of a user, and what it stores: nothing, if there is no limit. */
  async #read(user: string, db: Database | Transaction) {
    const limits = await this.#readLimits(user, db);
    return { limits, stored: hasLimits(limits) ? await sumStored(user, db) : NO_QUOTAS };
  }

  async #readLimits(user: string, db: Database | Transaction): Promise<QuotaLimits> {
    const row = await db
      .selectFrom('user')
      .select(['max_megabytes', 'max_designs'])
      .where('id', '=', user)
      .executeTakeFirst();
    const { max_megabytes: megabytes = null, max_designs: designs = null } = row ?? {};
    return {
      bytes: megabytes === null ? this.#limits.bytes : toBytes(megabytes),
      designs: designs ?? this.#limits.designs,
    };
  }
}

async function sumStored(user: string, db: Database | Transaction): Promise<QuotaAmount> {
  const { bytes } = await db
    .selectFrom('design')
    .innerJoin('revision', 'revision.design_id', 'design.id')
    .select(({ fn }) => fn.sum('revision.source_size_bytes').as('bytes'))
    .where('design.user_id', '=', user)
    .executeTakeFirstOrThrow();
  const { designs } = await db
    .selectFrom('design')
    .select(({ fn }) => fn.countAll().as('designs'))
    .where('user_id', '=', user)
    .executeTakeFirstOrThrow();
  // PostgreSQL returns both as text, and the sum of no rows is null.
  return { bytes: Number(bytes), designs: Number(designs) };
}
