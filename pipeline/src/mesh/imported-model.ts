import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document } from '@gltf-transform/core';
import type { ModelArchive } from '../validation/zip/model-archive.ts';

/** A model as it was read: in metres with Y up. */
export type ImportedModel = { document: Document; warnings: ProcessingWarning[] };

/** Where the files lie that a model names: the archive it came in, and its own path there. */
export type ModelLocation = { archive: ModelArchive; modelPath: string };
