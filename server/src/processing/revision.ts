import type { ProcessingReport } from '@cloche/contract/design';
import type { ModelStats } from '@cloche/contract/model-stats';
import type { ProblemCode } from '@cloche/contract/problem';
import type { PosterPlaceholder } from '@cloche/contract/viewer-config';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type { DetectedFormat } from '@cloche/pipeline/formats/registry';
import type { BlobRef } from '../blobs/blob-store.ts';
import type { Transaction } from '../database/database.ts';

/** The processing status of a revision. */
export type RevisionStatus = 'queued' | 'processing' | 'ready' | 'failed' | 'cancelled';

/** The bytes an owner sent, unchanged. */
export type SourceFile = {
  blob: BlobRef;
  sizeBytes: number;
  detectedFormat: DetectedFormat;
  /** The size that the validation computed. Undefined for files that were uploaded before it did. */
  decodedBytes?: number | undefined;
  /** The name that its client sent. Untrusted. */
  fileName: string | undefined;
};

/** A revision in any status. */
export type RevisionRecord = { id: string; designId: string; number: number; source: SourceFile };

/** The options of processing that the design has itself. They override those of the service. */
export type RevisionProcessingOptions = { maxTriangles?: number; maxTextureSize?: number };

/** A generated file that the framed document loads. Posters have a size in pixels. */
export type Artifact = {
  kind:
    | 'model'
    | 'preview'
    | 'poster'
    | 'poster-small'
    | 'poster-inline'
    | 'poster-share'
    | 'poster-share-small'
    | 'geometry'
    | 'textures';
  /** The triangles of a geometry, or the size of a texture pack in pixels. Other kinds have no levels. */
  level?: number;
  blob: BlobRef;
  sizeBytes: number;
  width?: number;
  height?: number;
  /** The same file compressed with Brotli, if that makes it smaller. */
  brotli?: { blob: BlobRef; sizeBytes: number };
};

/** The result of processing a revision. */
export type ProcessingResult = {
  stats: ModelStats;
  /** Undefined for revisions processed before reports existed. */
  report: ProcessingReport | undefined;
  posterPlaceholder: PosterPlaceholder | undefined;
  /** The options with which the poster was rendered; absent if none. */
  posterOptions?: ViewerOptions | undefined;
  artifacts: readonly Artifact[];
};

/** The images of another poster, and the options with which it was rendered. */
export type PosterUpdate = {
  artifacts: readonly Artifact[];
  posterPlaceholder: PosterPlaceholder;
  options: ViewerOptions;
};

/** Why processing a revision failed. `revision` is its number. */
export type RevisionProblem = { code: ProblemCode; detail: string; revision: number };

/** How the last attempt failed. `node`: where. */
export type RevisionFailure = Omit<RevisionProblem, 'revision'> & {
  attempts: number;
  node: string;
};

/** The operations on revisions that processing uses. */
export interface RevisionStatusStore {
  find(id: string): Promise<RevisionRecord | undefined>;
  findProcessingOptions(revision: RevisionRecord): Promise<RevisionProcessingOptions>;
  /** The options of the design that change the first picture. */
  findPictureOptions(revision: RevisionRecord, trx?: Transaction): Promise<ViewerOptions>;
  /** Undefined if the revision is not ready. */
  findResult(revision: RevisionRecord): Promise<ProcessingResult | undefined>;
  /** Called first in each transaction that changes a design or its revisions. */
  lockDesign(designId: string, trx: Transaction): Promise<void>;
  /** Returns false if the revision was cancelled or deleted, or another runner has its job. */
  markProcessing(
    revision: RevisionRecord,
    now: Date,
    isJobHeld: (trx: Transaction) => Promise<boolean>,
  ): Promise<boolean>;
  markReady(
    revision: RevisionRecord,
    result: ProcessingResult,
    now: Date,
    trx: Transaction,
  ): Promise<void>;
  replacePoster(revision: RevisionRecord, update: PosterUpdate, trx: Transaction): Promise<void>;
  markFailed(
    revision: RevisionRecord,
    failure: RevisionFailure,
    now: Date,
    trx: Transaction,
  ): Promise<void>;
  /** Must be called after the transaction of `markReady`, `replacePoster` or `markFailed` has committed. */
  invalidateDesign(revision: RevisionRecord): void;
}
