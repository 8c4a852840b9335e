import { randomUUID } from 'node:crypto';
import type { Stats } from '@cloche/contract/stats';
import type { BlobRef } from '../blobs/blobs.ts';

/** Where a design stands between upload and show. */
export type Status = 'queued' | 'processing' | 'ready' | 'failed';

/** A design as we keep it, with the revision that embeds show. */
export type Design = {
  id: string;
  user: string;
  name: string;
  description: string;
  status: Status;
  revision: Revision | undefined;
  createdAt: Date;
  updatedAt: Date;
};

/** One upload of a design, and what was made of it. Revisions never change. */
export type Revision = {
  id: string;
  number: number;
  /** The bytes as they were sent. */
  source: BlobRef;
  stats: Stats;
  artifacts: readonly Artifact[];
};

/** A file the framed document loads. */
export type Artifact = { kind: 'model'; blob: BlobRef; bytes: number };

/** Makes a design of a file that passed the preflight; it is shown as it was sent. */
export function makeDesign(
  facts: { user: string; name: string; source: BlobRef; stats: Stats },
  now: Date,
): Design {
  const { user, name, source, stats } = facts;
  const artifact: Artifact = { kind: 'model', blob: source, bytes: stats.bytes };
  return {
    id: randomUUID(),
    user,
    name,
    description: '',
    status: 'ready',
    revision: { id: randomUUID(), number: 1, source, stats, artifacts: [artifact] },
    createdAt: now,
    updatedAt: now,
  };
}
