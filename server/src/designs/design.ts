import { randomUUID } from 'node:crypto';
import type { Report } from '@cloche/contract/design';
import type { Look } from '@cloche/contract/framed';
import type { ProblemCode } from '@cloche/contract/problem';
import type { Stats } from '@cloche/contract/stats';
import type { BlobRef } from '../blobs/blobs.ts';
import type { Examined } from '../pipeline/format.ts';

/** Where an upload stands. */
export type Status = 'queued' | 'processing' | 'ready' | 'failed';

/** A design as we keep it, with the revision that embeds show. */
export type Design = {
  id: string;
  user: string;
  name: string;
  description: string;
  /** Of the last upload. */
  status: Status;
  /** The revision that embeds show; undefined before the first is ready. */
  revision: Revision | undefined;
  /** Why the last upload failed, if it did. */
  problem: Failure | undefined;
  createdAt: Date;
  updatedAt: Date;
};

/** A revision that is ready. Revisions never change. */
export type Revision = {
  id: string;
  number: number;
  source: Source;
  stats: Stats;
  /** Undefined for what was made before reports were. */
  report: Report | undefined;
  look: Look | undefined;
  artifacts: readonly Artifact[];
  createdAt: Date;
};

/** The bytes as they were sent. */
export type Source = { blob: BlobRef; bytes: number; examined: Examined };

/** An upload that is to become a revision. */
export type Upload = { id: string; designId: string; number: number; source: Source };

/** What processing made of an upload. */
export type Made = Pick<Revision, 'stats' | 'report' | 'look' | 'artifacts'>;

/** Why an upload could not become a revision that can be shown. */
export type Failure = { code: ProblemCode; detail: string; revision: number };

/** A file the framed document loads. Pictures have a size in pixels. */
export type Artifact = {
  kind: 'model' | 'preview' | 'poster' | 'poster-small';
  blob: BlobRef;
  bytes: number;
  width?: number;
  height?: number;
};

/** Makes a design whose first upload waits for its turn. */
export function makeDesign({ user, name }: { user: string; name: string }, now: Date): Design {
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
