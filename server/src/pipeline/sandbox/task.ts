import type { Examined } from '../format.ts';

/** What a child is asked to do: `task.json` in its folder, beside the file `in`. */
export type Task = { examined: Examined; options: { maxTextureSize?: number } };

/** A child's exit code when it refuses the design and `out/failure.json` says why. */
export const REFUSED = 2;

/** A child's exit code when the disk is full. */
export const NO_ROOM = 3;
