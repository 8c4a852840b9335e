import { randomUUID } from 'node:crypto';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type {
  ProcessingResult,
  RevisionProblem,
  RevisionRecord,
  RevisionStatus,
  SourceFile,
} from '../processing/revision.ts';

export type { Artifact } from '../processing/revision.ts';

/** The fields of a design that its owner chooses. */
export type DesignFields = {
  name: string;
  description: string;
  tags: readonly string[];
  /** The id in another system. Unique among the designs of a user. */
  externalId: string | undefined;
  metadata: Readonly<Record<string, string>>;
  /** Undefined: the default of the service. */
  maxTriangles: number | undefined;
  /** Longest side of a texture in pixels. Undefined: the default of the service. */
  maxTextureSize: number | undefined;
  /** Anyone may see the design, on any page. */
  shared: boolean;
  /** The options of its embeds, unless their URL has others. */
  viewer: ViewerOptions;
};

/** A design with the revision that embeds show. */
export type DesignRecord = DesignFields & {
  id: string;
  user: string;
  /** Status of the latest revision. */
  status: RevisionStatus;
  /** The revision that embeds show. Undefined until the first one is ready. */
  revision: ReadyRevision | undefined;
  /** Why the latest revision failed, if it did. */
  problem: RevisionProblem | undefined;
  createdAt: Date;
  updatedAt: Date;
  /** Incremented by each change. */
  version: number;
};

/** A revision that can be shown. Immutable. */
export type ReadyRevision = ProcessingResult & {
  id: string;
  number: number;
  source: SourceFile;
  createdAt: Date;
};

/** What embeds show: a revision that is ready, or one of which only the preview exists. */
export type ShownRevision = ProcessingResult & Pick<ReadyRevision, 'id'>;

/** A revision in a list, without its artifacts. */
export type RevisionSummary = {
  revision: RevisionRecord;
  status: RevisionStatus;
  /** Why it failed. */
  problem: RevisionProblem | undefined;
  createdAt: Date;
};

/** The fields of a new design that its creator chooses. */
export type NewDesign = DesignFields & Pick<DesignRecord, 'user'>;

/** Creates a design whose first revision is queued. */
export function createDesign(newDesign: NewDesign, now: Date): DesignRecord {
  return {
    ...newDesign,
    id: randomUUID(),
    status: 'queued',
    revision: undefined,
    problem: undefined,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
}

/** Whether processing of the latest revision has ended. */
export function isSettled({ status }: Pick<DesignRecord, 'status'>): boolean {
  return status !== 'queued' && status !== 'processing';
}
