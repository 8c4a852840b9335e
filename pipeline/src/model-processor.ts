import type { ProblemCode } from '@cloche/contract/problem';
import type { ProgressListener } from './processing-steps.ts';
import type { VerifiedWorkerReport } from './worker-report.ts';

/** Result of a job. `retryable`: the same file may succeed in another attempt. */
export type WorkerResult =
  | { ok: true; report: VerifiedWorkerReport }
  | { ok: false; code: ProblemCode; detail: string; retryable: boolean };

/** `signal` cancels the job; `onProgress` receives its progress. */
export type ModelProcessorOptions = { signal: AbortSignal; onProgress: ProgressListener };

/**
 * Processes the source file of a job in a worker, which reads `<directory>/source` and `<directory>/job.json`. The files that the worker
 * sends are then in `<directory>/out`: `model.glb` and, for larger models, `preview.glb` and the files of level-files.ts.
 * The sandbox is the only implementation outside of tests.
 */
export interface ModelProcessor {
  run(directory: string, options: ModelProcessorOptions): Promise<WorkerResult>;
}
