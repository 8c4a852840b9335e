import type { JobState, ProcessingJob } from '@cloche/contract/processing-job';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { afterCursor, type Pagination } from '../http/pagination.ts';
import { readJobStatistics } from '../processing/job-statistics.ts';

type ListOptions = Pagination & { time: Date };

/** Reads the jobs of all users. A failed job is a revision: its row in `job` was deleted. */
export class JobListStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Lists jobs that have not ended, oldest first. `time`: by the clock of leases. */
  async listActive(
    state: 'waiting' | 'running' | undefined,
    { limit, after, time }: ListOptions,
  ): Promise<ProcessingJob[]> {
    const rows = await this.#selectActive()
      .$if(state === 'running', (query) => query.where('job.leased_until', '>=', toText(time)))
      .$if(state === 'waiting', (query) =>
        query.where(({ or, eb }) =>
          or([eb('job.leased_until', 'is', null), eb('job.leased_until', '<', toText(time))]),
        ),
      )
      .where(
        afterCursor({ after }, { createdAt: 'job.created_at', id: 'revision.id', ascending: true }),
      )
      .orderBy('job.created_at')
      .orderBy('revision.id')
      .limit(limit)
      .execute();
    return rows.map((row) => toActiveJob(row, time));
  }

  /** Lists failed jobs, newest first. */
  async listFailed({ limit, after }: Pagination): Promise<ProcessingJob[]> {
    const rows = await this.#selectRevisions()
      .where('revision.status', '=', sql.lit('failed'))
      .where(afterCursor({ after }, { createdAt: 'revision.created_at', id: 'revision.id' }))
      .orderBy('revision.created_at', 'desc')
      .orderBy('revision.id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(toEndedJob);
  }

  /** Finds a job by the id of its revision, in any state. */
  async find(id: string, time: Date): Promise<ProcessingJob | undefined> {
    const active = await this.#selectActive().where('revision.id', '=', id).executeTakeFirst();
    if (active !== undefined) return toActiveJob(active, time);
    const ended = await this.#selectRevisions().where('revision.id', '=', id).executeTakeFirst();
    return ended && toEndedJob(ended);
  }

  /** Returns the number of jobs in each state. `time`: by the clock of leases. */
  async count(time: Date): Promise<Record<JobState, number>> {
    const { queued, running } = await readJobStatistics(this.#db, time);
    const { failed } = await this.#db
      .selectFrom('revision')
      .where('status', '=', sql.lit('failed'))
      .select(({ fn }) => fn.countAll().as('failed'))
      .executeTakeFirstOrThrow();
    return { waiting: queued, running, failed: Number(failed) };
  }

  #selectRevisions() {
    return this.#db
      .selectFrom('revision')
      .innerJoin('design', 'design.id', 'revision.design_id')
      .innerJoin('user', 'user.id', 'design.user_id')
      .select([...REVISION_COLUMNS, 'revision.created_at']);
  }

  #selectActive() {
    return this.#db
      .selectFrom('job')
      .innerJoin('revision', 'revision.id', 'job.revision_id')
      .innerJoin('design', 'design.id', 'revision.design_id')
      .innerJoin('user', 'user.id', 'design.user_id')
      .select([...REVISION_COLUMNS, 'job.created_at'])
      .select(['job.attempts', 'job.due_at', 'job.leased_until', 'job.node']);
  }
}

const REVISION_COLUMNS = [
  'revision.id',
  'revision.number',
  'revision.status',
  'revision.problem',
  'design.id as design_id',
  'design.name as design_name',
  'user.id as user_id',
  'user.name as user_name',
] as const;

type RevisionColumns = {
  id: string;
  number: number;
  status: string;
  problem: string | null;
  design_id: string;
  design_name: string;
  user_id: string;
  user_name: string;
  created_at: string;
};

type ActiveColumns = RevisionColumns & {
  attempts: number;
  due_at: string;
  leased_until: string | null;
  node: string | null;
};

const toText = (time: Date) => time.toISOString();

function toBase(row: RevisionColumns) {
  return {
    id: row.id,
    design: { id: row.design_id, name: row.design_name },
    revision: row.number,
    owner: { id: row.user_id, name: row.user_name },
    createdAt: row.created_at,
  };
}

function toActiveJob(row: ActiveColumns, time: Date): ProcessingJob {
  const running = row.leased_until !== null && row.leased_until >= toText(time);
  return {
    ...toBase(row),
    state: running ? 'running' : 'waiting',
    purpose: row.status === 'ready' ? 'poster' : 'process',
    attempts: row.attempts,
    // A new job is due since 1970.
    dueAt: running || row.due_at <= row.created_at ? null : row.due_at,
    node: row.node,
    failedAt: null,
    problem: null,
  };
}

function toEndedJob(row: RevisionColumns): ProcessingJob {
  // Rows of earlier versions have only a code and a detail.
  const failure = row.status === 'failed' ? JSON.parse(row.problem ?? '{}') : {};
  const { code = 'design.failed', detail = '', attempts = null, node = null } = failure;
  return {
    ...toBase(row),
    state: row.status === 'failed' || row.status === 'cancelled' ? row.status : 'done',
    purpose: 'process',
    attempts,
    dueAt: null,
    node,
    failedAt: failure.failedAt ?? null,
    problem: row.status === 'failed' ? { code, detail } : null,
  };
}
