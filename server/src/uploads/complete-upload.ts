import { createReadStream } from 'node:fs';
import { Problem } from '@cloche/contract/problem';
import { assertSha256 } from '../designs/checksum.ts';
import { createDesign, type DesignRecord } from '../designs/design.ts';
import { type IngestDependencies, ingestFile } from '../designs/ingest.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import type { TusUpload, UploadResult } from './tus-upload.ts';
import type { TusUploadStore } from './tus-upload-store.ts';

type UploadCompleterDependencies = IngestDependencies & {
  tusUploads: TusUploadStore;
  idempotency: IdempotencyStore;
};

/** Makes designs of files that are all here. */
export type UploadCompleter = {
  /**
   * What becomes of an upload: found out once, however often and by how many it is asked.
   * @throws what may pass: the upload is finished when it is asked the next time
   */
  complete(id: string): Promise<UploadResult>;
  /** Settles when an upload, or none at all, is being finished. */
  waitUntilIdle(id?: string): Promise<void>;
};

export function createUploadCompleter(given: UploadCompleterDependencies): UploadCompleter {
  const running = new Map<string, Promise<UploadResult>>();
  return {
    complete(id) {
      const known = running.get(id);
      if (known !== undefined) return known;
      const started = completeUpload(given, id).finally(() => running.delete(id));
      running.set(id, started);
      return started;
    },
    async waitUntilIdle(id) {
      await Promise.allSettled(id === undefined ? running.values() : [running.get(id)]);
    },
  };
}

async function completeUpload(
  given: UploadCompleterDependencies,
  id: string,
): Promise<UploadResult> {
  const arrival = given.tusUploads.find(id);
  if (arrival === undefined) throw new Problem('upload.unknown');
  if (arrival.result !== undefined) return arrival.result;
  const outcome = await ingestUpload(given, arrival).then(
    (design): UploadResult => ({ design }),
    (error: unknown): UploadResult => {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      return { problem: error.toJSON() };
    },
  );
  await given.tusUploads.complete(id, outcome);
  return outcome;
}

/**
 * Takes the file in, the way of POST /v1/designs. The answer is kept in the transaction that makes the
 * design, so that a crash behind it makes no second one.
 */
async function ingestUpload(
  given: UploadCompleterDependencies,
  { id, user, parsedMetadata }: TusUpload,
): Promise<string> {
  const { tusUploads, idempotency, blobs, designs, maxUploadBytes: maxBytes, now } = given;
  const retry = { authorization: id, key: 'upload', fingerprint: id };
  const answer = await idempotency.runOnce(retry, now(), async (keep) => {
    await using draft = await blobs.createDraft(createReadStream(tusUploads.dataPath(id)), {
      maxBytes,
    });
    assertSha256(draft.ref, parsedMetadata.sha256);
    const known =
      parsedMetadata.designId === undefined
        ? undefined
        : await getTargetDesign(given, user, parsedMetadata.designId);
    const design = known ?? createDesign({ user, name: parsedMetadata.name }, now());
    const answer = { status: 204, location: undefined, body: design.id };
    await ingestFile(given, draft, design, async (step) => {
      if (known === undefined) await designs.add(design, step);
      await keep(step, answer);
    });
    return answer;
  });
  return answer.body as string;
}

async function getTargetDesign(
  { designs }: UploadCompleterDependencies,
  user: string,
  id: string,
): Promise<DesignRecord> {
  const design = await designs.find(id);
  if (design !== undefined && design.user === user) return design;
  throw new Problem('design.unknown', {
    detail: `The design ${id}, of which this file was to be the next revision, is no more.`,
  });
}
