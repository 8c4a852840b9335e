import { Problem } from '@cloche/contract/problem';
import type { Database, JobRow, Transaction } from '../database/database.ts';
import { lockUntilCommit } from '../database/locks.ts';
import { publishEvent } from '../events/publish-event.ts';
import { getRetryDelayMs, type Job, LEASE_DURATION_MS, RETRY_DELAY_MS } from './job.ts';
import { type ClaimOptions, selectClaimableJob } from './select-claimable-job.ts';

export type ReleaseOptions = {
  /** `false` for an attempt that was aborted, or that failed because of the machine. Default: true. */
  countAttempt?: boolean;
  /** Delay before the first retry, and before one after an attempt that does not count. Default of those: 0. */
  retryDelayMs?: number;
};

/** A claimed job and the owner of its design. */
export type ClaimedJob = Job & { userId: string };

/** Stores the job queue, fair between users. Each job runs at least once; its row is deleted when it ends. */
export class JobStore {
  readonly #db: Database;
  /** The id of this node. */
  readonly node: string;

  /** @param node the id of this node: it changes only jobs that it has claimed itself */
  constructor(db: Database, node: string) {
    this.#db = db;
    this.node = node;
  }

  /** Adds a job that is due at once, also if the clock of this node is ahead of the others. */
  async add(job: Job, now: Date, trx: Transaction): Promise<void> {
    await trx.insertInto('job').values(toJobRow(job, now)).execute();
    await publishEvent({ topic: 'job' }, trx);
  }

  /** Adds a job unless its revision has one. */
  async addIfNone(job: Job, now: Date, trx: Transaction): Promise<void> {
    await trx
      .insertInto('job')
      .values(toJobRow(job, now))
      .onConflict((conflict) => conflict.column('revision_id').doNothing())
      .execute();
    await publishEvent({ topic: 'job' }, trx);
  }

