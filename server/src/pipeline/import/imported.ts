import type { Document } from '@gltf-transform/core';
import type { Warning } from '../report.ts';
import type { Archive } from './archive.ts';

/** A model as it was read: in metres with Y up. */
export type Imported = { document: Document; warnings: Warning[] };

/** Where the files lie that a model names: the archive it came in, and its own path there. */
export type Place = { archive: Archive; main: string };
