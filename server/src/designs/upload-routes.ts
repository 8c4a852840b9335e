import { Design } from '@cloche/contract/design';
import multipart from '@fastify/multipart';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Draft } from '../blobs/blob-store.ts';
import type { SaveResponse, StoredResponse } from '../http/idempotency-store.ts';
import { assertMayCreateDesigns } from '../tokens/authorize.ts';
import { assertSha256, parseExpectedSha256, Sha256Parameter } from './checksum.ts';
import { createDesign, type DesignRecord, type NewDesign } from './design.ts';
import type { DesignWatcher } from './design-watcher.ts';
import { DesignIdParams, getAccessibleDesign } from './get-accessible-design.ts';
import { type IngestDependencies, ingestFile } from './ingest.ts';
import { SOURCE_MEDIA_TYPES } from './media-types.ts';
import { applyPreferWait, PREFER_WAIT_DESCRIPTION } from './prefer-wait.ts';
import { type ReceivedFile, receiveFile } from './receive-file.ts';

export type DesignUploadRouteDependencies = IngestDependencies & {
  watcher: DesignWatcher;
  uploadStallMs: number;
};

type UploadRequest = FastifyRequest<{ Querystring: { name?: string; sha256?: string } }>;

const DesignName = Type.String({
  minLength: 1,
  maxLength: 200,
  format: 'display-name',
  description: 'The display name of the design.',
  examples: ['Oak chair'],
});
const ReplaceModelQuery = Type.Object(
  { sha256: Type.Optional(Sha256Parameter) },
  { additionalProperties: false },
);
const CreateDesignQuery = Type.Object(
  { name: Type.Optional(DesignName), ...ReplaceModelQuery.properties },
  { additionalProperties: false },
);
const CREATE_DESCRIPTION = `Send the bytes as the body, or a form with a part called \`file\`. The format is detected from the bytes. The file is validated before the response (422 if it is damaged) and processed after the response: follow \`GET /v1/designs/{id}/events\`, or send \`Prefer: wait=30\` to wait until it is ready. ${PREFER_WAIT_DESCRIPTION}`;
const REPLACE_DESCRIPTION = `Embeds show the current model until the new one is ready. Pages need no change. ${PREFER_WAIT_DESCRIPTION}`;

const tags = ['designs'];
const consumes = [...SOURCE_MEDIA_TYPES, 'multipart/form-data'];
// receiveFile enforces the limit, so that the problem is design.too-large.
const bodyLimit = Number.MAX_SAFE_INTEGER;

/** Uploads: POST /v1/designs creates a design, PUT /v1/designs/{id}/model adds a revision. */
export const designUploadRoutes: FastifyPluginAsyncTypebox<DesignUploadRouteDependencies> = async (
  app,
  dependencies,
) => {
  const { designs, jobs, watcher, maxQueuedJobs } = dependencies;
  await registerBodyParsers(app);
  const shutdown = new AbortController();
  app.addHook('preClose', async () => shutdown.abort());
  const waitUntilSettled = async (request: FastifyRequest, reply: FastifyReply, id: string) => {
    const signal = applyPreferWait(request, reply, shutdown.signal);
    return signal && watcher.waitUntilSettled(id, signal);
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
      await jobs.assertCapacity(maxQueuedJobs);
      const { draft, name } = await receiveVerifiedFile(request, dependencies);
      await using _draft = draft;
      const newDesign = { user: request.token.user, name };
      const { location, body } = await createDesignOnce(request, dependencies, newDesign, draft);
      // While the request waits, the design may be deleted, and with it the file.
      await draft[Symbol.asyncDispose]();
      const created = body as Design;
      reply.header('location', location).code(201);
      return reply.send((await waitUntilSettled(request, reply, created.id)) ?? created);
    },
  );

  app.put(
    '/:id/model',
    {
      config: { auth: 'write', idempotencyKey: true },
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
      const { id } = await getAccessibleDesign(designs, request.token, request.params.id);
      await jobs.assertCapacity(maxQueuedJobs);
      const { draft } = await receiveVerifiedFile(request, dependencies);
      await using _draft = draft;
      // Read again: the design may have changed during the upload.
      const design = await getAccessibleDesign(designs, request.token, id);
      const { body } = await addRevisionOnce(request, dependencies, design, draft);
      await draft[Symbol.asyncDispose]();
      return reply.send((await waitUntilSettled(request, reply, id)) ?? (body as Design));
    },
  );
};

async function registerBodyParsers(app: FastifyInstance): Promise<void> {
  await app.register(multipart);
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser(SOURCE_MEDIA_TYPES, (_request, body, done) => done(null, body));
}

/**
 * Receives the file of a request and compares its SHA-256 with the expected one.
 *
 * @throws {Problem} as receiveFile, and design.checksum
 */
async function receiveVerifiedFile(
  request: UploadRequest,
  { blobs, maxUploadBytes: maxBytes, uploadStallMs: stallMs }: DesignUploadRouteDependencies,
): Promise<ReceivedFile> {
  const expectedSha256 = parseExpectedSha256(request);
  const file = await receiveFile(request, { blobs, maxBytes, stallMs });
  try {
    assertSha256(file.draft.ref, expectedSha256);
    return file;
  } catch (error) {
    await file.draft[Symbol.asyncDispose]();
    throw error;
  }
}

/** Creates a design from a draft. A retry with the same Idempotency-Key gets the first response. */
function createDesignOnce(
  request: FastifyRequest,
  dependencies: DesignUploadRouteDependencies,
  newDesign: NewDesign,
  draft: Draft,
): Promise<StoredResponse> {
  const { designs, now } = dependencies;
  const createOnce = async (saveResponse: SaveResponse) => {
    const design = createDesign(newDesign, now());
    const location = `/v1/designs/${design.id}`;
    const body = await ingestFile(dependencies, draft, design, {
      beforeRevision: (trx) => designs.add(design, trx),
      afterRevision: (trx, body) => saveResponse(trx, { status: 201, location, body }),
    });
    return { status: 201, location, body };
  };
  const content = JSON.stringify([draft.ref, newDesign]);
  return request.idempotency.runOnce(createOnce, content);
}

/** Adds a revision to a design. A retry with the same Idempotency-Key adds no second one. */
function addRevisionOnce(
  request: FastifyRequest,
  dependencies: DesignUploadRouteDependencies,
  design: DesignRecord,
  draft: Draft,
): Promise<StoredResponse> {
  const toResponse = (body: Design) => ({ status: 200, location: undefined, body });
  return request.idempotency.runOnce(
    async (saveResponse) =>
      toResponse(
        await ingestFile(dependencies, draft, design, {
          afterRevision: (trx, body) => saveResponse(trx, toResponse(body)),
        }),
      ),
    draft.ref,
  );
}
