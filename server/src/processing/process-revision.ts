import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { haveSamePicture } from '@cloche/contract/first-picture';
import { Problem } from '@cloche/contract/problem';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import { getWorkerFlags } from '@cloche/pipeline/formats/registry';
import type { Retryable } from '@cloche/pipeline/model-processor';
import type { ProgressListener, StepName } from '@cloche/pipeline/processing-steps';
import type { WorkerJob } from '@cloche/pipeline/sandbox/worker-protocol';
import type { FastifyBaseLogger } from 'fastify';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Database, Transaction } from '../database/database.ts';
import { runTransaction } from '../database/transaction.ts';
import { createDirectory } from '../disk/create-directory.ts';
import { isTooManyOpenFiles } from '../disk/too-many-open-files.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { EarlyPreviewStore } from './early-preview-store.ts';
import { createJob, type Job, MAX_ATTEMPTS } from './job.ts';
import type { JobHandler } from './job-runner.ts';
import type { JobStore } from './job-store.ts';
import type { ProcessingEnvironment } from './processing-environment.ts';
import type { ProgressHub } from './progress.ts';
import { publishArtifacts } from './publish-artifacts.ts';
import { publishEarlyPreview } from './publish-early-preview.ts';
import type { RevisionRecord, RevisionStatusStore } from './revision.ts';
import { updatePoster } from './update-poster.ts';

export type JobHandlerDependencies = Pick<
  ProcessingEnvironment,
  'modelProcessor' | 'posterRenderer' | 'processingOptions' | 'workDirectory' | 'validationWorker'
> & {
  revisions: RevisionStatusStore;
  jobs: JobStore;
  blobs: BlobStore;
  database: Database;
  progress: ProgressHub;
  metrics: Pick<Metrics, 'countJob' | 'observeWorker'>;
  log: Pick<FastifyBaseLogger, 'warn'>;
  now: () => Date;
};

/** Creates the handler that processes the revision of a job. */
export function createJobHandler(dependencies: JobHandlerDependencies): JobHandler {
  const { revisions, jobs, progress, workDirectory, now } = dependencies;
  const earlyPreviews = new EarlyPreviewStore(dependencies.database);
  return {
    async run(job, signal) {
      const revision = await revisions.find(job.revisionId);
      if (revision === undefined) return;
      const jobDirectory = join(workDirectory, job.id);
      const isJobHeld = (trx: Transaction) => jobs.isHeld(job, trx);
      if (!(await revisions.markProcessing(revision, now(), isJobHeld)))
        return updatePosterIfReady(dependencies, { job, revision, jobDirectory, signal });
      const reporter = await openProgressReporter(progress, earlyPreviews, revision);
      reporter.onProgress('read', 0);
      try {
        await processRevision(dependencies, {
          job,
          revision,
          jobDirectory,
          signal,
          onProgress: reporter.onProgress,
          onPreview: async (path) => {
            const given = { ...dependencies, earlyPreviews, isJobHeld };
            if (await publishEarlyPreview(given, revision, path)) reporter.onPreviewShown();
          },
        });
      } finally {
        await rm(jobDirectory, { recursive: true, force: true });
        progress.publish(revision.designId, undefined);
      }
    },

    async fail(job, cause) {
      const revision = await revisions.find(job.revisionId);
      if (revision === undefined) return;
      // Only its poster could not be rendered again.
      if ((await revisions.findResult(revision)) !== undefined)
        return void (await jobs.remove(job));
      const isStorageFull = cause instanceof Problem && cause.status === 507;
      const problem = isStorageFull ? cause : createAttemptsExhaustedError();
      await failRevision(dependencies, { job, revision }, problem);
      progress.publish(revision.designId, undefined);
    },
  };
}

function createAttemptsExhaustedError(): Problem {
  return new Problem('design.failed', {
    detail:
      'Processing the file failed several times. Upload it again; if that fails too, export it again or in another format, and tell the operator.',
  });
}

/** One thread of the worker does it: there is a core for the start of the browser. */
const LAST_WORKER_STEP: StepName = 'write';

type JobContext = { job: Job; revision: RevisionRecord };

type ProcessingContext = JobContext & {
  jobDirectory: string;
  signal: AbortSignal;
  onProgress: ProgressListener;
  /** Publishes the preview. Does not reject. */
  onPreview: (path: string) => Promise<void>;
};

type ProgressReporter = {
  onProgress: ProgressListener;
  /** Called when the preview is shown. */
  onPreviewShown: () => void;
};

/** A preview of an attempt before this one is still shown. */
async function openProgressReporter(
  progress: ProgressHub,
  earlyPreviews: EarlyPreviewStore,
  { id, designId }: RevisionRecord,
): Promise<ProgressReporter> {
  let preview = (await earlyPreviews.find(id)) !== undefined;
  return {
    onProgress: (step, percent) => progress.publish(designId, { step, percent, preview }),
    onPreviewShown() {
      preview = true;
      const current = progress.findProgress(designId);
      if (current) progress.publish(designId, { ...current, preview });
    },
  };
}

