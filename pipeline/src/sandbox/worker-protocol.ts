import type { DetectedFormat } from '../formats/registry.ts';

/** The content of `job.json` in the job directory, next to the file `source`. */
export type WorkerJob = {
  detectedFormat: DetectedFormat;
  options: { maxTextureSize?: number; maxTriangles?: number };
};

/** Exit code of a worker that rejects the file; its result `rejection.json` has the reason. */
export const EXIT_REJECTED = 2;

/** The pipe to which a worker writes its progress: JSON lines. */
export const PROGRESS_FD = 3;

/**
 * The pipe to which a worker writes its result files: for each file a line with its name and size in bytes,
 * `model.glb 1234`, then its bytes.
 */
export const RESULTS_FD = 4;

/** The pipe from which bubblewrap reads the seccomp filter. */
export const FILTER_FD = 5;

/** The names of result files. */
export const RESULT_NAME_PATTERN = /^[a-z][a-z0-9-]{0,40}\.(?:glb|json)$/;
