import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@cloche/contract/problem';
import type { FastifyBaseLogger } from 'fastify';
import type { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import type { Job } from '../pipeline/job.ts';
import type { Jobs } from '../pipeline/jobs.ts';
import type { Maker } from '../pipeline/maker.ts';
import type { News } from '../pipeline/news.ts';
import type { Poster } from '../pipeline/poster.ts';
import type { Examiner } from '../pipeline/preflight/examiner.ts';
import type { Tell } from '../pipeline/report.ts';
import type { Work } from '../pipeline/runner.ts';
import type { Task } from '../pipeline/sandbox/task.ts';
import { collect } from './collect.ts';
import type { Upload } from './design.ts';
import type { Uploads } from './uploads.ts';

export type Workshop = {
  uploads: Uploads;
  jobs: Jobs;
  blobs: Blobs;
  database: Database;
  news: News;
  maker: Maker;
  /** Takes the picture of a model; undefined where there is no browser. */
  poster?: Poster | undefined;
  /** How models are made, but for what is usual. */
  options?: Task['options'];
  /** Each job has a folder of its own in here while it runs. */
  folder: string;
  examiner: Examiner;
  log: Pick<FastifyBaseLogger, 'warn'>;
  now: () => Date;
};

/** How an upload becomes a revision that is shown, or a failure that says why. */
export function processing(workshop: Workshop): Work {
  const { uploads, news } = workshop;
  return {
    async run(job, signal) {
      const upload = await uploads.find(job.revisionId);
      if (upload === undefined) return;
      const tell: Tell = (step, percent) => news.tell(upload.designId, { step, percent });
      await uploads.begin(upload, workshop.now());
      tell('read', 0);
      const folder = join(workshop.folder, job.id);
      try {
        await process(workshop, { job, upload, folder, signal, tell });
      } finally {
        await rm(folder, { recursive: true, force: true });
        news.tell(upload.designId, undefined);
      }
    },

    async giveUp(job, cause) {
      const upload = await uploads.find(job.revisionId);
      if (upload === undefined) return;
      const known = cause instanceof Problem && cause.status === 507 ? cause : GAVE_UP();
      await fail(workshop, { job, upload }, known);
      news.tell(upload.designId, undefined);
    },
  };
}

const GAVE_UP = () =>
  new Problem('design.failed', {
    detail:
      'Processing the file broke off several times. Send it again; if that fails too, export it once more or in another format, and tell the operator.',
  });

type Run = { job: Job; upload: Upload; folder: string; signal: AbortSignal; tell: Tell };

async function process(workshop: Workshop, run: Run): Promise<void> {
  const { upload, folder, signal, tell } = run;
  if (!(await prepare(workshop, upload, folder))) {
    throw new Error(`The bytes of revision ${upload.id} are not there.`);
  }
  // What comes after the maker has the last tenth and a half.
  const tellChild: Tell = (step, percent) => tell(step, Math.round(percent * 0.85));
  const outcome = await workshop.maker.run(folder, { signal, tell: tellChild });
  signal.throwIfAborted();
  if (!outcome.ok) {
    const problem = new Problem(outcome.code, { detail: outcome.detail });
    if (outcome.retry) throw problem;
    return fail(workshop, run, problem);
  }
  await using made = await collect(workshop, run, outcome.report).catch(asRefusal);
  if (made instanceof Problem) return fail(workshop, run, made);
  await made.keep();
  await commit(workshop, run, (step) =>
    workshop.uploads.finish(upload, made, workshop.now(), step),
  );
}

/** What was made of the file is more than may be shown: no other attempt will make it less. */
function asRefusal(error: unknown): Problem & AsyncDisposable {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
  return Object.assign(error, { [Symbol.asyncDispose]: async () => {} });
}

/** Lays out what the maker needs; false when the upload's bytes are gone. */
async function prepare(
  { blobs, options = {} }: Workshop,
  upload: Upload,
  folder: string,
): Promise<boolean> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'out'), { recursive: true, mode: 0o700 });
  await writeFile(
    join(folder, 'task.json'),
    JSON.stringify({ examined: upload.source.examined, options }),
  );
  return blobs.copy(upload.source.blob, join(folder, 'in'));
}

async function fail(
  workshop: Workshop,
  { job, upload }: Pick<Run, 'job' | 'upload'>,
  { code, message: detail }: Problem,
): Promise<void> {
  await commit(workshop, { job, upload }, (step) =>
    workshop.uploads.fail(upload, { code, detail }, workshop.now(), step),
  );
}

/** Ends the job and writes what came of it, or neither: a job that is gone was another's to end. */
async function commit(
  { jobs, uploads, database }: Workshop,
  { job, upload }: Pick<Run, 'job' | 'upload'>,
  write: (step: Database) => Promise<void>,
): Promise<void> {
  await database.transaction().execute(async (step) => {
    if (await jobs.remove(job, step)) await write(step);
  });
  uploads.noteChange(upload);
}
