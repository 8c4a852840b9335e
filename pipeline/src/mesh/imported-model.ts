import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document } from '@gltf-transform/core';
import type { ModelArchive } from '../validation/zip/model-archive.ts';

/** An imported model, in meters with Y up, and the warnings about it. */
export type ImportedModel = { document: Document; warnings: ProcessingWarning[] };

/** The archive that contains a model and its external files, and the path of the model in it. */
export type ModelLocation = { archive: ModelArchive; modelPath: string };
