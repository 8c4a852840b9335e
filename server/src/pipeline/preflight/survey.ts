import type { Accessor } from './accessor.ts';
import type { View } from './buffers.ts';
import type { Document } from './document.ts';
import type { Tally } from './limits.ts';
import type { Part } from './part.ts';
import type { Scans } from './scans.ts';

/** What the checks of meshes, nodes and animations share: the data known to be sound so far. */
export type Survey = {
  readonly document: Document;
  readonly views: readonly View[];
  readonly accessors: readonly Accessor[];
  /** The material variants. */
  readonly variants: readonly Part[];
  readonly scans: Scans;
  readonly tally: Tally;
};
