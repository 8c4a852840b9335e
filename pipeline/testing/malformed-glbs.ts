import { generateMalformedContainers } from './malformed/containers.ts';
import type { MalformedFile } from './malformed/malformed-file.ts';
import { generateMalformedModels } from './malformed/models.ts';
import { generateOversizedGlbs } from './malformed/oversized.ts';

/** Broken and hostile files, made one at a time: most of 3 kB, the largest of some 30 MB. */
export function* generateMalformedGlbs(): Iterable<MalformedFile> {
  yield* generateMalformedContainers();
  yield* generateMalformedModels();
  yield* generateOversizedGlbs();
}
