import type { Budget } from '../../../validation/budgets.ts';
import type { JsonNode } from '../../../validation/json-node.ts';
import type { GltfAccessor } from './accessor.ts';
import type { AccessorScanner } from './accessor-scanner.ts';
import type { GltfBufferView } from './buffers.ts';
import type { GltfDocument } from './document.ts';

/** The data that has been validated so far, for the checks of meshes, nodes and animations. */
export type ValidationContext = {
  readonly document: GltfDocument;
  readonly bufferViews: readonly GltfBufferView[];
  readonly accessors: readonly GltfAccessor[];
  /** Material variants. */
  readonly variants: readonly JsonNode[];
  readonly scanner: AccessorScanner;
  readonly budget: Budget;
};
