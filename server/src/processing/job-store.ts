import type { Database } from '../database/database.ts';
import { getRetryDelayMs, type Job, LEASE_DURATION_MS, RETRY_DELAY_MS } from './job.ts';

/** The shelf of jobs, in the order they came. A job is done at least once; its row goes when it is done. */
export class JobStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async add({ id, revisionId, attempts }: Job, now: Date, step: Database): Promise<void> {
    const time = now.toISOString();
    await step
      .insertInto('job')
      .values({
        ...{ id, revision_id: revisionId, attempts },
        ...{ due_at: time, leased_until: null, created_at: time },
      })
      .execute();
  }

  async count(): Promise<number> {
    const { count } = await this.#db
      .selectFrom('job')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Takes the next job that is due and that nobody runs; `except`: those one runs oneself. */
  async claim(now: Date, except: readonly string[] = []): Promise<Job | undefined> {
    const time = now.toISOString();
    const free = this.#db
      .selectFrom('job')
      .select('id')
      .where('due_at', '<=', time)
      .where((where) =>
        where.or([where('leased_until', 'is', null), where('leased_until', '<', time)]),
      )
      .$if(except.length > 0, (query) => query.where('id', 'not in', except))
      .orderBy('created_at')
      .orderBy('id')
      .limit(1);
    const row = await this.#db
      .updateTable('job')
      .set(({ eb }) => ({ leased_until: toLeaseExpiry(now), attempts: eb('attempts', '+', 1) }))
      .where('id', '=', free)
      .returningAll()
      .executeTakeFirst();
    return row && { id: row.id, revisionId: row.revision_id, attempts: row.attempts };
  }

  /** Says that a job is still run; false when it is gone, or another's. */
  async renewLease({ id, attempts }: Job, now: Date): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('job')
      .set({ leased_until: toLeaseExpiry(now) })
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Gives a job back, to be begun again after a while; `countless`: as if it had not been begun. */
  async release(
    { id, attempts }: Job,
    now: Date,
    { countless = false, retryMs = RETRY_DELAY_MS } = {},
  ): Promise<void> {
    const dueAt = countless ? now : new Date(now.getTime() + getRetryDelayMs(attempts, retryMs));
    await this.#db
      .updateTable('job')
      .set({
        leased_until: null,
        due_at: dueAt.toISOString(),
        attempts: countless ? attempts - 1 : attempts,
      })
      .where('id', '=', id)
      // Who lost the lease has nothing to give: another runs the job.
      .where('attempts', '=', attempts)
      .execute();
  }

  /** Removes a job; false when it is gone already: its design was deleted, or another ended it. */
  async remove({ id, attempts }: Job, step: Database = this.#db): Promise<boolean> {
    const { numDeletedRows } = await step
      .deleteFrom('job')
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  /** Ends every lease and every wait: for a process that is alone with the database, when it starts. */
  async releaseAll(now: Date): Promise<void> {
    const due = { leased_until: null, due_at: now.toISOString() };
    await this.#db.updateTable('job').set(due).execute();
  }

  /** When the next job that nobody runs is due. */
  async findNextDueAt(): Promise<Date | undefined> {
    const row = await this.#db
      .selectFrom('job')
      .select('due_at')
      .where('leased_until', 'is', null)
      .orderBy('due_at')
      .limit(1)
      .executeTakeFirst();
    return row && new Date(row.due_at);
  }
}

const toLeaseExpiry = (now: Date) => new Date(now.getTime() + LEASE_DURATION_MS).toISOString();
