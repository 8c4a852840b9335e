import type { ProblemCode } from '@cloche/contract/problem';
import { brokenContainers } from './malformed/containers.ts';
import { heavyGlbs } from './malformed/heavy.ts';
import { brokenModels } from './malformed/models.ts';

/** A file that must be refused, and how. */
export type Malformed = { name: string; bytes: Buffer; code: ProblemCode; reason?: string };

/** Broken and hostile files, made one at a time: most of 3 kB, the largest of some 30 MB. */
export function* malformedGlbs(): Iterable<Malformed> {
  yield* brokenContainers();
  yield* brokenModels();
  yield* heavyGlbs();
}
