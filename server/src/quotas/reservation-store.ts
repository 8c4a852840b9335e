import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '../database/database.ts';
import type { QuotaAmount } from './quota.ts';

const RENEWAL_INTERVAL_MS = 20_000;
/** After the crash of a node, what its uploads have reserved is free so much later. */
export const RESERVATION_LEASE_MS = 3 * RENEWAL_INTERVAL_MS;

export type ReservationStoreOptions = {
  database: Database;
  /** The id of this node. */
  node: string;
  /** The clock of leases, which all nodes have in common. */
  leaseTime: () => Promise<Date>;
};

/** What an upload reserves. */
type NewReservation = QuotaAmount & {
  /** The hash of the Idempotency-Key of its request. */
  keyHash: string | undefined;
};

/** The time by the clock of leases, and the key to look for. */
export type ReservedSumOptions = { time: Date; keyHash?: string | undefined };

/** What the uploads of a user reserve, and whether one of them has the given key. */
type ReservedAmount = QuotaAmount & { hasKey: boolean };

/** Stores what the uploads in one request reserve while they are in progress, on all nodes. */
export class ReservationStore implements Disposable {
  readonly #options: ReservationStoreOptions;
  readonly #db: Database;
  /** The ids of those of this process. */
  readonly #own = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ReservationStoreOptions) {
    this.#options = options;
    this.#db = options.database;
  }

  /** Deletes the reservations of this node that are from before its start. From then on, its own are extended. */
  async start(): Promise<void> {
    await this.#db
      .deleteFrom('upload_reservation')
      .where('node', '=', this.#options.node)
      .execute();
    // A renewal that fails is tried again at the next interval.
    const renew = () => void this.renew().catch(() => {});
    this.#timer ??= setInterval(renew, RENEWAL_INTERVAL_MS).unref();
  }

  /** Reads the clock of leases. Must not be called in a transaction: it may need another connection. */
  readTime(): Promise<Date> {
    return this.#options.leaseTime();
  }

  /** Adds a reservation, and returns its id. The transaction must hold a lock on the user. */
  async add(
    user: string,
    { bytes, designs, keyHash }: NewReservation,
    { time, trx }: { time: Date; trx: Transaction },
  ): Promise<string> {
    await trx
      .deleteFrom('upload_reservation')
      .where('user_id', '=', user)
      .where('leased_until', '<=', time.toISOString())
      .execute();
    const id = randomUUID();
    const { node } = this.#options;
    const values = {
      id,
      user_id: user,
      size_bytes: bytes,
      designs,
      node,
      key_hash: keyHash ?? null,
    };
    await trx
      .insertInto('upload_reservation')
      .values({ ...values, leased_until: toExpiry(time) })
      .execute();
    return id;
  }

  /** Extends a reservation of this process until it is removed. */
  keep(id: string): void {
    this.#own.add(id);
  }

  async setBytes(id: string, bytes: number): Promise<void> {
    await this.#db
      .updateTable('upload_reservation')
      .set({ size_bytes: bytes })
      .where('id', '=', id)
      .execute();
  }

  /** Removes a reservation in the transaction that stores its file. */
  async removeWith(trx: Transaction, id: string): Promise<void> {
    await trx.deleteFrom('upload_reservation').where('id', '=', id).execute();
  }

  /** Ends a reservation of this process. */
  async remove(id: string): Promise<void> {
    this.#own.delete(id);
    await this.#db
      .deleteFrom('upload_reservation')
      .where('id', '=', id)
      .execute()
      .catch(() => {
        // It ends with its lease.
      });
  }

  /** Extends all reservations of this process. */
  async renew(): Promise<void> {
    if (this.#own.size === 0) return;
    const time = await this.readTime();
    await this.#db
      .updateTable('upload_reservation')
      .set({ leased_until: toExpiry(time) })
      .where('id', 'in', [...this.#own])
      .execute();
  }

  /** Returns what the uploads of a user reserve on all nodes, and whether a request with this key is one of them. */
  async sum(
    user: string,
    { time, keyHash = '' }: ReservedSumOptions,
    db: Database | Transaction,
  ): Promise<ReservedAmount> {
    const { bytes, designs, keys } = await db
      .selectFrom('upload_reservation')
      .select(({ fn }) => [
        fn.sum('size_bytes').as('bytes'),
        fn.sum('designs').as('designs'),
        fn.countAll().filterWhere('key_hash', '=', keyHash).as('keys'),
      ])
      .where('user_id', '=', user)
      .where('leased_until', '>', time.toISOString())
      .executeTakeFirstOrThrow();
    // PostgreSQL returns numbers as text, and the sum of no rows is null.
    return { bytes: Number(bytes), designs: Number(designs), hasKey: Number(keys) > 0 };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

function toExpiry(time: Date): string {
  return new Date(time.getTime() + RESERVATION_LEASE_MS).toISOString();
}
