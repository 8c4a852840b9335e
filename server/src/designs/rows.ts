import type { BlobRef } from '../blobs/blobs.ts';
import type { ArtifactRow, DesignRow, RevisionRow } from '../database/database.ts';
import type { Artifact, Design, Failure, Revision, Source, Status } from './design.ts';

/** Rows as the things they stand for, and back. */

export function designToRow(design: Design): DesignRow {
  return {
    id: design.id,
    user_id: design.user,
    name: design.name,
    description: design.description,
    status: design.status,
    revision_id: design.revision?.id ?? null,
    created_at: design.createdAt.toISOString(),
    updated_at: design.updatedAt.toISOString(),
  };
}

export function designFromRow(
  row: DesignRow,
  { revision, problem }: Pick<Design, 'revision' | 'problem'>,
): Design {
  return {
    id: row.id,
    user: row.user_id,
    name: row.name,
    description: row.description,
    status: row.status as Status,
    revision,
    problem,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}

/** Undefined for a revision that is not ready. */
export function revisionFromRow(
  row: RevisionRow,
  artifacts: readonly ArtifactRow[],
): Revision | undefined {
  if (row.stats === null) return undefined;
  return {
    id: row.id,
    number: row.number,
    source: sourceFromRow(row),
    stats: JSON.parse(row.stats),
    report: row.report === null ? undefined : JSON.parse(row.report),
    look: row.look === null ? undefined : JSON.parse(row.look),
    artifacts: artifacts.map(artifactFromRow),
    createdAt: new Date(row.created_at),
  };
}

export type SourceRow = Pick<RevisionRow, 'source' | 'source_bytes' | 'examined'>;

export function sourceFromRow(row: SourceRow): Source {
  return {
    blob: row.source as BlobRef,
    bytes: row.source_bytes,
    examined: JSON.parse(row.examined),
  };
}

export function failureFromRow({ problem, number }: Pick<RevisionRow, 'problem' | 'number'>) {
  if (problem === null) return undefined;
  return { ...(JSON.parse(problem) as Omit<Failure, 'revision'>), revision: number };
}

function artifactFromRow({ kind, blob, bytes, width, height }: ArtifactRow): Artifact {
  return {
    kind: kind as Artifact['kind'],
    blob: blob as BlobRef,
    bytes,
    ...(width !== null && height !== null && { width, height }),
  };
}

export function artifactToRow(revisionId: string, artifact: Artifact): ArtifactRow {
  const { kind, blob, bytes, width = null, height = null } = artifact;
  return { revision_id: revisionId, kind, blob, bytes, width, height };
}
