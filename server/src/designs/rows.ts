import type { BlobRef } from '../blobs/blob-store.ts';
import type { ArtifactRow, DesignRow, RevisionRow } from '../database/database.ts';
import type {
  Artifact,
  DesignRecord,
  ReadyRevision,
  RevisionProblem,
  RevisionStatus,
  SourceFile,
} from './design.ts';

/** Rows as the things they stand for, and back. */

export function designToRow(design: DesignRecord): DesignRow {
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
  { revision, problem }: Pick<DesignRecord, 'revision' | 'problem'>,
): DesignRecord {
  return {
    id: row.id,
    user: row.user_id,
    name: row.name,
    description: row.description,
    status: row.status as RevisionStatus,
    revision,
    problem,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}

/** Undefined for a revision that is not ready. */
export function readyRevisionFromRow(
  row: RevisionRow,
  artifacts: readonly ArtifactRow[],
): ReadyRevision | undefined {
  if (row.stats === null) return undefined;
  return {
    id: row.id,
    number: row.number,
    source: sourceFileFromRow(row),
    stats: JSON.parse(row.stats),
    report: row.report === null ? undefined : JSON.parse(row.report),
    posterPlaceholder: row.look === null ? undefined : JSON.parse(row.look),
    artifacts: artifacts.map(artifactFromRow),
    createdAt: new Date(row.created_at),
  };
}

export type SourceFileColumns = Pick<RevisionRow, 'source' | 'source_bytes' | 'examined'>;

export function sourceFileFromRow(row: SourceFileColumns): SourceFile {
  return {
    blob: row.source as BlobRef,
    sizeBytes: row.source_bytes,
    detectedFormat: JSON.parse(row.examined),
  };
}

export function problemFromRow({ problem, number }: Pick<RevisionRow, 'problem' | 'number'>) {
  if (problem === null) return undefined;
  return { ...(JSON.parse(problem) as Omit<RevisionProblem, 'revision'>), revision: number };
}

function artifactFromRow({ kind, blob, bytes: sizeBytes, width, height }: ArtifactRow): Artifact {
  return {
    kind: kind as Artifact['kind'],
    blob: blob as BlobRef,
    sizeBytes,
    ...(width !== null && height !== null && { width, height }),
  };
}

export function artifactToRow(revisionId: string, artifact: Artifact): ArtifactRow {
  const { kind, blob, sizeBytes, width = null, height = null } = artifact;
  return { revision_id: revisionId, kind, blob, bytes: sizeBytes, width, height };
}
