import type { Examined } from '../format.ts';

/** What a child is asked to do: `task.json` in its folder, beside the file `in`. */
export type Task = { examined: Examined; options: { maxTextureSize?: number } };
