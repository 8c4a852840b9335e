import { Design } from '@cloche/contract/design';
import { designFieldSchemas, type NewDesignFields } from '@cloche/contract/design-fields';
import multipart from '@fastify/multipart';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { toDisplayName } from '../http/display-name.ts';
import type { SaveResponse, StoredResponse } from '../http/idempotency-store.ts';
import {
  assertIfMatch,
  type IfMatch,
  isVersionMatch,
  parseIfMatch,
  toEtag,
} from '../http/if-match.ts';
import { sendStoredResponse } from '../http/request-idempotency.ts';
import {
  assertMayAccessDesign,
  assertMayCreateDesigns,
  assertMayShareDesign,
} from '../tokens/authorize.ts';
import type { TokenRecord } from '../tokens/token.ts';
import { assertSha256, parseExpectedSha256, Sha256Parameter } from './checksum.ts';
import { createDesign, type DesignRecord } from './design.ts';
import { completeDesignFields, DESIGN_FIELD_NAMES } from './design-fields.ts';
import type { DesignStore } from './design-store.ts';
import type { DesignWatcher } from './design-watcher.ts';
import { DesignIdParams, getAccessibleDesign } from './get-accessible-design.ts';
import { type IngestDependencies, ingestFile } from './ingest.ts';
import { SOURCE_MEDIA_TYPES } from './media-types.ts';
import { applyPreferWait, PREFER_WAIT_DESCRIPTION } from './prefer-wait.ts';
import { type ReceivedUpload, receiveFile, type UploadQuery } from './receive-file.ts';
import { type FileQuota, reserveQuota } from './reserve-quota.ts';
import { openUploadSignal, type UploadMonitors } from './upload-signal.ts';

export type DesignUploadRouteDependencies = IngestDependencies &
  UploadMonitors & { watcher: DesignWatcher };

/** A received file, and the quota that is reserved for it. */
type VerifiedUpload = ReceivedUpload & { quota: FileQuota };

type UploadRequest = FastifyRequest<{ Querystring: UploadQuery & { sha256?: string } }>;

const FileName = Type.String({
  maxLength: 500,
  description:
    'The name of the file, for downloads and as the default of the name of the design. A form has it already.',
  examples: ['chair.step'],
});
const jsonText = (description: string) => Type.String({ maxLength: 100_000, description });
const ReplaceModelQuery = Type.Object(
  { fileName: Type.Optional(FileName), sha256: Type.Optional(Sha256Parameter) },
  { additionalProperties: false },
);
const CreateDesignQuery = Type.Object(
  {
    name: Type.Optional(designFieldSchemas.name),
    description: Type.Optional(designFieldSchemas.description),
    tags: Type.Optional(jsonText('JSON, such as `["chair","oak"]`.')),
    externalId: Type.Optional(designFieldSchemas.externalId),
    metadata: Type.Optional(jsonText('JSON, such as `{"collection":"autumn 2026"}`.')),
    maxTriangles: Type.Optional(jsonText('A whole number, such as `500000`.')),
    maxTextureSize: Type.Optional(jsonText('`512`, `1024`, `2048` or `4096`.')),
    shared: Type.Optional(jsonText('`true` or `false`.')),
    viewer: Type.Optional(jsonText('JSON, such as `{"background":"#f4f1ec"}`.')),
    ...ReplaceModelQuery.properties,
  },
  { additionalProperties: false },
);
const CREATE_DESCRIPTION = `Send the bytes as the body, or a form with a part called \`file\`. The format is detected from the bytes. The file is validated before the response (422 if it is damaged) and processed after the response: follow \`GET /v1/designs/{id}/events\`, or send \`Prefer: wait=30\` to wait until it is ready. ${PREFER_WAIT_DESCRIPTION}`;
const REPLACE_DESCRIPTION = `Embeds show the current model until the new one is ready. Pages need no change. ${PREFER_WAIT_DESCRIPTION}`;

const NOTHING_STORED_ADVICE = 'Nothing was stored; send it again.';
const DEFAULT_NAME = 'Untitled';
const tags = ['designs'];
const consumes = [...SOURCE_MEDIA_TYPES, 'multipart/form-data'];
// receiveFile enforces the limit, so that the problem is design.too-large.
const bodyLimit = Number.MAX_SAFE_INTEGER;

