import { once } from 'node:events';
import { copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import { openValidationWorker } from '@cloche/pipeline/validation/worker/validation-worker';
import type { ProcessingEnvironment } from '../src/app.ts';

/**
 * Makes a model of a GLB by leaving it as it is: for tests of what is around the pipeline, which would
 * wait half a second for each child process.
 */
export const passthroughProcessor: ModelProcessor = {
  async run(folder, { signal, onProgress }) {
    onProgress('read', 10);
    await copyFile(join(folder, 'in'), join(folder, 'out', 'model.glb'));
    signal.throwIfAborted();
    const { size } = await stat(join(folder, 'in'));
    return {
      ok: true,
      report: { before: { ...ZERO_COUNTS, bytes: size }, steps: [], warnings: [] },
    };
  },
};

const ZERO_COUNTS = {
  triangles: 0,
  vertices: 0,
  nodes: 0,
  meshes: 0,
  materials: 0,
  textures: 0,
  animations: 0,
  variants: 0,
};

/** A maker that works when it is let, and counts. */
export function createBlockingProcessor() {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let runs = 0;
  const maker: ModelProcessor = {
    async run(folder, options) {
      runs += 1;
      begun.resolve();
      options.onProgress('textures', 50);
      await Promise.race([gate.promise, once(options.signal, 'abort')]);
      options.signal.throwIfAborted();
      return passthroughProcessor.run(folder, options);
    },
  };
  return { maker, begun: begun.promise, letGo: gate.resolve, runs: () => runs };
}

/** One for all services of a test file; it does not hold the process. */
const validationWorker = openValidationWorker();

/** A workshop in a folder of the test's own. */
export function createTestProcessing(folder: string): ProcessingEnvironment {
  return {
    validationWorker,
    modelProcessor: passthroughProcessor,
    workDirectory: join(folder, 'work'),
    concurrency: 2,
    maxQueuedJobs: 1000,
    retryDelayMs: 10,
  };
}