  /** Returns the number of jobs, queued and running. */
  async count(): Promise<number> {
    const { count } = await this.#db
      .selectFrom('job')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /**
   * Checks that a user may add another job: there must be more free places in the queue than the user has jobs
   * in it. So one user alone gets half of the queue, the next one half of the rest, and no user can fill it.
   *
   * Called before a request body is read, so that no client uploads a whole file that is then refused, and again
   * in the transaction that adds the job, after `lockQueue`, because of requests at the same time.
   *
   * @throws {Problem} server.busy
   */
  async assertCapacity(
    userId: string,
    maxQueuedJobs: number,
    trx: Transaction | Database = this.#db,
  ): Promise<void> {
    const { total, ofUser } = await countJobs(userId, trx);
    const free = Math.max(0, maxQueuedJobs - total);
    if (ofUser < free) return;
    const detail =
      free === 0
        ? `${total} files are queued for processing.`
        : `${ofUser} of your files are queued for processing. The other ${free} places of the queue are kept for other users.`;
    throw new Problem('server.busy', { detail: `${detail} Retry later.`, retryAfterSeconds: 10 });
  }

  /**
   * From then on until the transaction ends, no other one adds a job to a queue that may be full. The first lock of a transaction, so
   * that no two of them wait for each other.
   */
  lockQueue(trx: Transaction): Promise<void> {
    return lockUntilCommit(trx, 'job queue');
  }

  /** Claims the next job that is due and not leased; select-claimable-job.ts has the order. */
  async claim(now: Date, options: ClaimOptions = {}): Promise<ClaimedJob | undefined> {
    const claimable = selectClaimableJob(this.#db, now, options);
    const row = await this.#db
      .updateTable('job')
      .set(({ eb }) => ({
        leased_until: toLeaseExpiry(now),
        attempts: eb('attempts', '+', 1),
        node: this.node,
      }))
      .where('id', '=', claimable)
      .returning(({ selectFrom }) => [
        'id',
        'revision_id',
        'attempts',
        selectFrom('revision')
          .innerJoin('design', 'design.id', 'revision.design_id')
          .whereRef('revision.id', '=', 'job.revision_id')
          .select('design.user_id')
          .$asScalar()
          .$notNull()
          .as('user_id'),
      ])
      .executeTakeFirst();
    return row && { ...toJob(row), userId: row.user_id };
  }

  /** Extends the lease of a running job. Returns false if the job was removed or another runner has it. */
  async renewLease({ id, attempts }: Job, now: Date): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('job')
      .set({ leased_until: toLeaseExpiry(now) })
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .where('node', '=', this.node)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Whether this runner still has a job. Until the transaction ends, no other one claims it. */
  async isHeld({ id, attempts }: Job, trx: Transaction): Promise<boolean> {
    const row = await trx
      .selectFrom('job')
      .select('id')
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .where('node', '=', this.node)
      .forUpdate()
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Ends the lease of a job and schedules its next attempt. */
  async release(
    { id, attempts }: Job,
    now: Date,
    { countAttempt = true, retryDelayMs }: ReleaseOptions = {},
  ): Promise<void> {
    const delayMs = countAttempt
      ? getRetryDelayMs(attempts, retryDelayMs ?? RETRY_DELAY_MS)
      : (retryDelayMs ?? 0);
    await this.#db
      .updateTable('job')
      .set({
        leased_until: null,
        due_at: new Date(now.getTime() + delayMs).toISOString(),
        attempts: countAttempt ? attempts : attempts - 1,
      })
      .where('id', '=', id)
      // A runner that lost its lease must not release the job: another runner has it.
      .where('attempts', '=', attempts)
      .where('node', '=', this.node)
      .execute();
  }

  /** Deletes a job. Returns false if it was removed already or another runner has it. */
  async remove({ id, attempts }: Job, trx: Transaction | Database = this.#db): Promise<boolean> {
    const { numDeletedRows } = await trx
      .deleteFrom('job')
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .where('node', '=', this.node)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  /**
   * Ends the leases and retry delays of the jobs that this node has claimed, and of those that no node has.
   * Called only at startup: such a lease is from before it. Other nodes keep the jobs that they are running.
   */
  async releaseOwn(now: Date): Promise<void> {
    await this.#db
      .updateTable('job')
      .set({ leased_until: null, due_at: now.toISOString() })
      .where(({ or, eb }) => or([eb('node', '=', this.node), eb('node', 'is', null)]))
      .execute();
  }

  /** Returns when the next job is due or its lease ends, without the jobs that this node is running. */
  async findNextDueAt(runningIds: readonly string[] = []): Promise<Date | undefined> {
    const row = await this.#db
      .selectFrom('job')
      .select(({ fn, ref }) => fn.coalesce('leased_until', ref('due_at')).as('due_at'))
      .$if(runningIds.length > 0, (query) => query.where('id', 'not in', runningIds))
      .orderBy(({ fn, ref }) => fn.coalesce('leased_until', ref('due_at')))
      .limit(1)
      .executeTakeFirst();
    return row && new Date(row.due_at);
  }
}

/** Returns the number of jobs of all users and of one, queued and running. */
async function countJobs(
  userId: string,
  db: Transaction | Database,
): Promise<{ total: number; ofUser: number }> {
  const { total, ofUser } = await db
    .selectFrom('job')
    .innerJoin('revision', 'revision.id', 'job.revision_id')
    .innerJoin('design', 'design.id', 'revision.design_id')
    .select(({ fn }) => [
      fn.countAll<number>().as('total'),
      fn.countAll<number>().filterWhere('design.user_id', '=', userId).as('ofUser'),
    ])
    .executeTakeFirstOrThrow();
  return { total: Number(total), ofUser: Number(ofUser) };
}

function toJob({
  id,
  revision_id,
  attempts,
}: Pick<JobRow, 'id' | 'revision_id' | 'attempts'>): Job {
  return { id, revisionId: revision_id, attempts };
}

function toJobRow({ id, revisionId, attempts }: Job, now: Date): JobRow {
  return {
    id,
    revision_id: revisionId,
    attempts,
    due_at: new Date(0).toISOString(),
    leased_until: null,
    node: null,
    created_at: now.toISOString(),
  };
}

function toLeaseExpiry(now: Date): string {
  return new Date(now.getTime() + LEASE_DURATION_MS).toISOString();
}
