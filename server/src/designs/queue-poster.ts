import { Problem } from '@cloche/contract/problem';
import type { Database, Transaction } from '../database/database.ts';
import { runTransaction } from '../database/transaction.ts';
import { createJob } from '../processing/job.ts';
import type { JobStore } from '../processing/job-store.ts';
import type { DesignRecord } from './design.ts';
import type { RevisionStore } from './revision-store.ts';

type QueuePosterDependencies = {
  database: Database;
  revisions: Pick<RevisionStore, 'lockDesign'>;
  jobs: Pick<JobStore, 'addIfNone' | 'assertCapacity' | 'lockQueue'>;
  maxQueuedJobs: number;
  now: () => Date;
};

/**
 * Queues a rendering of the poster of the revision that embeds show, unless that revision has a job.
 *
 * @throws {Problem} design.unknown: it was deleted since; design.not-ready, server.busy
 */
export async function queuePoster(
  { id, user }: Pick<DesignRecord, 'id' | 'user'>,
  { database, revisions, jobs, maxQueuedJobs, now }: QueuePosterDependencies,
): Promise<void> {
  await runTransaction(database, async (trx) => {
    await jobs.lockQueue(trx);
    await revisions.lockDesign(id, trx);
    const row = await trx
      .selectFrom('design')
      .leftJoin('job', 'job.revision_id', 'design.revision_id')
      .select(['design.revision_id', 'job.id as job_id'])
      .where('design.id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw new Problem('design.unknown', { field: 'path.id' });
    if (row.revision_id === null)
      throw new Problem('design.not-ready', {
        detail: 'The design has no revision that is ready, so there is nothing to render.',
      });
    if (row.job_id !== null) return;
    await jobs.assertCapacity(user, maxQueuedJobs, trx);
    await jobs.addIfNone(createJob(row.revision_id), now(), trx);
  });
}

type QueueOutdatedPosterOptions = {
  /** Whether a full queue is an error. The transaction has locked the queue then. */
  isLimited: boolean;
  trx: Transaction;
};

/**
 * Queues a rendering of the poster that embeds show if the options of its design have changed since, unless its revision has
 * a job.
 *
 * @throws {Problem} server.busy
 */
export async function queueOutdatedPoster(
  { id, user }: Pick<DesignRecord, 'id' | 'user'>,
  dependencies: Omit<QueuePosterDependencies, 'database' | 'revisions'> & {
    revisions: Pick<RevisionStore, 'findWithOutdatedPoster'>;
  },
  { isLimited, trx }: QueueOutdatedPosterOptions,
): Promise<void> {
  const { revisions, jobs, maxQueuedJobs, now } = dependencies;
  const revisionId = await revisions.findWithOutdatedPoster(id, trx);
  if (revisionId === undefined) return;
  const job = await trx
    .selectFrom('job')
    .select('id')
    .where('revision_id', '=', revisionId)
    .executeTakeFirst();
  if (job !== undefined) return;
  if (isLimited) await jobs.assertCapacity(user, maxQueuedJobs, trx);
  await jobs.addIfNone(createJob(revisionId), now(), trx);
}
