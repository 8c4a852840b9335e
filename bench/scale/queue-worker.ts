/**
 * A process that runs jobs that do nothing: `queue-worker.ts <database URL> <node id> <process id> <duration in ms>`. It records when each
 * attempt began and ended.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { readDatabaseTime } from '../../server/src/database/database-time.ts';
import { openPostgres } from '../../server/src/database/postgres.ts';
import { PostgresEventReader } from '../../server/src/events/postgres-event-reader.ts';
import type { Job } from '../../server/src/processing/job.ts';
import { JobRunner } from '../../server/src/processing/job-runner.ts';
import { JobStore } from '../../server/src/processing/job-store.ts';

const CONCURRENCY = 4;

const [, , url = '', nodeId = '', processId = '', jobMs = '0'] = process.argv;
const onError = () => {};
const database = openPostgres({ url, onError });
const events = new PostgresEventReader({ url, onError });
const jobs = new JobStore(database, nodeId);

const run = async (job: Job) => {
  await sql`INSERT INTO attempt (job, process, began_at) VALUES (${job.id}, ${processId}, clock_timestamp())`.execute(
    database,
  );
  if (Number(jobMs) > 0) await sleep(Number(jobMs));
  await database.transaction().execute(async (trx) => {
    if (!(await jobs.remove(job, trx))) throw new Error('another process has the job');
    await sql`UPDATE attempt SET ended_at = clock_timestamp()
      WHERE job = ${job.id} AND process = ${processId} AND ended_at IS NULL`.execute(trx);
  });
};
const fail = async (job: Job) => {
  await sql`INSERT INTO given_up (job) VALUES (${job.id})`.execute(database);
  await jobs.remove(job);
};

const runner = new JobRunner({
  jobs,
  handler: { run, fail },
  concurrency: CONCURRENCY,
  now: () => readDatabaseTime(database),
  log: { warn: onError, error: onError },
});
events.subscribe('job', () => runner.notify());
runner.start();
// Until it is killed, also when its parent has ended.
process.stdin.on('end', () => process.exit()).resume();
