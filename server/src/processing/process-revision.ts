import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@cloche/contract/problem';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import type { PosterRenderer } from '@cloche/pipeline/poster/poster-renderer';
import type { ProgressListener } from '@cloche/pipeline/processing-steps';
import type { WorkerJob } from '@cloche/pipeline/sandbox/worker-protocol';
import type { ValidationWorker } from '@cloche/pipeline/validation/worker/validation-worker';
import type { FastifyBaseLogger } from 'fastify';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Database } from '../database/database.ts';
import type { RevisionRecord } from '../designs/design.ts';
import type { RevisionStore } from '../designs/revision-store.ts';
import type { Job } from './job.ts';
import type { JobHandler } from './job-runner.ts';
import type { JobStore } from './job-store.ts';
import type { ProgressHub } from './progress.ts';
import { publishArtifacts } from './publish-artifacts.ts';

export type JobHandlerDependencies = {
  revisions: RevisionStore;
  jobs: JobStore;
  blobs: BlobStore;
  database: Database;
  progress: ProgressHub;
  modelProcessor: ModelProcessor;
  /** Takes the picture of a model; undefined where there is no browser. */
  poster?: PosterRenderer | undefined;
  /** How models are made, but for what is usual. */
  processingOptions?: WorkerJob['options'];
  /** Each job has a folder of its own in here while it runs. */
  workDirectory: string;
  validationWorker: ValidationWorker;
  log: Pick<FastifyBaseLogger, 'warn'>;
  now: () => Date;
};

/** How an upload becomes a revision that is shown, or a failure that says why. */
export function createJobHandler(workshop: JobHandlerDependencies): JobHandler {
  const { revisions, progress } = workshop;
  return {
    async run(job, signal) {
      const revision = await revisions.find(job.revisionId);
      if (revision === undefined) return;
      const onProgress: ProgressListener = (step, percent) =>
        progress.publish(revision.designId, { step, percent });
      await revisions.markProcessing(revision, workshop.now());
      onProgress('read', 0);
      const jobDirectory = join(workshop.workDirectory, job.id);
      try {
        await processRevision(workshop, { job, revision, jobDirectory, signal, onProgress });
      } finally {
        await rm(jobDirectory, { recursive: true, force: true });
        progress.publish(revision.designId, undefined);
      }
    },

    async fail(job, cause) {
      const revision = await revisions.find(job.revisionId);
      if (revision === undefined) return;
      const known =
        cause instanceof Problem && cause.status === 507 ? cause : attemptsExhaustedError();
      await failRevision(workshop, { job, revision }, known);
      progress.publish(revision.designId, undefined);
    },
  };
}

const attemptsExhaustedError = () =>
  new Problem('design.failed', {
    detail:
      'Processing the file broke off several times. Send it again; if that fails too, export it once more or in another format, and tell the operator.',
  });

type ProcessingContext = {
  job: Job;
  revision: RevisionRecord;
  jobDirectory: string;
  signal: AbortSignal;
  onProgress: ProgressListener;
};

async function processRevision(
  workshop: JobHandlerDependencies,
  run: ProcessingContext,
): Promise<void> {
  const { revision, jobDirectory, signal, onProgress } = run;
  if (!(await prepareJobDirectory(workshop, revision, jobDirectory))) {
    throw new Error(`The bytes of revision ${revision.id} are not there.`);
  }
  // What comes after the maker has the last tenth and a half.
  const reportWorkerProgress: ProgressListener = (step, percent) =>
    onProgress(step, Math.round(percent * 0.85));
  const outcome = await workshop.modelProcessor.run(jobDirectory, {
    signal,
    onProgress: reportWorkerProgress,
  });
  signal.throwIfAborted();
  if (!outcome.ok) {
    const problem = new Problem(outcome.code, { detail: outcome.detail });
    if (outcome.retryable) throw problem;
    return failRevision(workshop, run, problem);
  }
  await using made = await publishArtifacts(workshop, run, outcome.report).catch(
    toPermanentProblem,
  );
  if (made instanceof Problem) return failRevision(workshop, run, made);
  await made.keep();
  await completeJob(workshop, run, (step) =>
    workshop.revisions.markReady(revision, made, workshop.now(), step),
  );
}

/** What was made of the file is more than may be shown: no other attempt will make it less. */
function toPermanentProblem(error: unknown): Problem & AsyncDisposable {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
  return Object.assign(error, { [Symbol.asyncDispose]: async () => {} });
}

/** Lays out what the maker needs; false when the upload's bytes are gone. */
async function prepareJobDirectory(
  { blobs, processingOptions: options = {} }: JobHandlerDependencies,
  upload: RevisionRecord,
  folder: string,
): Promise<boolean> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'out'), { recursive: true, mode: 0o700 });
  await writeFile(
    join(folder, 'task.json'),
    JSON.stringify({ detectedFormat: upload.source.detectedFormat, options } satisfies WorkerJob),
  );
  return blobs.copyToFile(upload.source.blob, join(folder, 'in'));
}

async function failRevision(
  workshop: JobHandlerDependencies,
  { job, revision }: Pick<ProcessingContext, 'job' | 'revision'>,
  { code, message: detail }: Problem,
): Promise<void> {
  await completeJob(workshop, { job, revision }, (step) =>
    workshop.revisions.markFailed(revision, { code, detail }, workshop.now(), step),
  );
}

/** Ends the job and writes what came of it, or neither: a job that is gone was another's to end. */
async function completeJob(
  { jobs, revisions, database }: JobHandlerDependencies,
  { job, revision }: Pick<ProcessingContext, 'job' | 'revision'>,
  write: (step: Database) => Promise<void>,
): Promise<void> {
  await database.transaction().execute(async (step) => {
    if (await jobs.remove(job, step)) await write(step);
  });
  revisions.invalidateDesign(revision);
}
