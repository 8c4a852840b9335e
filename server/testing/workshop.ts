import { once } from 'node:events';
import { copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workshop } from '../src/app.ts';
import type { Maker } from '../src/pipeline/maker.ts';
import { openExaminer } from '../src/pipeline/preflight/examiner.ts';

/**
 * Makes a model of a GLB by leaving it as it is: for tests of what is around the pipeline, which would
 * wait half a second for each child process.
 */
export const leaveAsItIs: Maker = {
  async run(folder, { signal, tell }) {
    tell('read', 10);
    await copyFile(join(folder, 'in'), join(folder, 'out', 'model.glb'));
    signal.throwIfAborted();
    const { size } = await stat(join(folder, 'in'));
    return { ok: true, report: { before: { ...NOTHING, bytes: size }, steps: [], warnings: [] } };
  },
};

const NOTHING = {
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
export function heldMaker() {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let runs = 0;
  const maker: Maker = {
    async run(folder, options) {
      runs += 1;
      begun.resolve();
      options.tell('textures', 50);
      await Promise.race([gate.promise, once(options.signal, 'abort')]);
      options.signal.throwIfAborted();
      return leaveAsItIs.run(folder, options);
    },
  };
  return { maker, begun: begun.promise, letGo: gate.resolve, runs: () => runs };
}

/** One for all services of a test file; it does not hold the process. */
const examiner = openExaminer();

/** A workshop in a folder of the test's own. */
export function plainWorkshop(folder: string): Workshop {
  return {
    examiner,
    maker: leaveAsItIs,
    folder: join(folder, 'work'),
    concurrency: 2,
    queue: 1000,
    retryMs: 10,
  };
}
