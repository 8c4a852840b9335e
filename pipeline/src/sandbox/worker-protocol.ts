import type { DetectedFormat } from '../formats/registry.ts';

/** What a child is asked to do: `task.json` in its folder, beside the file `in`. */
export type WorkerJob = { detectedFormat: DetectedFormat; options: { maxTextureSize?: number } };

/** A child's exit code when it refuses the design and `out/failure.json` says why. */
export const EXIT_REJECTED = 2;

/** A child's exit code when the disk is full. */
export const EXIT_DISK_FULL = 3;
