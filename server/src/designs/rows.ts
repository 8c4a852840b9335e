import type { BlobRef } from '../blobs/blob-store.ts';
import type { ArtifactRow, DesignRow, RevisionRow } from '../database/database.ts';
import type {
  Artifact,
  RevisionProblem,
  RevisionStatus,
  SourceFile,
} from '../processing/revision.ts';
import type { DesignRecord, ReadyRevision } from './design.ts';

/** The columns of a revision that describe its source file. */
export type SourceFileColumns = Pick<
  RevisionRow,
  'source_blob' | 'source_size_bytes' | 'detected_format'
>;

export function toDesignRow(design: DesignRecord): DesignRow {
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

export function toDesignRecord(
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

/** Undefined if the revision is not ready. */
export function toReadyRevision(
  row: RevisionRow,
  artifacts: readonly ArtifactRow[],
): ReadyRevision | undefined {
  if (row.stats === null) return undefined;
  return {
    id: row.id,
    number: row.number,
    source: toSourceFile(row),
    stats: JSON.parse(row.stats),
    report: row.report === null ? undefined : JSON.parse(row.report),
    posterPlaceholder:
      row.poster_placeholder === null ? undefined : JSON.parse(row.poster_placeholder),
    artifacts: artifacts.map(toArtifact),
    createdAt: new Date(row.created_at),
  };
}

export function toSourceFile(row: SourceFileColumns): SourceFile {
  return {
    blob: row.source_blob as BlobRef,
    sizeBytes: row.source_size_bytes,
    detectedFormat: JSON.parse(row.detected_format),
  };
}

export function toSourceFileColumns(source: SourceFile): SourceFileColumns {
  return {
    source_blob: source.blob,
    source_size_bytes: source.sizeBytes,
    detected_format: JSON.stringify(source.detectedFormat),
  };
}

export function toRevisionProblem({
  problem,
  number,
}: Pick<RevisionRow, 'problem' | 'number'>): RevisionProblem | undefined {
  return problem === null ? undefined : { ...JSON.parse(problem), revision: number };
}

export function toArtifactRow(revisionId: string, artifact: Artifact): ArtifactRow {
  const { kind, blob, sizeBytes, width = null, height = null } = artifact;
  return { revision_id: revisionId, kind, blob, size_bytes: sizeBytes, width, height };
}

function toArtifact({ kind, blob, size_bytes: sizeBytes, width, height }: ArtifactRow): Artifact {
  return {
    kind: kind as Artifact['kind'],
    blob: blob as BlobRef,
    sizeBytes,
    ...(width !== null && height !== null && { width, height }),
  };
}
