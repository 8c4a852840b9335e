import { generateMalformedContainers } from './malformed/containers.ts';
import type { MalformedFile } from './malformed/malformed-file.ts';
import { generateMalformedModels } from './malformed/models.ts';
import { generateOversizedGlbs } from './malformed/oversized.ts';

/** Invalid GLBs that must be refused, generated one at a time: most have 3 kB, the largest 40 MB. */
export function* generateMalformedGlbs(): Iterable<MalformedFile> {
  yield* generateMalformedContainers();
  yield* generateMalformedModels();
  yield* generateOversizedGlbs();
}