async function processRevision(
  dependencies: JobHandlerDependencies,
  context: ProcessingContext,
): Promise<void> {
  const { modelProcessor, posterRenderer, revisions, metrics, now } = dependencies;
  const { revision, jobDirectory, signal, onProgress, onPreview } = context;
  await prepareJobDirectory(dependencies, revision, jobDirectory);
  let hasLaunched = false;
  // The worker reports 0-85 %; validation and poster are the last 15 %.
  const reportWorkerProgress: ProgressListener = (step, percent) => {
    onProgress(step, Math.round(percent * 0.85));
    // The worker may report the step several times.
    if (step === LAST_WORKER_STEP && !hasLaunched) posterRenderer?.launch?.(signal);
    hasLaunched ||= step === LAST_WORKER_STEP;
  };
  let earlyPreview: Promise<void> | undefined;
  const startMs = performance.now();
  let memoryBytes: number | undefined;
  const run = modelProcessor.run(jobDirectory, {
    signal,
    onProgress: reportWorkerProgress,
    onPreview: (path) => {
      earlyPreview ??= onPreview(path);
    },
    onMemory: (bytes) => {
      memoryBytes = Math.max(bytes, memoryBytes ?? 0);
    },
    decodedBytes: revision.source.decodedBytes,
    workerFlags: getWorkerFlags(revision.source.detectedFormat.format),
  });
  // Its file is deleted with the directory.
  const result = await run.finally(() => {
    metrics.observeWorker({ durationMs: performance.now() - startMs, memoryBytes });
    return earlyPreview;
  });
  signal.throwIfAborted();
  if (!result.ok) {
    const problem = new Problem(result.code, { detail: result.detail });
    if (context.job.attempts < getMaxAttempts(result.retryable)) throw problem;
    return failRevision(dependencies, context, problem);
  }
  const pictureOptions = await revisions.findPictureOptions(revision);
  try {
    await publishArtifacts(dependencies, {
      revision,
      pictureOptions,
      jobDirectory,
      signal,
      onProgress,
      workerReport: result.report,
      saveResult: (processingResult, drafts) =>
        completeJob(dependencies, context, async (trx) => {
          await revisions.markReady(revision, processingResult, now(), trx);
          await queuePosterAfterChange(dependencies, revision, pictureOptions, trx);
          await drafts.assertRetained(trx);
          return 'ready';
        }),
    });
  } catch (error) {
    // A problem of the design (4xx) is final. Other errors may not occur in the next attempt.
    if (!(error instanceof Problem) || error.status >= 500 || isTooManyOpenFiles(error))
      throw error;
    await failRevision(dependencies, context, error);
  }
}

function getMaxAttempts(retryable: Retryable): number {
  if (retryable === 'once') return 2;
  return retryable ? MAX_ATTEMPTS : 1;
}

/** A job of a revision that is ready renders its poster again. */
async function updatePosterIfReady(
  dependencies: JobHandlerDependencies,
  context: Omit<ProcessingContext, 'onProgress' | 'onPreview'>,
): Promise<void> {
  const { revisions } = dependencies;
  const { revision, jobDirectory } = context;
  const result = await revisions.findResult(revision);
  // The revision was cancelled or deleted, or another runner has its job.
  if (result === undefined) return;
  const options = await revisions.findPictureOptions(revision);
  try {
    await updatePoster(dependencies, {
      ...context,
      result,
      options,
      save: (update, drafts) =>
        completeJob(dependencies, context, async (trx) => {
          if (update !== undefined) await revisions.replacePoster(revision, update, trx);
          await queuePosterAfterChange(dependencies, revision, options, trx);
          await drafts?.assertRetained(trx);
          return 'poster';
        }),
    });
  } finally {
    await rm(jobDirectory, { recursive: true, force: true });
  }
}

/** Queues another job for the poster if the options of the design have changed since it was rendered. */
async function queuePosterAfterChange(
  { revisions, jobs, now }: JobHandlerDependencies,
  revision: RevisionRecord,
  renderedWith: ViewerOptions,
  trx: Transaction,
): Promise<void> {
  const current = await revisions.findPictureOptions(revision, trx);
  if (!haveSamePicture(current, renderedWith)) await jobs.add(createJob(revision.id), now(), trx);
}

/** Creates the job's directory with the input of the model processor. */
async function prepareJobDirectory(
  { blobs, revisions, processingOptions }: JobHandlerDependencies,
  revision: RevisionRecord,
  jobDirectory: string,
): Promise<void> {
  await rm(jobDirectory, { recursive: true, force: true });
  await createDirectory(join(jobDirectory, 'out'));
  const { id, source } = revision;
  const options = { ...processingOptions, ...(await revisions.findProcessingOptions(revision)) };
  const workerJob: WorkerJob = { detectedFormat: source.detectedFormat, options };
  await writeFile(join(jobDirectory, 'job.json'), JSON.stringify(workerJob));
  const found = await blobs.copyToFile(source.blob, join(jobDirectory, 'source'));
  if (!found) throw new Error(`The source file of revision ${id} is missing.`);
}

async function failRevision(
  dependencies: JobHandlerDependencies,
  context: JobContext,
  { code, message: detail }: Problem,
): Promise<void> {
  const { revisions, jobs, now } = dependencies;
  const { attempts } = context.job;
  const failure = { code, detail, attempts, node: jobs.node };
  await completeJob(dependencies, context, async (trx) => {
    await revisions.markFailed(context.revision, failure, now(), trx);
    return 'failed';
  });
}

/**
 * Deletes the job and writes its result in one transaction. Writes nothing if the job was removed: its design
 * was deleted, or another runner completed it. The job's directory is deleted before the result is visible.
 */
async function completeJob(
  { jobs, revisions, metrics, database, workDirectory }: JobHandlerDependencies,
  { job, revision }: JobContext,
  writeResult: (trx: Transaction) => Promise<'ready' | 'failed' | 'poster'>,
): Promise<void> {
  await rm(join(workDirectory, job.id), { recursive: true, force: true });
  const result = await runTransaction(database, async (trx) => {
    await revisions.lockDesign(revision.designId, trx);
    return (await jobs.remove(job, trx)) ? writeResult(trx) : undefined;
  });
  if (result === 'ready' || result === 'failed') metrics.countJob(result);
  revisions.invalidateDesign(revision);
}
