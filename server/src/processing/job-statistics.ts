import type { Database } from '../database/database.ts';
import type { JobStatistics } from '../metrics/prometheus-metrics.ts';

/** Counts the jobs that are not finished. A job is running while it is leased. */
export async function readJobStatistics(database: Database, now: Date): Promise<JobStatistics> {
  const time = now.toISOString();
  const jobs = await database
    .selectFrom('job')
    .select(['leased_until', 'due_at', 'created_at'])
    .execute();
  const queued = jobs.filter(({ leased_until: until }) => until === null || until <= time);
  // A new job is due since 1970.
  const waits = queued.map(
    ({ due_at: due, created_at: created }) =>
      now.getTime() - Math.max(Date.parse(due), Date.parse(created)),
  );
  return {
    queued: queued.length,
    running: jobs.length - queued.length,
    oldestQueuedSeconds: Math.max(0, ...waits) / 1000,
  };
}
