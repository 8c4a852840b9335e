import { once } from 'node:events';
import { copyFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import { openValidationWorker } from '@cloche/pipeline/validation-worker/validation-worker';
import type { ProcessingEnvironment } from '../src/processing/processing-environment.ts';

/**
 * Copies the source GLB unchanged. For tests that do not test the pipeline: a worker process takes half
 * a second per job.
 */
export const passthroughProcessor: ModelProcessor = {
  async run(directory, { signal, onProgress }) {
    onProgress('read', 10);
    const source = join(directory, 'source');
    await copyFile(source, join(directory, 'out', 'model.glb'));
    signal.throwIfAborted();
    const { size } = await stat(source);
    return {
      ok: true,
      report: { before: { ...ZERO_COUNTS, bytes: size }, steps: [], warnings: [] },
    };
  },
};

export const ZERO_COUNTS = {
  triangles: 0,
  vertices: 0,
  nodes: 0,
  meshes: 0,
  materials: 0,
  textures: 0,
  animations: 0,
  variants: 0,
};

export type BlockingProcessor = {
  processor: ModelProcessor;
  /** Resolves when the first run has started. */
  started: Promise<void>;
  /** Unblocks all runs, also later ones. */
  release(): void;
  runCount(): number;
};

/**
 * Creates a processor whose runs block until they are released.
 *
 * @param preview sent before that, as a worker does
 */
export function createBlockingProcessor({ preview }: { preview?: Buffer } = {}): BlockingProcessor {
  const released = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  let runCount = 0;
  const processor: ModelProcessor = {
    async run(directory, options) {
      runCount += 1;
      started.resolve();
      options.onProgress('textures', 50);
      if (preview !== undefined) {
        const path = join(directory, 'out', 'preview.glb');
        await writeFile(path, preview);
        options.onPreview?.(path);
      }
      await Promise.race([released.promise, once(options.signal, 'abort')]);
      options.signal.throwIfAborted();
      return passthroughProcessor.run(directory, options);
    },
  };
  return {
    processor,
    started: started.promise,
    release: released.resolve,
    runCount: () => runCount,
  };
}

/** One worker for all servers of a test file. It does not keep the process alive. */
const validationWorker = openValidationWorker();

/** Creates a processing environment in the data directory of a test server. */
export function createTestProcessing(dataDirectory: string): ProcessingEnvironment {
  return {
    validationWorker,
    modelProcessor: passthroughProcessor,
    sandbox: { level: 'strict', missing: [] },
    workDirectory: join(dataDirectory, 'jobs'),
    concurrency: 2,
    maxQueuedJobs: 1000,
    retryDelayMs: 10,
  };
}
