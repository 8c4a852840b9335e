import { Design } from '@cloche/contract/design';
import { designFieldSchemas } from '@cloche/contract/design-fields';
import multipart from '@fastify/multipart';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { StoredResponse } from '../http/idempotency-store.ts';
import {
  assertIfMatch,
  type IfMatch,
  isVersionMatch,
  parseIfMatch,
  toEtag,
} from '../http/if-match.ts';
import { sendStoredResponse } from '../http/request-idempotency.ts';
import { assertMayAccessDesign, assertMayCreateDesigns } from '../tokens/authorize.ts';
import type { TokenRecord } from '../tokens/token.ts';
import { Sha256Parameter } from './checksum.ts';
import type { DesignRecord } from './design.ts';
import type { DesignStore } from './design-store.ts';
import { DesignIdParams, getAccessibleDesign } from './get-accessible-design.ts';
import { SOURCE_MEDIA_TYPES } from './media-types.ts';
import { applyPreferWait, PREFER_WAIT_DESCRIPTION } from './prefer-wait.ts';
import { receiveDesign, receiveRevision, type UploadDependencies } from './receive-upload.ts';

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

const tags = ['designs'];
const consumes = [...SOURCE_MEDIA_TYPES, 'multipart/form-data'];
// receiveFile enforces the limit, so that the problem is design.too-large.
const bodyLimit = Number.MAX_SAFE_INTEGER;

/** Uploads: POST /v1/designs creates a design, PUT /v1/designs/{id}/model adds a revision. */
export const designUploadRoutes: FastifyPluginAsyncTypebox<UploadDependencies> = async (
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
      const response = await receiveDesign(request, dependencies);
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
      const response = await receiveRevision(request, dependencies, id, ifMatch);
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
