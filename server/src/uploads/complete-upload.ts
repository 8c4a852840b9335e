import { createReadStream } from 'node:fs';
import { Problem } from '@cloche/contract/problem';
import Type from 'typebox';
import { assertSha256 } from '../designs/checksum.ts';
import { createDesign, type DesignRecord } from '../designs/design.ts';
import { type IngestDependencies, ingestFile } from '../designs/ingest.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import type { TusUpload, UploadResult } from './tus-upload.ts';
import type { TusUploadStore } from './tus-upload-store.ts';

export type UploadCompleterDependencies = IngestDependencies & {
  tusUploads: TusUploadStore;
  idempotency: IdempotencyStore;
};

/** Turns fully received uploads into revisions of designs. */
export type UploadCompleter = {
  /**
   * Completes an upload and returns its result. Concurrent and repeated calls get the same result.
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

async function completeUpload(
  dependencies: UploadCompleterDependencies,
  id: string,
): Promise<UploadResult> {
  const { tusUploads } = dependencies;
  const upload = await tusUploads.find(id);
  if (upload === undefined) throw new Problem('upload.unknown');
  if (upload.result !== undefined) return upload.result;
  const result = await ingestUpload(dependencies, upload).then(
    (designId): UploadResult => ({ designId }),
    (error: unknown): UploadResult => {
      // A problem of the file (4xx) is final. Other errors may be temporary.
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      return { problem: error.toJSON() };
    },
  );
  await tusUploads.complete(id, result);
  return result;
}

/**
 * Ingests the file as POST /v1/designs does, and returns the id of the design. The idempotency record is
 * written in the same transaction as the design, so a crash right after it creates no second design.
 */
async function ingestUpload(
  dependencies: UploadCompleterDependencies,
  { id, user, parsedMetadata }: TusUpload,
): Promise<string> {
  const { tusUploads, idempotency, blobs, maxUploadBytes: maxBytes, now } = dependencies;
  const { fields, fileName, sha256, designId } = parsedMetadata;
  const key = { authorization: id, key: 'upload', fingerprint: id };
  const request = { key, now: now(), responseSchema: Type.String() };
  const response = await idempotency.runOnce(request, async (saveResponse) => {
    const bytes = createReadStream(tusUploads.dataPath(id));
    await using draft = await blobs.createDraft(bytes, { maxBytes });
    assertSha256(draft.ref, sha256);
    const existing =
      designId === undefined ? undefined : await getTargetDesign(dependencies, user, designId);
    const design = existing ?? createDesign({ ...fields, user }, now());
    const response = { status: 204, location: undefined, body: design.id };
    await ingestFile(dependencies, { draft, fileName }, design, {
      isNewDesign: existing === undefined,
      afterRevision: (trx) => saveResponse(trx, response),
      releaseQuota: () => tusUploads.releaseQuota(id),
    });
    return response;
  });
  return response.body as string;
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
