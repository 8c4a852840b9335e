import type { NewDesignFields } from '@cloche/contract/design-fields';
import type { FastifyRequest } from 'fastify';
import { toDisplayName } from '../http/display-name.ts';
import type { SaveResponse, StoredResponse } from '../http/idempotency-store.ts';
import { type IfMatch, toEtag } from '../http/if-match.ts';
import { assertMayShareDesign } from '../tokens/authorize.ts';
import { assertSha256, parseExpectedSha256 } from './checksum.ts';
import { createDesign, type DesignRecord } from './design.ts';
import { completeDesignFields, DESIGN_FIELD_NAMES } from './design-fields.ts';
import type { DesignWatcher } from './design-watcher.ts';
import { getAccessibleDesign } from './get-accessible-design.ts';
import { type IngestDependencies, ingestFile } from './ingest.ts';
import { type ReceivedUpload, receiveFile, type UploadQuery } from './receive-file.ts';
import { type FileQuota, reserveQuota } from './reserve-quota.ts';
import { openUploadSignal, type UploadMonitors } from './upload-signal.ts';

export type UploadDependencies = IngestDependencies & UploadMonitors & { watcher: DesignWatcher };

export type UploadRequest = FastifyRequest<{ Querystring: UploadQuery & { sha256?: string } }>;

/** A received file, and the quota that is reserved for it. */
type VerifiedUpload = ReceivedUpload & { quota: FileQuota };

const NOTHING_STORED_ADVICE = 'Nothing was stored; send it again.';
const DEFAULT_NAME = 'Untitled';

/**
 * Receives a file and creates a design from it. Keeps neither the file nor the reserved quota: while the request then waits for
 * the processing, the design may be deleted, and with it the file.
 */
export async function receiveDesign(
  request: UploadRequest,
  dependencies: UploadDependencies,
): Promise<StoredResponse> {
  await using quota = await reserveQuota(request, dependencies, 1);
  const formFields = DESIGN_FIELD_NAMES;
  const upload = await receiveVerifiedFile(request, dependencies, { quota, formFields });
  await using _draft = upload.draft;
  return await createDesignOnce(request, dependencies, upload);
}

/** Receives a file and adds it to a design as a revision. Keeps neither the file nor the reserved quota. */
export async function receiveRevision(
  request: UploadRequest,
  dependencies: UploadDependencies,
  designId: string,
  ifMatch: IfMatch | undefined,
): Promise<StoredResponse> {
  await using quota = await reserveQuota(request, dependencies, 0);
  const upload = await receiveVerifiedFile(request, dependencies, { quota, formFields: [] });
  await using _draft = upload.draft;
  // Read again: the design may have changed during the upload.
  const design = await getAccessibleDesign(dependencies.designs, request.token, designId);
  return await addRevisionOnce(request, dependencies, design, { ...upload, ifMatch });
}

/**
 * Receives the file of a request and compares its SHA-256 with the expected one.
 *
 * @throws {Problem} as receiveFile, design.checksum, upload.quota
 */
async function receiveVerifiedFile(
  request: UploadRequest,
  dependencies: UploadDependencies,
  { quota, formFields }: { quota: FileQuota; formFields: readonly (keyof NewDesignFields)[] },
): Promise<VerifiedUpload> {
  const { blobs } = dependencies;
  const { maxBytes } = quota;
  const expectedSha256 = parseExpectedSha256(request);
  using upload = openUploadSignal(request, dependencies, NOTHING_STORED_ADVICE);
  const { signal } = upload;
  const file = await receiveFile(request, { blobs, maxBytes, signal, formFields }).catch(
    async (error: unknown) => {
      throw await quota.toProblem(error);
    },
  );
  try {
    assertSha256(file.draft.ref, expectedSha256);
    await quota.resize(file.draft.sizeBytes);
    return { ...file, quota };
  } catch (error) {
    await file.draft[Symbol.asyncDispose]();
    throw error;
  }
}

/** Creates a design from a file. A retry with the same Idempotency-Key gets the first response. */
function createDesignOnce(
  request: FastifyRequest,
  dependencies: UploadDependencies,
  upload: VerifiedUpload,
): Promise<StoredResponse> {
  const { designs, watcher, now } = dependencies;
  const { token } = request;
  const defaultName = toDisplayName(upload.fileName ?? '') ?? DEFAULT_NAME;
  const fields = completeDesignFields(upload.fields, defaultName);
  if (fields.shared) assertMayShareDesign(token);
  const createOnce = async (saveResponse: SaveResponse) => {
    const design = createDesign({ ...fields, user: token.user }, now());
    await designs.assertExternalIdFree(design);
    const toResponse = (created: DesignRecord) => ({
      status: 201,
      location: `/v1/designs/${design.id}`,
      etag: toEtag(created.version),
      body: watcher.toDesign(created, token),
    });
    const queued = await ingestFile(dependencies, upload, design, {
      isNewDesign: true,
      afterRevision: (trx, created) => saveResponse(trx, toResponse(created)),
      releaseQuota: upload.quota.release,
    });
    return toResponse(queued);
  };
  return request.idempotency.runOnce(createOnce, JSON.stringify([upload.draft.ref, fields]));
}

/** Adds a revision to a design. A retry with the same Idempotency-Key adds no second one. */
function addRevisionOnce(
  request: FastifyRequest,
  dependencies: UploadDependencies,
  design: DesignRecord,
  { ifMatch, ...upload }: VerifiedUpload & { ifMatch: IfMatch | undefined },
): Promise<StoredResponse> {
  const toResponse = (queued: DesignRecord) => ({
    status: 200,
    location: undefined,
    etag: toEtag(queued.version),
    body: dependencies.watcher.toDesign(queued, request.token),
  });
  const addOnce = async (saveResponse: SaveResponse) =>
    toResponse(
      await ingestFile(dependencies, upload, design, {
        isNewDesign: false,
        ifMatch,
        afterRevision: (trx, queued) => saveResponse(trx, toResponse(queued)),
        releaseQuota: upload.quota.release,
      }),
    );
  return request.idempotency.runOnce(addOnce, upload.draft.ref);
}
