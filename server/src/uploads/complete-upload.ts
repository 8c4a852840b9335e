import { Problem } from '@cloche/contract/problem';
import { assertSha256 } from '../designs/checksum.ts';
import { createDesign, type DesignRecord } from '../designs/design.ts';
import { type IngestDependencies, ingestFile } from '../designs/ingest.ts';
import type { Logger } from '../http/logger.ts';
import { removeUpload } from './remove-upload.ts';
import { createUnknownUploadError } from './tus-errors.ts';
import type { TusUpload, UploadResult } from './tus-upload.ts';
import type { TusUploadStore } from './tus-upload-store.ts';
import { MissingSegmentError, type UploadSegments } from './upload-segments.ts';

export type UploadCompleterDependencies = IngestDependencies & {
  tusUploads: TusUploadStore;
  segments: UploadSegments;
  log: Pick<Logger, 'warn'>;
};

/** Turns fully received uploads into revisions of designs. */
export type UploadCompleter = {
  /**
   * Completes an upload and returns its result. Concurrent and repeated calls get the same result, also on several nodes.
   *
   * @throws temporary errors; the next call tries again
   */
  complete(id: string): Promise<UploadResult>;
  /** Waits until `complete` has ended for an upload; without `id`, for all uploads. */
  waitUntilIdle(id?: string): Promise<void>;
};

export function createUploadCompleter(dependencies: UploadCompleterDependencies): UploadCompleter {
  const running = new Map<string, Promise<UploadResult>>();
  return {
    complete(id) {
      const existing = running.get(id);
      if (existing !== undefined) return existing;
      const started = completeUpload(dependencies, id).finally(() => running.delete(id));
      running.set(id, started);
      return started;
    },
    async waitUntilIdle(id) {
      await Promise.allSettled(id === undefined ? running.values() : [running.get(id)]);
    },
  };
}

/** Deletes the bytes of an upload that is complete. */
export async function removeSegments(
  id: string,
  { tusUploads, segments }: Pick<UploadCompleterDependencies, 'tusUploads' | 'segments'>,
): Promise<void> {
  await segments.removeAll(id);
  await tusUploads.removeSegments(id);
}

async function completeUpload(
  dependencies: UploadCompleterDependencies,
  id: string,
): Promise<UploadResult> {
  const { tusUploads, log } = dependencies;
  const upload = await tusUploads.find(id);
  if (upload === undefined) throw createUnknownUploadError();
  if (upload.result !== undefined) return upload.result;
  const result = await ingestUpload(dependencies, upload).then(
    (designId): UploadResult => ({ designId }),
    (error: unknown) => storeFailure(dependencies, id, error),
  );
  await removeSegments(id, dependencies).catch((err) =>
    log.warn({ err, upload: id }, 'deleting the bytes of a complete upload failed'),
  );
  return result;
}

/**
 * Ingests the file as POST /v1/designs does, and returns the id of the design. The result is stored in the same transaction
 * as the design, so that neither a crash nor another node that completes the same upload creates a second design.
 */
async function ingestUpload(
  dependencies: UploadCompleterDependencies,
  { id, user, sizeBytes, parsedMetadata }: TusUpload,
): Promise<string> {
  const { tusUploads, segments, blobs, maxUploadBytes: maxBytes, now } = dependencies;
  const { fields, fileName, sha256, designId } = parsedMetadata;
  const bytes = segments.read(id, await tusUploads.listSegments(id));
  await using draft = await blobs.createDraft(bytes, { maxBytes });
  if (draft.sizeBytes !== sizeBytes) throw new UploadChangedError();
  assertSha256(draft.ref, sha256);
  const existing =
    designId === undefined ? undefined : await getTargetDesign(dependencies, user, designId);
  const design = existing ?? createDesign({ ...fields, user }, now());
  await ingestFile(dependencies, { draft, fileName }, design, {
    isNewDesign: existing === undefined,
    afterRevision: async (trx) => {
      const isStored = await tusUploads.complete(id, { designId: design.id }, now(), trx);
      if (!isStored) throw new UploadChangedError();
    },
  });
  return design.id;
}

/**
 * Stores why the file was rejected. Another node may have completed the upload meanwhile: then that result counts.
 *
 * @throws {Problem} upload.unknown, if bytes of the upload are missing
 * @throws the error, if it is temporary
 */
async function storeFailure(
  dependencies: UploadCompleterDependencies,
  id: string,
  error: unknown,
): Promise<UploadResult> {
  const { tusUploads, log, now } = dependencies;
  // A problem of the file (4xx) is final. Other errors may be temporary.
  if (error instanceof Problem && error.status < 500) {
    const result = { problem: error.toJSON() };
    if (await tusUploads.complete(id, result, now())) return result;
  }
  const upload = await tusUploads.find(id);
  if (upload === undefined) throw createUnknownUploadError();
  if (upload.result !== undefined) return upload.result;
  if (!(error instanceof MissingSegmentError)) throw error;
  // It can never be completed. The client begins again.
  log.warn({ err: error, upload: id }, 'removing an upload whose bytes are missing');
  await removeUpload(id, dependencies);
  throw createUnknownUploadError();
}

/** Another node has completed or removed the upload meanwhile. */
class UploadChangedError extends Error {
  constructor() {
    super('The upload was changed while it was completed.');
  }
}

async function getTargetDesign(
  { designs }: UploadCompleterDependencies,
  user: string,
  id: string,
): Promise<DesignRecord> {
  const design = await designs.find(id);
  if (design !== undefined && design.user === user) return design;
  throw new Problem('design.unknown', {
    detail: `The design ${id}, which this upload should have revised, has been deleted.`,
  });
}
