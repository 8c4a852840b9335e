import { mkdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import {
  openPosterRenderer,
  type PosterRenderer,
  type PosterRendererOptions,
} from '@cloche/pipeline/poster/poster-renderer';
import { openSandbox } from '@cloche/pipeline/sandbox/sandbox';
import type { SandboxLevel, SandboxReport } from '@cloche/pipeline/sandbox/sandbox-report';
import type { WorkerJob } from '@cloche/pipeline/sandbox/worker-protocol';
import {
  openValidationWorker,
  type ValidationWorker,
} from '@cloche/pipeline/validation-worker/validation-worker';
import type { Logger } from '../http/logger.ts';

/** The resources that processing uses: worker processes, a browser and a directory. */
export type ProcessingEnvironment = {
  /** Validates files before anything else opens them. */
  validationWorker: ValidationWorker;
  modelProcessor: ModelProcessor;
  /** What protects the service from its workers. */
  sandbox: SandboxReport;
  /** Undefined if no browser is available: designs then have no posters. */
  posterRenderer?: PosterRenderer | undefined;
  /** Contains one directory per running job. */
  workDirectory: string;
  /** Overrides of the default processing options. */
  processingOptions?: WorkerJob['options'];
  /** Maximum number of jobs that run at the same time. */
  concurrency: number;
  /** Maximum number of jobs in the queue. Further files are refused. */
  maxQueuedJobs: number;
  /** Delay before the first retry. Each further delay is four times as long. */
  retryDelayMs?: number;
};

/** Maximum number of jobs in the queue. */
const MAX_QUEUED_JOBS = 1000;

export type ProcessingEnvironmentOptions = Pick<PosterRendererOptions, 'browser' | 'viewer'> & {
  /** Emptied when opened. */
  workDirectory: string;
  maxTextureSize: number;
  maxTriangles: number;
  sandboxLevel: SandboxLevel | 'auto';
  log: Pick<Logger, 'warn'>;
};

/** Starts the validation worker, the sandbox and the poster renderer. @throws {SandboxUnavailableError} */
export async function openProcessingEnvironment(
  options: ProcessingEnvironmentOptions,
): Promise<ProcessingEnvironment & AsyncDisposable> {
  const { workDirectory, browser, viewer, maxTextureSize, maxTriangles, sandboxLevel, log } =
    options;
  // A crash may have left files.
  await rm(workDirectory, { recursive: true, force: true });
  await mkdir(workDirectory, { recursive: true, mode: 0o700 });
  const sandbox = await openSandbox({ level: sandboxLevel, log });
  const validationWorker = openValidationWorker();
  const posterRenderer = await openPosterRenderer({
    browser,
    viewer,
    profileDirectory: workDirectory,
    log,
  });
  return {
    validationWorker,
    posterRenderer,
    modelProcessor: sandbox,
    sandbox: sandbox.report,
    workDirectory,
    processingOptions: { maxTextureSize, maxTriangles },
    concurrency: Math.max(1, availableParallelism() - 1),
    maxQueuedJobs: MAX_QUEUED_JOBS,
    async [Symbol.asyncDispose]() {
      await posterRenderer?.[Symbol.asyncDispose]();
      await validationWorker[Symbol.asyncDispose]();
    },
  };
}
