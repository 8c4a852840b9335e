import type { Database, Transaction } from '../database/database.ts';
import { lockUntilCommit } from '../database/locks.ts';
import { runTransaction } from '../database/transaction.ts';
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
import type { ReservationStore, ReservedSumOptions } from './reservation-store.ts';

/** Quota of an upload in progress. Disposing it releases what it reserves. */
export interface Reservation extends AsyncDisposable {
  /** The most bytes that the upload may have. */
  readonly maxBytes: number;
  /** Whether another request with the same key was in progress: that may be why there is not more. */
  readonly isRetry: boolean;
  /** Sets the size of the file, at most `maxBytes`, when it is known. */
  resize(bytes: number): Promise<void>;
  /** Releases what it reserves in the transaction that stores the file. */
  release(trx: Transaction): Promise<void>;
}

/** What an upload in one request needs. */
type ReservationRequest = QuotaRequest & {
  /** The hash of its Idempotency-Key. */
  keyHash?: string | undefined;
};

/** What an upload may have: at most so many bytes. */
type Allowance = { maxBytes: number; isRetry: boolean; time: Date };

/** The quota is not enough while another request with the same key is in progress. That one may be the only reason. */
export class FirstRequestRunningError extends Error {}

/** Resumable uploads in progress. */
export type PendingUploads = {
  sumPending(user: string, db: Database | Transaction): Promise<QuotaAmount>;
};

export type QuotasOptions = {
  database: Database;
  /** The limits of users without limits of their own. */
  limits: QuotaLimits;
  pendingUploads: PendingUploads;
  reservations: ReservationStore;
};

/** The quotas of a user itself, if it has any. */
type OwnQuotas = { maxMegabytes: number | undefined; maxDesigns: number | undefined };

/** What a user uses, and may use. */
export type QuotaUsage = { stored: QuotaAmount; reserved: QuotaAmount; limits: QuotaLimits };

/** Limits what each user stores. Uploads in progress count too, on all nodes. */
export class Quotas {
  readonly #database: Database;
  readonly #limits: QuotaLimits;
  readonly #pendingUploads: PendingUploads;
  readonly #reservations: ReservationStore;

  constructor({ database, limits, pendingUploads, reservations }: QuotasOptions) {
    this.#database = database;
    this.#limits = limits;
    this.#pendingUploads = pendingUploads;
    this.#reservations = reservations;
  }

