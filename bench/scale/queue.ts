import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { waitUntil } from '../../scripts/wait-until.ts';
import { runSql } from '../../server/testing/run-sql.ts';

const WORKERS = 4;
const TIMEOUT_MS = 1_800_000;

export type QueueOptions = {
  /** The URL of a database with the tables of the service, and no rows. */
  url: string;
  jobs: number;
  /** How often one of the processes is killed. */
  kills: number;
  /** How long each job takes. Default: 0. */
  jobMs?: number;
};

/** What happened to the jobs. */
export type QueueResult = {
  /** Jobs that no attempt has completed. */
  lost: number;
  /** Jobs that were completed twice. */
  completedTwice: number;
  /** Pairs of attempts of a job that overlapped in time. */
  concurrent: number;
  /** Attempts that a kill has ended. */
  interrupted: number;
  /** Jobs that were left in the queue. */
  left: number;
  seconds: number;
};

/** A job, the process that ran it, and when. The end is missing if the process was killed. */
const CREATE_TABLES = `
  CREATE TABLE attempt (job text, process text, began_at timestamptz, ended_at timestamptz);
  CREATE INDEX ON attempt (job);
  CREATE TABLE given_up (job text);
  CREATE TABLE killed (process text, at timestamptz)`;

const ADD_JOBS = (count: number) => `
  INSERT INTO "user" (id, name, operator, created_at)
    SELECT 'user-' || n, 'user ' || n, 0, '2026-01-01T00:00:00.000Z' FROM generate_series(1, 10) n;
  INSERT INTO design (id, user_id, name, status, created_at, updated_at, last_revision, chosen_at_revision,
      sort_name, search_text, tags, metadata, viewer, description)
    SELECT 'design-' || n, 'user-' || (n % 10 + 1), '', 'queued', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 1, 0,
      '', '', '[]', '{}', '{}', '' FROM generate_series(1, ${count}) n;
  INSERT INTO revision (id, design_id, number, status, source_blob, source_size_bytes, detected_format, created_at)
    SELECT 'revision-' || n, 'design-' || n, 1, 'queued', '', 1, '{"format":"glb"}', '2026-01-01T00:00:00.000Z'
    FROM generate_series(1, ${count}) n;
  INSERT INTO job (id, revision_id, attempts, due_at, created_at)
    SELECT 'job-' || n, 'revision-' || n, 0, '1970-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
    FROM generate_series(1, ${count}) n`;

/** Two attempts overlap if one began before the other one ended or was killed. */
const COUNT_CONCURRENT = `
  WITH period AS (
    SELECT attempt.ctid AS id, job, began_at, coalesce(ended_at, killed.at, 'infinity') AS ended_at
    FROM attempt LEFT JOIN killed USING (process)
  )
  SELECT count(*) AS n FROM period a JOIN period b USING (job)
    WHERE a.id < b.id AND a.began_at < b.ended_at AND b.began_at < a.ended_at`;

/** Runs jobs that do nothing on the real queue in several processes, and kills some of them at random. */
export async function measureQueue({
  url,
  jobs,
  kills,
  jobMs = 0,
}: QueueOptions): Promise<QueueResult> {
  await runSql(url, CREATE_TABLES);
  await runSql(url, ADD_JOBS(jobs));
  const count = async (sql: string) => Number((await runSql(url, sql)).rows[0]?.n);
  const countDone = () => count('SELECT count(ended_at) AS n FROM attempt');
  await using processes = new QueueProcesses(url, jobMs);
  const startMs = performance.now();
  for (let index = 0; index < WORKERS; index += 1) processes.start(index);
  const isDone = async () => (await count('SELECT count(*) AS n FROM job')) === 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    // Spread over all jobs.
    const after = Math.floor((kill * jobs) / (kills + 2));
    await waitUntil('jobs', async () => (await countDone()) >= after, { timeoutMs: TIMEOUT_MS });
    const index = kill % WORKERS;
    const runsJob = async () => (await count(processes.countRunning(index))) > 0 || isDone();
    await waitUntil('a job of the process', runsJob, { timeoutMs: TIMEOUT_MS });
    await processes.replace(index);
  }
  await waitUntil('the end of all jobs', isDone, { timeoutMs: TIMEOUT_MS });
  const seconds = (performance.now() - startMs) / 1000;
  const completions = 'SELECT job FROM attempt WHERE ended_at IS NOT NULL';
  return {
    lost: jobs - (await count(`SELECT count(DISTINCT job) AS n FROM (${completions}) AS done`)),
    completedTwice: await count(
      `SELECT count(*) AS n FROM (${completions} GROUP BY job HAVING count(*) > 1) AS twice`,
    ),
    concurrent: await count(COUNT_CONCURRENT),
    interrupted: await count('SELECT count(*) AS n FROM attempt WHERE ended_at IS NULL'),
    left: await count('SELECT count(*) AS n FROM job'),
    seconds,
  };
}

/** The processes that run the jobs. */
class QueueProcesses implements AsyncDisposable {
  readonly #url: string;
  readonly #children = new Map<number, { child: ChildProcess; id: string }>();
  readonly #jobMs: number;
  #started = 0;

  constructor(url: string, jobMs: number) {
    this.#url = url;
    this.#jobMs = jobMs;
  }

  start(index: number): void {
    this.#started += 1;
    const id = `process-${this.#started}`;
    const script = join(import.meta.dirname, 'queue-worker.ts');
    const workerArguments = [this.#url, `node-${index}`, id, String(this.#jobMs)];
    const child = spawn(process.execPath, [script, ...workerArguments], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    this.#children.set(index, { child, id });
  }

  /** The query for the number of jobs that a process is running: none before it has started. */
  countRunning(index: number): string {
    const id = this.#children.get(index)?.id;
    return `SELECT count(*) AS n FROM attempt WHERE process = '${id}' AND ended_at IS NULL`;
  }

  /** Kills a process while it runs a job, and starts another one with the same node id. */
  async replace(index: number): Promise<void> {
    const { child, id } = this.#children.get(index) ?? {};
    if (child === undefined) return;
    await kill(child);
    // Its jobs are released by the process that is started next, so no other one runs them before this time.
    await runSql(this.#url, `INSERT INTO killed VALUES ('${id}', clock_timestamp())`);
    this.start(index);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#children.values()].map(({ child }) => kill(child)));
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
