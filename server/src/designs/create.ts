import { DesignView } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import multipart from '@fastify/multipart';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type Answer, type Answers, readRetry } from '../http/idempotency.ts';
import { FORMATS } from '../pipeline/format.ts';
import type { Token } from '../tokens/token.ts';
import { checkSha256, readSha256, Sha256 } from './checksum.ts';
import { type Design, makeDesign } from './design.ts';
import { type Intake, takeIn } from './intake.ts';
import { getDesign } from './routes.ts';
import { receive } from './upload.ts';
import type { Views } from './views.ts';
import { PREFER, waiting } from './wait.ts';

type Given = Intake & { views: Views; answers: Answers; uploadStallMs: number };

type Asked = { name?: string; sha256?: string };

const ANY_FILE = 'application/octet-stream';
const FILE_TYPES = [...new Set([...Object.values(FORMATS).map(({ type }) => type), ANY_FILE])];
const MODEL_TYPES = [...FILE_TYPES, 'application/zip'];

const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Its name, for people.',
  examples: ['Oak chair'],
});
const Summed = Type.Object({ sha256: Type.Optional(Sha256) }, { additionalProperties: false });
const Named = Type.Object(
  { name: Type.Optional(Name), ...Summed.properties },
  { additionalProperties: false },
);
const ById = Type.Object({ id: Type.String({ description: 'The id of the design: a UUID.' }) });
const tags = ['designs'];
const consumes = [...MODEL_TYPES, 'multipart/form-data'];
// The size is counted, and refused with the right words, in upload.ts.
const bodyLimit = Number.MAX_SAFE_INTEGER;

/** Files come in: POST /v1/designs makes a design, PUT /v1/designs/{id}/model its next revision. */
export const createDesignRoute: FastifyPluginAsyncTypebox<Given> = async (app, given) => {
  const { answers, designs, views, now, uploadStallMs: stallMs } = given;
  await readFiles(app);
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort());
  const wait = waiting(stopping.signal);
  const receiveFile = async (request: FastifyRequest<{ Querystring: Asked }>) => {
    const sha256 = readSha256(request);
    const receiver = { blobs: given.blobs, maxBytes: given.maxUploadBytes, stallMs };
    const upload = await receive(request, receiver);
    try {
      checkSha256(upload.draft.ref, sha256);
      return upload;
    } catch (error) {
      await upload.draft[Symbol.asyncDispose]();
      throw error;
    }
  };

  app.post(
    '/',
    {
      config: { needs: 'write', retryKey: true },
      bodyLimit,
      schema: {
        tags,
        summary: 'Make a design of a file',
        description: `Send the bytes as the body, or a form with a part called \`file\`. What the file is, its bytes tell. It is checked before the answer (a damaged one is 422) and processed after it: follow \`GET /v1/designs/{id}/events\`, or send \`Prefer: wait=30\` to be answered when it is ready. ${PREFER}`,
        consumes,
        querystring: Named,
        response: { 201: DesignView },
      },
    },
    async (request, reply) => {
      checkMayCreate(request.caller);
      await given.checkRoom();
      const { draft, name } = await receiveFile(request);
      await using kept = draft;
      const retry = readRetry(request, `design ${kept.ref} ${name}`);
      const answer = await answers.once(retry, now(), async (keep) => {
        const design = makeDesign({ user: request.caller.user, name }, now());
        const answer = created(design, views);
        await takeIn(given, kept, design, async (step) => {
          await designs.add(design, step);
          await keep(step, answer);
        });
        return answer;
      });
      reply.header('location', answer.location).code(201);
      const { id } = answer.body as DesignView;
      const signal = wait(request, reply);
      const waited = signal && (await views.afterWaiting(id, signal));
      return reply.send(waited ?? (answer.body as DesignView));
    },
  );

  app.put(
    '/:id/model',
    {
      config: { needs: 'write' },
      bodyLimit,
      schema: {
        tags,
        summary: 'Give a design a new model',
        description: `Embeds show the old model until the new one is ready, then the new one, with no change to any page. ${PREFER}`,
        consumes,
        params: ById,
        querystring: Summed,
        response: { 200: DesignView },
      },
    },
    async (request, reply) => {
      const { id } = await getDesign(designs, request.caller, request.params.id);
      await given.checkRoom();
      const { draft } = await receiveFile(request);
      await using kept = draft;
      const design = await getDesign(designs, request.caller, id);
      await takeIn(given, kept, design);
      const signal = wait(request, reply);
      const waited = signal && (await views.afterWaiting(id, signal));
      return reply.send(waited ?? views.of(await getDesign(designs, request.caller, id)));
    },
  );
};

async function readFiles(app: FastifyInstance): Promise<void> {
  await app.register(multipart);
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser(MODEL_TYPES, (_request, body, done) => done(null, body));
}

function created(design: Design, views: Views): Answer {
  return { status: 201, location: `/v1/designs/${design.id}`, body: views.of(design) };
}

/** @throws {Problem} token.design */
export function checkMayCreate(caller: Token): void {
  if (caller.designs === undefined) return;
  throw new Problem('token.design', {
    detail:
      'This token reaches only the designs on its list, so it cannot make new ones. Use a token without that list.',
  });
}
