import { randomUUID } from 'node:crypto';
import type {
  ProcessingResult,
  RevisionProblem,
  RevisionStatus,
  SourceFile,
} from '../processing/revision.ts';

export type { Artifact } from '../processing/revision.ts';

/** A design with the revision that embeds show. */
export type DesignRecord = {
  id: string;
  user: string;
  name: string;
  description: string;
  /** Status of the latest revision. */
  status: RevisionStatus;
  /** The revision that embeds show. Undefined until the first one is ready. */
  revision: ReadyRevision | undefined;
  /** Why the latest revision failed, if it did. */
  problem: RevisionProblem | undefined;
  createdAt: Date;
  updatedAt: Date;
};

/** A revision that can be shown. Immutable. */
export type ReadyRevision = ProcessingResult & {
  id: string;
  number: number;
  source: SourceFile;
  createdAt: Date;
};

/** The fields of a new design that its creator chooses. */
export type NewDesign = Pick<DesignRecord, 'user' | 'name'>;

/** Creates a design whose first revision is queued. */
export function createDesign({ user, name }: NewDesign, now: Date): DesignRecord {
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

/** Whether processing of the latest revision has ended. */
export function isSettled({ status }: Pick<DesignRecord, 'status'>): boolean {
  return status === 'ready' || status === 'failed';
}
