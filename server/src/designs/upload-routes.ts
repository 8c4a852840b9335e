import { Design } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import { FORMATS } from '@cloche/pipeline/formats/registry';
import multipart from '@fastify/multipart';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import {
  type IdempotencyStore,
  parseIdempotencyKey,
  type StoredResponse,
} from '../http/idempotency-store.ts';
import type { TokenRecord } from '../tokens/token.ts';
import { assertSha256, parseExpectedSha256, Sha256Parameter } from './checksum.ts';
import { createDesign, type DesignRecord } from './design.ts';
import type { DesignWatcher } from './design-watcher.ts';
import { type IngestDependencies, ingestFile } from './ingest.ts';
import { createPreferWait, PREFER_WAIT_DESCRIPTION } from './prefer-wait.ts';
import { receiveFile } from './receive-file.ts';
import { getOwnedDesign } from './routes.ts';

type DesignUploadRouteDependencies = IngestDependencies & {
  watcher: DesignWatcher;
  idempotency: IdempotencyStore;
  uploadStallMs: number;
};

type UploadQuery = { name?: string; sha256?: string };

const OCTET_STREAM = 'application/octet-stream';
const MODEL_MEDIA_TYPES = [
  ...new Set([...Object.values(FORMATS).map(({ type }) => type), OCTET_STREAM]),
];
const ACCEPTED_MEDIA_TYPES = [...MODEL_MEDIA_TYPES, 'application/zip'];

const DesignName = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Its name, for people.',
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
const DesignIdParams = Type.Object({
  id: Type.String({ description: 'The id of the design: a UUID.' }),
});
const tags = ['designs'];
const consumes = [...ACCEPTED_MEDIA_TYPES, 'multipart/form-data'];
// The size is counted, and refused with the right words, in upload.ts.
const bodyLimit = Number.MAX_SAFE_INTEGER;

/** Files come in: POST /v1/designs makes a design, PUT /v1/designs/{id}/model its next revision. */
export const designUploadRoutes: FastifyPluginAsyncTypebox<DesignUploadRouteDependencies> = async (
  app,
  given,
) => {
  const { idempotency, designs, watcher, now, uploadStallMs: stallMs } = given;
  await registerBodyParsers(app);
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort());
  const wait = createPreferWait(stopping.signal);
  const receiveVerifiedFile = async (request: FastifyRequest<{ Querystring: UploadQuery }>) => {
    const sha256 = parseExpectedSha256(request);
    const receiver = { blobs: given.blobs, maxBytes: given.maxUploadBytes, stallMs };
    const upload = await receiveFile(request, receiver);
    try {
      assertSha256(upload.draft.ref, sha256);
      return upload;
    } catch (error) {
      await upload.draft[Symbol.asyncDispose]();
      throw error;
    }
  };

  app.post(
    '/',
    {
      config: { auth: 'write', idempotencyKey: true },
      bodyLimit,
      schema: {
        tags,
        summary: 'Make a design of a file',
        description: `Send the bytes as the body, or a form with a part called \`file\`. What the file is, its bytes tell. It is checked before the answer (a damaged one is 422) and processed after it: follow \`GET /v1/designs/{id}/events\`, or send \`Prefer: wait=30\` to be answered when it is ready. ${PREFER_WAIT_DESCRIPTION}`,
        consumes,
        querystring: CreateDesignQuery,
        response: { 201: Design },
      },
    },
    async (request, reply) => {
      assertMayCreateDesigns(request.token);
      await given.assertQueueCapacity();
      const { draft, name } = await receiveVerifiedFile(request);
      await using kept = draft;
      const retry = parseIdempotencyKey(request, `design ${kept.ref} ${name}`);
      const answer = await idempotency.runOnce(retry, now(), async (keep) => {
        const design = createDesign({ user: request.token.user, name }, now());
        const answer = toCreatedResponse(design, watcher);
        await ingestFile(given, kept, design, async (step) => {
          await designs.add(design, step);
          await keep(step, answer);
        });
        return answer;
      });
      reply.header('location', answer.location).code(201);
      const { id } = answer.body as Design;
      const signal = wait(request, reply);
      const waited = signal && (await watcher.waitUntilSettled(id, signal));
      return reply.send(waited ?? (answer.body as Design));
    },
  );

  app.put(
    '/:id/model',
    {
      config: { auth: 'write' },
      bodyLimit,
      schema: {
        tags,
        summary: 'Give a design a new model',
        description: `Embeds show the old model until the new one is ready, then the new one, with no change to any page. ${PREFER_WAIT_DESCRIPTION}`,
        consumes,
        params: DesignIdParams,
        querystring: ReplaceModelQuery,
        response: { 200: Design },
      },
    },
    async (request, reply) => {
      const { id } = await getOwnedDesign(designs, request.token, request.params.id);
      await given.assertQueueCapacity();
      const { draft } = await receiveVerifiedFile(request);
      await using kept = draft;
      const design = await getOwnedDesign(designs, request.token, id);
      await ingestFile(given, kept, design);
      const signal = wait(request, reply);
      const waited = signal && (await watcher.waitUntilSettled(id, signal));
      return reply.send(
        waited ?? watcher.toDesign(await getOwnedDesign(designs, request.token, id)),
      );
    },
  );
};

async function registerBodyParsers(app: FastifyInstance): Promise<void> {
  await app.register(multipart);
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser(ACCEPTED_MEDIA_TYPES, (_request, body, done) => done(null, body));
}

function toCreatedResponse(design: DesignRecord, views: DesignWatcher): StoredResponse {
  return { status: 201, location: `/v1/designs/${design.id}`, body: views.toDesign(design) };
}

/** @throws {Problem} token.design */
export function assertMayCreateDesigns(caller: TokenRecord): void {
  if (caller.designs === undefined) return;
  throw new Problem('token.design', {
    detail:
      'This token reaches only the designs on its list, so it cannot make new ones. Use a token without that list.',
  });
}