/** Uploads: POST /v1/designs creates a design, PUT /v1/designs/{id}/model adds a revision. */
export const designUploadRoutes: FastifyPluginAsyncTypebox<DesignUploadRouteDependencies> = async (
  app,
  dependencies,
) => {
  const { designs, jobs, watcher, maxQueuedJobs, tokenMonitor } = dependencies;
  await registerBodyParsers(app);
  const shutdown = new AbortController();
  app.addHook('preClose', async () => shutdown.abort());
  /** Sends a stored response, or the design as it is after the wait that the client prefers. */
  const sendDesign = async (
    request: FastifyRequest,
    reply: FastifyReply,
    response: StoredResponse,
  ): Promise<Design> => {
    const queued = response.body as Design;
    const waiting = { shutdown: shutdown.signal, tokenMonitor };
    const design = await applyPreferWait(request, reply, waiting, (signal) =>
      watcher.waitUntilSettled(queued.id, signal),
    );
    if (design === undefined) return sendStoredResponse(reply, response, queued);
    const etag = toEtag(design.version);
    return sendStoredResponse(
      reply,
      { ...response, etag },
      watcher.toDesign(design, request.token),
    );
  };

  app.post(
    '/',
    {
      config: { auth: 'write', idempotencyKey: true },
      bodyLimit,
      schema: {
        tags,
        summary: 'Create a design from a file',
        description: CREATE_DESCRIPTION,
        consumes,
        querystring: CreateDesignQuery,
        response: { 201: Design },
      },
    },
    async (request, reply) => {
      assertMayCreateDesigns(request.token);
      await jobs.assertCapacity(request.token.user, maxQueuedJobs);
      await using quota = await reserveQuota(request, dependencies, 1);
      const formFields = DESIGN_FIELD_NAMES;
      const upload = await receiveVerifiedFile(request, dependencies, { quota, formFields });
      await using draft = upload.draft;
      const response = await createDesignOnce(request, dependencies, upload);
      // While the request waits, the design may be deleted, and with it the file.
      await draft[Symbol.asyncDispose]();
      return sendDesign(request, reply, response);
    },
  );

  app.put(
    '/:id/model',
    {
      config: { auth: 'write', idempotencyKey: true, ifMatch: true },
      bodyLimit,
      schema: {
        tags,
        summary: 'Replace the model of a design',
        description: REPLACE_DESCRIPTION,
        consumes,
        params: DesignIdParams,
        querystring: ReplaceModelQuery,
        response: { 200: Design },
      },
    },
    async (request, reply) => {
      const ifMatch = parseIfMatch(request);
      const { token, params } = request;
      const found = await getAccessibleDesign(designs, token, params.id);
      const { id } = found;
      // Before the file is received. A retry gets its first response, whatever the version is now: another node may have just
      // handled the first request.
      await assertCurrentVersion(designs, token, found, ifMatch).catch(async (error: unknown) => {
        if (!(await request.idempotency.hasResponse())) throw error;
      });
      await jobs.assertCapacity(request.token.user, maxQueuedJobs);
      await using quota = await reserveQuota(request, dependencies, 0);
      const upload = await receiveVerifiedFile(request, dependencies, { quota, formFields: [] });
      await using draft = upload.draft;
      // Read again: the design may have changed during the upload.
      const design = await getAccessibleDesign(designs, token, id);
      const response = await addRevisionOnce(request, dependencies, design, { ...upload, ifMatch });
      await draft[Symbol.asyncDispose]();
      return sendDesign(request, reply, response);
    },
  );
};

/** @throws {Problem} request.precondition-failed, design.unknown */
async function assertCurrentVersion(
  designs: DesignStore,
  token: TokenRecord,
  { id, version }: DesignRecord,
  ifMatch: IfMatch | undefined,
): Promise<void> {
  if (isVersionMatch(ifMatch, version)) return;
  // The design may be in the cache with an earlier version.
  const current = await designs.findCurrent(id);
  assertMayAccessDesign(token, current, id);
  assertIfMatch(ifMatch, current.version);
}

async function registerBodyParsers(app: FastifyInstance): Promise<void> {
  await app.register(multipart);
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser(SOURCE_MEDIA_TYPES, (_request, body, done) => done(null, body));
}

/**
 * Receives the file of a request and compares its SHA-256 with the expected one.
 *
 * @throws {Problem} as receiveFile, design.checksum, upload.quota
 */
async function receiveVerifiedFile(
  request: UploadRequest,
  dependencies: DesignUploadRouteDependencies,
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
  dependencies: DesignUploadRouteDependencies,
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
  dependencies: DesignUploadRouteDependencies,
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
