import { Problem } from '@cloche/contract/problem';
import { ListJobsQuery, ProcessingJob, ProcessingJobList } from '@cloche/contract/processing-job';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import type { Database } from '../database/database.ts';
import { runTransaction } from '../database/transaction.ts';
import { createUnknownJobError, retryRevision } from '../designs/retry-revision.ts';
import type { RevisionStore } from '../designs/revision-store.ts';
import { publishEvent } from '../events/publish-event.ts';
import { DEFAULT_LIMIT } from '../http/pagination.ts';
import { formatQueryCursor, parseQueryCursor } from '../http/query-cursor.ts';
import type { JobRunner } from '../processing/job-runner.ts';
import type { JobStore } from '../processing/job-store.ts';
import type { JobListStore } from './job-list-store.ts';
import { FOR_OPERATORS, OPERATOR_TAGS } from './route-description.ts';

export type JobRouteDependencies = {
  database: Database;
  jobList: JobListStore;
  jobs: JobStore;
  revisions: RevisionStore;
  runner: Pick<JobRunner, 'abort' | 'notify'>;
  maxQueuedJobs: number;
  now: () => Date;
  /** The clock of leases. */
  leaseTime: () => Promise<Date>;
};

const params = Type.Object({
  id: Type.String({ maxLength: 64, description: 'The id of the job: that of its revision.' }),
});

/** /v1/jobs: the files that are processed, of all users. */
export const jobRoutes: FastifyPluginAsyncTypebox<JobRouteDependencies> = async (
  app,
  dependencies,
) => {
  const { jobList, runner, leaseTime } = dependencies;

  app.get('/', { config: { auth: 'read' }, schema: LIST_SCHEMA }, async ({ query }) => {
    const { limit = DEFAULT_LIMIT, cursor, state } = query;
    const filter = { jobs: state ?? 'active' };
    const [createdAt, id] = cursor === undefined ? [] : parseQueryCursor(cursor, filter, 2);
    const after = createdAt === undefined ? undefined : { createdAt, id: id ?? '' };
    const time = await leaseTime();
    const found =
      state === 'failed'
        ? await jobList.listFailed({ limit: limit + 1, after })
        : await jobList.listActive(state, { limit: limit + 1, after, time });
    const last = found.length > limit ? found[limit - 1] : undefined;
    return {
      items: found.slice(0, limit),
      nextCursor: last === undefined ? null : formatQueryCursor(filter, [last.createdAt, last.id]),
      counts: await jobList.count(time),
    };
  });

  const getJob = async (id: string): Promise<ProcessingJob> => {
    const job = await jobList.find(id, await leaseTime());
    if (job === undefined) throw createUnknownJobError(id);
    return job;
  };

  app.post(
    '/:id/retry',
    { config: { auth: 'write', idempotencyKey: false }, schema: RETRY_SCHEMA },
    async ({ params: { id }, token, log }) => {
      await retryRevision(id, dependencies);
      log.info({ operator: token.user, token: token.id, job: id }, 'a failed job was queued again');
      const job = await getJob(id);
      runner.notify();
      return job;
    },
  );

  app.post(
    '/:id/cancel',
    { config: { auth: 'write', idempotencyKey: false }, schema: CANCEL_SCHEMA },
    async ({ params: { id }, token, log }) => {
      const job = await getJob(id);
      await cancelJob(job, dependencies);
      await runner.abort(id);
      log.info({ operator: token.user, token: token.id, job: id }, 'a job was cancelled');
      // Its row is gone: the job cannot be read again.
      return { ...job, state: 'cancelled' as const, dueAt: null };
    },
  );
};

/** A job that runs on another node ends when that node receives the event. @throws {Problem} job.ended */
async function cancelJob(
  { id, state, purpose, design, revision }: ProcessingJob,
  { database, revisions, now }: JobRouteDependencies,
): Promise<void> {
  if (state === 'failed' || state === 'done')
    throw new Problem('job.ended', {
      field: 'path.id',
      detail: `The revision is ${state === 'done' ? 'ready' : state}, so there is nothing to cancel.`,
    });
  if (purpose === 'process') return void (await revisions.cancel(design.id, revision, now()));
  // The revision stays ready, with the poster that it has.
  await runTransaction(database, async (trx) => {
    await trx.deleteFrom('job').where('revision_id', '=', id).execute();
    await publishEvent({ topic: 'cancel', revisionIds: [id] }, trx);
  });
}

const LIST_SCHEMA = {
  tags: OPERATOR_TAGS,
  summary: 'List the jobs of all users',
  description: `Files that wait for processing or are being processed, oldest first, or those that failed, newest first. ${FOR_OPERATORS}`,
  querystring: ListJobsQuery,
  response: { 200: ProcessingJobList },
};
const RETRY_SCHEMA = {
  tags: OPERATOR_TAGS,
  summary: 'Run a failed job again',
  description: FOR_OPERATORS,
  params,
  response: { 200: ProcessingJob },
};
const CANCEL_SCHEMA = {
  tags: OPERATOR_TAGS,
  summary: 'Cancel a job',
  description: `For a job that is waiting or running, on any node. Its worker process is stopped; on this node, before the response is sent. ${FOR_OPERATORS}`,
  params,
  response: { 200: ProcessingJob },
};
