import { Problem } from '@cloche/contract/problem';
import type { Database } from '../database/database.ts';
import { runTransaction } from '../database/transaction.ts';
import { createJob } from '../processing/job.ts';
import type { JobStore } from '../processing/job-store.ts';
import { setRevisionStatus } from './revision-status.ts';
import type { RevisionStore } from './revision-store.ts';

type RetryDependencies = {
  database: Database;
  revisions: RevisionStore;
  jobs: JobStore;
  maxQueuedJobs: number;
  now: () => Date;
};

/**
 * Queues a failed revision again.
 *
 * @throws {Problem} job.unknown, job.not-failed, server.busy
 */
export async function retryRevision(
  id: string,
  { database, revisions, jobs, maxQueuedJobs, now }: RetryDependencies,
): Promise<void> {
  const revision = await revisions.find(id);
  if (revision === undefined) throw createUnknownJobError(id);
  await runTransaction(database, async (trx) => {
    await jobs.lockQueue(trx);
    await revisions.lockDesign(revision.designId, trx);
    const row = await trx
      .selectFrom('revision')
      .innerJoin('design', 'design.id', 'revision.design_id')
      .select(['revision.status', 'design.user_id'])
      .where('revision.id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw createUnknownJobError(id);
    if (row.status !== 'failed')
      throw new Problem('job.not-failed', {
        field: 'path.id',
        detail: `The revision is ${row.status}, so there is nothing to repeat.`,
      });
    await jobs.assertCapacity(row.user_id, maxQueuedJobs, trx);
    await trx.updateTable('revision').set({ problem: null }).where('id', '=', id).execute();
    await setRevisionStatus(trx, revision, 'queued', now());
    await jobs.add(createJob(id), now(), trx);
  });
  revisions.invalidateDesign(revision);
}

export function createUnknownJobError(id: string): Problem {
  return new Problem('job.unknown', { field: 'path.id', detail: `There is no job "${id}".` });
}