  /**
   * Reserves quota for an upload, until it is disposed.
   *
   * @throws {Problem} upload.quota
   * @throws {FirstRequestRunningError}
   */
  async reserve(user: string, request: ReservationRequest): Promise<Reservation> {
    const { designs, keyHash } = request;
    const reservations = this.#reservations;
    const { id, maxBytes, isRetry } = await this.#runLocked(
      user,
      request,
      async (trx, allowance) => {
        const { maxBytes: bytes, time } = allowance;
        const id = await reservations.add(user, { bytes, designs, keyHash }, { time, trx });
        return { id, ...allowance };
      },
    );
    reservations.keep(id);
    return {
      maxBytes,
      isRetry,
      resize: async (fileBytes) => {
        if (fileBytes !== maxBytes) await reservations.setBytes(id, fileBytes);
      },
      release: (trx) => reservations.removeWith(trx, id),
      [Symbol.asyncDispose]: () => reservations.remove(id),
    };
  }

  /**
   * Runs `add` in a transaction. It adds a row that counts as a pending upload from then on; no node accepts another one in
   * between.
   *
   * @throws {Problem} upload.quota
   */
  addPending<T>(
    user: string,
    request: QuotaRequest,
    add: (trx: Transaction) => Promise<T>,
  ): Promise<T> {
    return this.#runLocked(user, request, add);
  }

  /**
   * Asserts that a file of known size can be stored, in the transaction that stores it: an operator may
   * have changed the limit, and another node may have stored other files.
   *
   * @throws {Problem} upload.quota
   */
  async assertStorable(user: string, needed: QuotaAmount, trx: Transaction): Promise<void> {
    await lockUser(user, trx);
    const limits = await this.#readLimits(user, trx);
    const stored = hasLimits(limits) ? await sumStored(user, trx) : NO_QUOTAS;
    const { bytes, designs } = needed;
    assertWithinQuota(stored, { minBytes: bytes, maxBytes: bytes, designs }, limits);
  }

  /** Creates the problem of an upload with more bytes than were left when it started. */
  async createExceededError(user: string, { maxBytes }: Reservation): Promise<Error> {
    const { stored, reserved, limits } = await this.getUsage(user);
    const others = stored.bytes + reserved.bytes - maxBytes;
    return createByteQuotaError(others, limits.bytes, `more than ${maxBytes}`);
  }

  async getUsage(user: string): Promise<QuotaUsage> {
    const limits = await this.#readLimits(user, this.#database);
    const stored = await sumStored(user, this.#database);
    const time = await this.#reservations.readTime();
    const { bytes, designs } = await this.#sumReserved(user, { time }, this.#database);
    return { stored, reserved: { bytes, designs }, limits };
  }

  /** Runs `add` in a transaction, with what the upload may have, if the quota is enough. */
  async #runLocked<T>(
    user: string,
    request: ReservationRequest,
    add: (trx: Transaction, allowance: Allowance) => Promise<T>,
  ): Promise<T> {
    const time = await this.#reservations.readTime();
    return runTransaction(this.#database, async (trx) => {
      await lockUser(user, trx);
      const { used, isRetry, limits } = await this.#read(user, { ...request, time }, trx);
      return add(trx, { maxBytes: getMaxBytes(used, request, limits, isRetry), isRetry, time });
    });
  }

  /** Reads the limits of a user, and what its files and pending uploads use: nothing, if there is no limit. */
  async #read(user: string, options: ReservedSumOptions, trx: Transaction) {
    const limits = await this.#readLimits(user, trx);
    if (!hasLimits(limits)) return { limits, used: NO_QUOTAS, isRetry: false };
    const stored = await sumStored(user, trx);
    const { hasKey, ...reserved } = await this.#sumReserved(user, options, trx);
    return { limits, used: addAmounts(stored, reserved), isRetry: hasKey };
  }

  async #sumReserved(user: string, options: ReservedSumOptions, db: Database | Transaction) {
    const pending = await this.#pendingUploads.sumPending(user, db);
    const reserved = await this.#reservations.sum(user, options, db);
    return { ...addAmounts(pending, reserved), hasKey: reserved.hasKey };
  }

  async #readLimits(user: string, db: Database | Transaction): Promise<QuotaLimits> {
    const row = await db
      .selectFrom('user')
      .select(['max_megabytes', 'max_designs'])
      .where('id', '=', user)
      .executeTakeFirst();
    const { max_megabytes: megabytes, max_designs: designs } = row ?? {};
    return this.toLimits({
      maxMegabytes: megabytes ?? undefined,
      maxDesigns: designs ?? undefined,
    });
  }

  /** Returns what applies to a user with these quotas: its own, or those of the service. */
  toLimits({ maxMegabytes, maxDesigns }: OwnQuotas): QuotaLimits {
    return {
      bytes: maxMegabytes === undefined ? this.#limits.bytes : toBytes(maxMegabytes),
      designs: maxDesigns ?? this.#limits.designs,
    };
  }
}

/** @throws {Problem} upload.quota, or FirstRequestRunningError if it is a retry */
function getMaxBytes(
  used: QuotaAmount,
  request: QuotaRequest,
  limits: QuotaLimits,
  isRetry: boolean,
): number {
  try {
    return assertWithinQuota(used, request, limits);
  } catch (error) {
    throw isRetry ? new FirstRequestRunningError('In progress.', { cause: error }) : error;
  }
}

function lockUser(user: string, trx: Transaction): Promise<void> {
  return lockUntilCommit(trx, `quota:${user}`);
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
