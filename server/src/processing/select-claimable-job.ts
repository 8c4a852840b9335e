import type { ExpressionBuilder } from 'kysely';
import type { Database, Tables } from '../database/database.ts';

export type ClaimOptions = {
  /** Jobs to skip. */
  excludedIds?: readonly string[];
  /** The users whose jobs were claimed recently, the latest last. */
  recentUserIds?: readonly string[];
};

/**
 * Selects the id of the next job to run, of those that are due and not leased: the oldest job of the user with
 * the fewest running jobs. Of users with equally many, those that were not served recently come first. Without
 * that, as many users with long queues as there are workers would keep all workers between them.
 */
export function selectClaimableJob(
  db: Database,
  now: Date,
  { excludedIds = [], recentUserIds = [] }: ClaimOptions,
) {
  const time = now.toISOString();
  return (
    db
      .selectFrom('job')
      .innerJoin('revision', 'revision.id', 'job.revision_id')
      .innerJoin('design', 'design.id', 'revision.design_id')
      .leftJoin(countRunningByUser(db, time), 'running.user_id', 'design.user_id')
      .select('job.id')
      .where('job.due_at', '<=', time)
      .where(({ or, eb }) =>
        or([eb('job.leased_until', 'is', null), eb('job.leased_until', '<', time)]),
      )
      .$if(excludedIds.length > 0, (query) => query.where('job.id', 'not in', excludedIds))
      .orderBy(({ fn, lit }) => fn.coalesce('running.job_count', lit(0)))
      .$if(recentUserIds.length > 0, (query) => query.orderBy(toRecency(recentUserIds)))
      .orderBy('job.created_at')
      .orderBy('job.id')
      .limit(1)
      // Another connection that claims at the same time skips this job instead of waiting for it.
      .forUpdate('job')
      .skipLocked()
  );
}

/** The number of running jobs of each user that has one. */
function countRunningByUser(db: Database, time: string) {
  return db
    .selectFrom('job')
    .innerJoin('revision', 'revision.id', 'job.revision_id')
    .innerJoin('design', 'design.id', 'revision.design_id')
    .where('job.leased_until', '>=', time)
    .groupBy('design.user_id')
    .select(({ fn }) => ['design.user_id', fn.countAll<number>().as('job_count')])
    .as('running');
}

/** 0 for a user that was not served recently; of the others, the higher the later it was served. */
function toRecency(userIds: readonly string[]) {
  return ({ case: when }: ExpressionBuilder<Tables, 'design'>) => {
    const [first = '', ...rest] = userIds;
    const branches = rest.reduce(
      (expression, id, index) => expression.when('design.user_id', '=', id).then(index + 2),
      when().when('design.user_id', '=', first).then(1),
    );
    return branches.else(0).end();
  };
}
