import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { WorkerResult } from '../src/model-processor.ts';
import { openSandbox, type SandboxRunOptions } from '../src/sandbox/sandbox.ts';
import { openTemporaryDirectory } from './temporary-directory.ts';

const MIB = 1024 * 1024;

/** The module with `runJob`, as a string in a script. */
export const RUN_JOB = JSON.stringify(import.meta.resolve('../src/sandbox/worker/run-job.ts'));

/** Runs `worker.ts` of the job directory, with low limits. */
export const limitedSandbox = await openSandbox({
  entryPoint: 'worker.ts',
  memoryBytes: 1024 * MIB,
  heapBytes: 100 * MIB,
  fileBytes: MIB,
  timeoutMs: 30_000,
});

/** Creates a job directory with a script that runs in place of the worker. */
export async function createJobDirectory(t: TestContext, script: string): Promise<string> {
  const directory = await openTemporaryDirectory(t);
  await writeFile(join(directory, 'worker.ts'), script);
  return directory;
}

/** Runs a script in place of the worker, with low limits. */
export async function runScript(
  t: TestContext,
  script: string,
  options?: SandboxRunOptions,
): Promise<WorkerResult> {
  return limitedSandbox.run(await createJobDirectory(t, script), options);
}
