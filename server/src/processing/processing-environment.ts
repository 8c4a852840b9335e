import { mkdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { openPosterRenderer } from '@cloche/pipeline/poster/poster-renderer';
import { openSandbox } from '@cloche/pipeline/sandbox/sandbox';
import { openValidationWorker } from '@cloche/pipeline/validation/worker/validation-worker';
import type { ProcessingEnvironment } from '../app.ts';
import type { Config } from '../config.ts';
import type { ViewerBuild } from '../embed/viewer-build.ts';
import { parseViewerTemplate } from '../embed/viewer-template.ts';
import type { Logger } from '../http/logger.ts';

/** Uploads that may wait for their turn; more are refused for a while. */
const MAX_QUEUED_JOBS = 1000;

type ProcessingEnvironmentOptions = {
  config: Pick<Config, 'dataDirectory' | 'browser' | 'maxTextureSize'>;
  viewer: ViewerBuild;
  log: Pick<Logger, 'warn'>;
};

/** Opens the place where models are made of uploads. What a crash left there is thrown away. */
export async function openProcessingEnvironment(
  given: ProcessingEnvironmentOptions,
): Promise<ProcessingEnvironment & AsyncDisposable> {
  const { config, viewer, log } = given;
  const profileDirectory = join(config.dataDirectory, 'work');
  await rm(profileDirectory, { recursive: true, force: true });
  await mkdir(profileDirectory, { recursive: true, mode: 0o700 });
  const validationWorker = openValidationWorker();
  const poster = await openPosterRenderer({
    browser: config.browser,
    viewer: { ...parseViewerTemplate(viewer), assets: viewer.assets },
    profileDirectory,
    log,
  });
  return {
    validationWorker,
    poster,
    modelProcessor: await openSandbox({ log }),
    workDirectory: profileDirectory,
    processingOptions: { maxTextureSize: config.maxTextureSize },
    concurrency: Math.max(1, availableParallelism() - 1),
    maxQueuedJobs: MAX_QUEUED_JOBS,
    async [Symbol.asyncDispose]() {
      await poster?.[Symbol.asyncDispose]();
      await validationWorker[Symbol.asyncDispose]();
    },
  };
}
