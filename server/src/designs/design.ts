import { randomUUID } from 'node:crypto';
import type { ProcessingReport } from '@cloche/contract/design';
import type { ModelStats } from '@cloche/contract/model-stats';
import type { ProblemCode } from '@cloche/contract/problem';
import type { PosterPlaceholder } from '@cloche/contract/viewer-config';
import type { DetectedFormat } from '@cloche/pipeline/formats/registry';
import type { BlobRef } from '../blobs/blob-store.ts';

/** Where an upload stands. */
export type RevisionStatus = 'queued' | 'processing' | 'ready' | 'failed';

/** A design as we keep it, with the revision that embeds show. */
export type DesignRecord = {
  id: string;
  user: string;
  name: string;
  description: string;
  /** Of the last upload. */
  status: RevisionStatus;
  /** The revision that embeds show; undefined before the first is ready. */
  revision: ReadyRevision | undefined;
  /** Why the last upload failed, if it did. */
  problem: RevisionProblem | undefined;
  createdAt: Date;
  updatedAt: Date;
};

/** A revision that is ready. Revisions never change. */
export type ReadyRevision = {
  id: string;
  number: number;
  source: SourceFile;
  stats: ModelStats;
  /** Undefined for what was made before reports were. */
  report: ProcessingReport | undefined;
  posterPlaceholder: PosterPlaceholder | undefined;
  artifacts: readonly Artifact[];
  createdAt: Date;
};

/** The bytes as they were sent. */
export type SourceFile = { blob: BlobRef; sizeBytes: number; detectedFormat: DetectedFormat };

/** An upload that is to become a revision. */
export type RevisionRecord = { id: string; designId: string; number: number; source: SourceFile };

/** What processing made of an upload. */
export type ProcessingResult = Pick<
  ReadyRevision,
  'stats' | 'report' | 'posterPlaceholder' | 'artifacts'
>;

/** Why an upload could not become a revision that can be shown. */
export type RevisionProblem = { code: ProblemCode; detail: string; revision: number };

/** A file the framed document loads. Pictures have a size in pixels. */
export type Artifact = {
  kind: 'model' | 'preview' | 'poster' | 'poster-small';
  blob: BlobRef;
  sizeBytes: number;
  width?: number;
  height?: number;
};

/** Makes a design whose first upload waits for its turn. */
export function createDesign(
  { user, name }: { user: string; name: string },
  now: Date,
): DesignRecord {
  return {
    id: randomUUID(),
    user,
    name,
    description: '',
    status: 'queued',
    revision: undefined,
    problem: undefined,
    createdAt: now,
    updatedAt: now,
  };
}
