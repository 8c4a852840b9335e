import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document } from '@gltf-transform/core';
import type { ModelArchive } from '../validation/zip/model-archive.ts';

/** An imported model, in meters with Y up, and the warnings about it. */
export type ImportedModel = { document: Document; warnings: ProcessingWarning[] };

/** The archive that a model came in, where its external files are, and its path in there. */
export type ModelLocation = { archive: ModelArchive; modelPath: string };
