import { brokenContainers } from './malformed/containers.ts';
import type { Malformed } from './malformed/file.ts';
import { heavyGlbs } from './malformed/heavy.ts';
import { brokenModels } from './malformed/models.ts';

/** Broken and hostile files, made one at a time: most of 3 kB, the largest of some 30 MB. */
export function* malformedGlbs(): Iterable<Malformed> {
  yield* brokenContainers();
  yield* brokenModels();
  yield* heavyGlbs();
}
