import { mkdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Workshop } from './app.ts';
import type { Config } from './config.ts';
import { readTemplate } from './embed/template.ts';
import type { ViewerFiles } from './embed/viewer-files.ts';
import type { Logger } from './http/log.ts';
import { openPoster } from './pipeline/poster.ts';
import { openExaminer } from './pipeline/preflight/examiner.ts';
import { openSandbox } from './pipeline/sandbox.ts';

/** Uploads that may wait for their turn; more are refused for a while. */
const QUEUE = 1000;

type Given = {
  config: Pick<Config, 'dataFolder' | 'browser' | 'maxTextureSize'>;
  viewer: ViewerFiles;
  log: Pick<Logger, 'warn'>;
};

/** Opens the place where models are made of uploads. What a crash left there is thrown away. */
export async function openWorkshop(given: Given): Promise<Workshop & AsyncDisposable> {
  const { config, viewer, log } = given;
  const folder = join(config.dataFolder, 'work');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const examiner = openExaminer();
  const poster = await openPoster({
    browser: config.browser,
    viewer: { ...readTemplate(viewer), assets: viewer.assets },
    folder,
    log,
  });
  return {
    examiner,
    poster,
    maker: await openSandbox({ log }),
    folder,
    options: { maxTextureSize: config.maxTextureSize },
    concurrency: Math.max(1, availableParallelism() - 1),
    queue: QUEUE,
    async [Symbol.asyncDispose]() {
      await poster?.[Symbol.asyncDispose]();
      await examiner[Symbol.asyncDispose]();
    },
  };
}
