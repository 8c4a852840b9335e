import type { DetectedFormat } from '../formats/registry.ts';

/** The content of `job.json` in the job directory, next to the file `source`. */
export type WorkerJob = {
  detectedFormat: DetectedFormat;
  options: { maxTextureSize?: number; maxTriangles?: number };
};

/** Exit code of a worker that rejects the file; `out/rejection.json` has the reason. */
export const EXIT_REJECTED = 2;

/** Exit code of a worker that could not write because the disk is full. */
export const EXIT_DISK_FULL = 3;
