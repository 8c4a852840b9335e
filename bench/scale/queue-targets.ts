import { startPostgresServer } from '../../server/testing/postgres-server.ts';
import { createPostgresDatabase, createTemplate } from '../../server/testing/test-database.ts';
import type { Measurement } from '../measurement.ts';
import { measureQueue } from './queue.ts';

/** Runs jobs that do nothing on the queue of several nodes, and kills up to 20 of their processes. */
export async function measureQueueTargets(jobs: number): Promise<Measurement[]> {
  const kills = Math.min(20, Math.ceil(jobs / 100));
  await using server = await startPostgresServer();
  await createTemplate(server.url);
  const url = await createPostgresDatabase(server.url);
  const { seconds, interrupted, ...counts } = await measureQueue({ url, jobs, kills });
  const { lost, completedTwice, concurrent, left } = counts;
  const label = `${jobs} jobs, ${kills} processes killed`;
  const target = { unit: 'jobs', atMost: 0 };
  return [
    { label: `${label}: lost`, value: lost, ...target },
    { label: `${label}: completed twice`, value: completedTwice, ...target },
    { label: `${label}: twice at the same time`, value: concurrent, ...target },
    {
      label: `${label}: left in the queue`,
      value: left,
      ...target,
      detail: `${seconds.toFixed(1)} s, ${Math.round(jobs / seconds)} jobs per second, ${interrupted} attempts interrupted`,
    },
  ];
}
