import { rm } from 'node:fs/promises';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import {
  openPosterRenderer,
  type PosterRenderer,
  type PosterRendererOptions,
} from '@cloche/pipeline/poster/poster-renderer';
import {
  chooseWorkerCount,
  getDefaultLimits,
  getMachineResources,
} from '@cloche/pipeline/sandbox/limits';
import { openSandbox } from '@cloche/pipeline/sandbox/sandbox';
import type { SandboxLevel, SandboxReport } from '@cloche/pipeline/sandbox/sandbox-report';
import type { WorkerJob } from '@cloche/pipeline/sandbox/worker-protocol';
import {
  openValidationWorker,
  type ValidationWorker,
} from '@cloche/pipeline/validation-worker/validation-worker';
import { createDirectory } from '../disk/create-directory.ts';
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
  /** Maximum number of jobs that run at the same time. `auto`: as many as the machine allows. */
  workers: number | 'auto';
  log: Pick<Logger, 'warn'>;
};

/** Starts the validation worker, the sandbox and the poster renderer. @throws {SandboxUnavailableError} */
export async function openProcessingEnvironment(
  options: ProcessingEnvironmentOptions,
): Promise<ProcessingEnvironment & AsyncDisposable> {
  const { workDirectory, browser, viewer, maxTextureSize, maxTriangles, sandboxLevel, log } =
    options;
  const workerCount = countWorkers(options);
  // A crash may have left files.
  await rm(workDirectory, { recursive: true, force: true });
  await createDirectory(workDirectory);
  const sandbox = await openSandbox({ level: sandboxLevel, workerCount, log });
  const validationWorker = openValidationWorker();
  const posterRenderer = await openPosterRenderer({
    browser,
    viewer,
    profileDirectory: workDirectory,
    isolation: sandbox.isolation,
    log,
  });
  return {
    validationWorker,
    posterRenderer,
    modelProcessor: sandbox,
    sandbox: sandbox.report,
    workDirectory,
    processingOptions: { maxTextureSize, maxTriangles },
    concurrency: workerCount,
    maxQueuedJobs: MAX_QUEUED_JOBS,
    async [Symbol.asyncDispose]() {
      await posterRenderer?.[Symbol.asyncDispose]();
      await validationWorker[Symbol.asyncDispose]();
    },
  };
}

function countWorkers({ workers, log }: ProcessingEnvironmentOptions): number {
  const machine = getMachineResources();
  const workerCount = workers === 'auto' ? chooseWorkerCount(machine) : workers;
  const memoryBytes = workerCount * getDefaultLimits(workerCount, machine).memoryBytes;
  if (memoryBytes > machine.memoryBytes)
    log.warn(
      { workers: workerCount, memoryBytes, machineMemoryBytes: machine.memoryBytes },
      'the memory limits of all workers add up to more than the memory of this machine',
    );
  return workerCount;
}
