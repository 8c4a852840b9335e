import type { Design, ProcessingProgress, Revision } from '@cloche/contract/design';
import { toDesignUri } from '@cloche/contract/id';
import { type DesignRecord, isSettled, type RevisionSummary } from './design.ts';

/** Converts a design to its API representation. */
export function toDesign(
  design: DesignRecord,
  progress?: ProcessingProgress,
  poster: Design['poster'] = null,
): Design {
  const { id, name, description, tags, externalId, metadata, shared, viewer } = design;
  const { status, revision, problem } = design;
  return {
    id,
    uri: toDesignUri(id),
    name,
    description,
    tags: [...tags],
    externalId: externalId ?? null,
    metadata,
    maxTriangles: design.maxTriangles ?? null,
    maxTextureSize: design.maxTextureSize ?? null,
    shared,
    viewer,
    status,
    revision: revision?.number ?? null,
    poster,
    stats: revision?.stats ?? null,
    report: revision?.report ?? null,
    progress: isSettled(design) ? null : (progress ?? null),
    problem: problem ?? null,
    createdAt: design.createdAt.toISOString(),
    updatedAt: design.updatedAt.toISOString(),
  };
}

/** Converts a revision to its API representation. */
export function toRevision(
  { revision: { id, number, source }, status, problem, createdAt }: RevisionSummary,
  design: Pick<DesignRecord, 'revision'>,
): Revision {
  return {
    number,
    status,
    shown: design.revision?.id === id,
    format: source.detectedFormat.format,
    fileName: source.fileName ?? null,
    bytes: source.sizeBytes,
    sha256: source.blob,
    problem: problem ?? null,
    createdAt: createdAt.toISOString(),
  };
}
