import type { ProblemCode } from '@cloche/contract/problem';
import type { ProgressListener } from './processing-steps.ts';
import type { VerifiedWorkerReport } from './worker-report.ts';

/** Result of a job. */
export type WorkerResult =
  | { ok: true; report: VerifiedWorkerReport }
  | { ok: false; code: ProblemCode; detail: string; retryable: Retryable };

/**
 * Whether the same file may succeed in another attempt. `once`: the process crashed by itself. If that
 * happens twice, the file is the cause.
 */
export type Retryable = boolean | 'once';

/** Options of one job. */
export type ModelProcessorOptions = {
  /** Cancels the job. */
  signal: AbortSignal;
  onProgress: ProgressListener;
  /** Called with the path of the preview, if the worker has sent it before the model. It is not validated. */
  onPreview?: ((path: string) => void) | undefined;
  /**
   * Called with the most memory that the worker has used so far, in bytes. The worker itself reports it, so it is for
   * metrics only.
   */
  onMemory?: ((bytes: number) => void) | undefined;
  /** The size that the validation computed; the time limit grows with it. Undefined: the longest time limit. */
  decodedBytes?: number | undefined;
  /** Flags for the Node of the worker, which depend on the format. */
  workerFlags?: readonly string[];
};

/**
 * Processes the source file of a job in a worker, which reads `<directory>/source` and `<directory>/job.json`. The files that the worker
 * sends are then in `<directory>/out`: `model.glb` and, for larger models, `preview.glb` and the files of level-files.ts.
 * The sandbox is the only implementation outside of tests.
 */
export interface ModelProcessor {
  run(directory: string, options: ModelProcessorOptions): Promise<WorkerResult>;
}
