import type { BlobRef } from '../blobs/blob-store.ts';
import type { ArtifactRow, DesignRow, RevisionRow } from '../database/database.ts';
import type {
  Artifact,
  ProcessingResult,
  RevisionProblem,
  RevisionStatus,
  SourceFile,
} from '../processing/revision.ts';
import type { DesignFields, DesignRecord, ReadyRevision } from './design.ts';
import { foldCase } from './fold-case.ts';

/** The columns of a revision that describe its source file. */
export type SourceFileColumns = Pick<
  RevisionRow,
  'source_blob' | 'source_size_bytes' | 'detected_format' | 'file_name'
>;

type FieldColumns = Pick<
  DesignRow,
  | 'name'
  | 'description'
  | 'external_id'
  | 'tags'
  | 'metadata'
  | 'max_triangles'
  | 'max_texture_size'
  | 'shared'
  | 'viewer'
  | 'sort_name'
  | 'search_text'
>;

/** Between the texts in `search_text`: the control character for this. */
const SEPARATOR = '\u001f';

/** Length of `sort_name`, in code points. A cursor contains it. */
const SORT_NAME_LENGTH = 80;

/** Converts the fields that the owner chooses, and the columns by which they are searched and sorted. */
export function toFieldColumns(design: DesignFields): FieldColumns {
  const { name, description, tags, externalId, metadata, shared, viewer } = design;
  const sortName = Array.from(foldCase(name)).slice(0, SORT_NAME_LENGTH).join('');
  return {
    name,
    description,
    external_id: externalId ?? null,
    tags: JSON.stringify(tags),
    metadata: JSON.stringify(metadata),
    max_triangles: design.maxTriangles ?? null,
    max_texture_size: design.maxTextureSize ?? null,
    shared: shared ? 1 : 0,
    viewer: JSON.stringify(viewer),
    sort_name: sortName,
    // Separated, so that no search finds the end of one and the start of the next.
    search_text: [name, description, externalId ?? '', ...tags].map(foldCase).join(SEPARATOR),
  };
}

/** Returns the row of a design without revisions. */
export function toDesignRow(design: DesignRecord): DesignRow {
  return {
    id: design.id,
    user_id: design.user,
    ...toFieldColumns(design),
    status: design.status,
    revision_id: null,
    last_revision: 0,
    chosen_at_revision: 0,
    created_at: design.createdAt.toISOString(),
    updated_at: design.updatedAt.toISOString(),
    version: design.version,
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
    tags: JSON.parse(row.tags),
    externalId: row.external_id ?? undefined,
    metadata: JSON.parse(row.metadata),
    maxTriangles: row.max_triangles ?? undefined,
    maxTextureSize: row.max_texture_size ?? undefined,
    shared: row.shared === 1,
    viewer: JSON.parse(row.viewer),
    status: row.status as RevisionStatus,
    revision,
    problem,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    version: row.version,
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
    ...toPosterFields(row.poster_placeholder),
    artifacts: artifacts.map(toArtifact),
    createdAt: new Date(row.created_at),
  };
}

/** The column contains the placeholder, and with it the options with which the poster was rendered, if any. */
export function toPosterFields(
  column: string | null,
): Pick<ProcessingResult, 'posterPlaceholder' | 'posterOptions'> {
  if (column === null) return { posterPlaceholder: undefined };
  const { options, ...posterPlaceholder } = JSON.parse(column);
  return { posterPlaceholder, ...(options && { posterOptions: options }) };
}

export function toPosterColumn({
  posterPlaceholder,
  posterOptions: options = {},
}: Pick<ProcessingResult, 'posterPlaceholder' | 'posterOptions'>): string | null {
  if (posterPlaceholder === undefined) return null;
  const hasOptions = Object.keys(options).length > 0;
  return JSON.stringify({ ...posterPlaceholder, ...(hasOptions && { options }) });
}

export function toSourceFile(row: SourceFileColumns): SourceFile {
  const { decodedBytes, ...detectedFormat } = JSON.parse(row.detected_format);
  return {
    blob: row.source_blob as BlobRef,
    sizeBytes: row.source_size_bytes,
    detectedFormat,
    decodedBytes,
    fileName: row.file_name ?? undefined,
  };
}

export function toSourceFileColumns(source: SourceFile): SourceFileColumns {
  return {
    source_blob: source.blob,
    source_size_bytes: source.sizeBytes,
    file_name: source.fileName ?? null,
    detected_format: JSON.stringify({
      ...source.detectedFormat,
      decodedBytes: source.decodedBytes,
    }),
  };
}

export function toRevisionProblem({
  problem,
  number,
}: Pick<RevisionRow, 'problem' | 'number'>): RevisionProblem | undefined {
  if (problem === null) return undefined;
  const { code, detail } = JSON.parse(problem);
  return { code, detail, revision: number };
}

export function toArtifactRow(revisionId: string, artifact: Artifact): ArtifactRow {
  const { kind, level = 0, blob, sizeBytes, width = null, height = null, brotli } = artifact;
  return {
    revision_id: revisionId,
    kind,
    level,
    blob,
    size_bytes: sizeBytes,
    width,
    height,
    brotli_blob: brotli?.blob ?? null,
    brotli_size_bytes: brotli?.sizeBytes ?? null,
  };
}

export function toArtifact(row: ArtifactRow): Artifact {
  const { kind, level, blob, size_bytes: sizeBytes, width, height } = row;
  const { brotli_blob: brotliBlob, brotli_size_bytes: brotliSizeBytes } = row;
  return {
    kind: kind as Artifact['kind'],
    ...(level !== 0 && { level }),
    blob: blob as BlobRef,
    sizeBytes,
    ...(width !== null && height !== null && { width, height }),
    ...(brotliBlob !== null &&
      brotliSizeBytes !== null && {
        brotli: { blob: brotliBlob as BlobRef, sizeBytes: brotliSizeBytes },
      }),
  };
}
