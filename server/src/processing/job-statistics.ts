import type { Database } from '../database/database.ts';
import type { JobStatistics } from '../metrics/metrics-sources.ts';

/** Counts the jobs that are not finished. A job is running while it is leased. `now`: by the clock of leases. */
export async function readJobStatistics(database: Database, now: Date): Promise<JobStatistics> {
  const time = now.toISOString();
  const { total, running, queued_since } = await database
    .selectFrom('job')
    .select(({ fn, eb, ref }) => [
      fn.countAll().as('total'),
      fn.countAll().filterWhere('leased_until', '>=', time).as('running'),
      fn
        // A new job is due since 1970.
        .min<string | null>(
          eb
            .case()
            .when('due_at', '>', ref('created_at'))
            .then(ref('due_at'))
            .else(ref('created_at'))
            .end(),
        )
        .filterWhere(({ or }) =>
          or([eb('leased_until', 'is', null), eb('leased_until', '<', time)]),
        )
        .as('queued_since'),
    ])
    .executeTakeFirstOrThrow();
  const waitMs = queued_since === null ? 0 : now.getTime() - Date.parse(queued_since);
  return {
    queued: Number(total) - Number(running),
    running: Number(running),
    oldestQueuedSeconds: Math.max(0, waitMs) / 1000,
  };
}
