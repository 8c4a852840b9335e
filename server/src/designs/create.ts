import { DesignView } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import multipart from '@fastify/multipart';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import type { Blobs, Draft } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import { type Answer, type Answers, readRetry } from '../http/idempotency.ts';
import { preflight } from '../pipeline/preflight/preflight.ts';
import { openSource } from '../pipeline/preflight/source.ts';
import type { Token } from '../tokens/token.ts';
import { makeDesign } from './design.ts';
import type { Designs } from './designs.ts';
import { view } from './routes.ts';
import { receive } from './upload.ts';

type Given = {
  designs: Designs;
  blobs: Blobs;
  answers: Answers;
  database: Database;
  now: () => Date;
  maxUploadBytes: number;
  uploadStallMs: number;
};

const FILE_TYPES = ['model/gltf-binary', 'application/octet-stream'];

/** POST /v1/designs: a file comes in, and is a design when the answer is sent. */
export const createDesignRoute: FastifyPluginAsyncTypebox<Given> = async (app, given) => {
  const { answers, now, maxUploadBytes: maxBytes, uploadStallMs: stallMs } = given;
  await app.register(multipart);
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser(FILE_TYPES, (_request, body, done) => done(null, body));

  app.post(
    '/',
    {
      config: { needs: 'write', retryKey: true },
      // The size is counted, and refused with the right words, in upload.ts.
      bodyLimit: Number.MAX_SAFE_INTEGER,
      schema: {
        tags: ['designs'],
        summary: 'Make a design of a file',
        description:
          'Send the bytes of a GLB as the body, or a form with a part called `file`. The file is checked before the answer; a damaged one is 422.',
        consumes: [...FILE_TYPES, 'multipart/form-data'],
        querystring: Type.Object(
          {
            name: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: 200,
                description: 'Its name, for people.',
                examples: ['Oak chair'],
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 201: DesignView },
      },
    },
    async (request, reply) => {
      checkMayCreate(request.caller);
      const { draft, name } = await receive(request, { blobs: given.blobs, maxBytes, stallMs });
      await using kept = draft;
      const retry = readRetry(request, `design ${kept.ref} ${name}`);
      const answer = await answers.once(retry, now(), (keep) =>
        make({ ...given, draft: kept, name, user: request.caller.user }, keep),
      );
      reply.header('location', answer.location);
      return reply.code(201).send(answer.body as DesignView);
    },
  );
};

type Order = Given & { draft: Draft; name: string; user: string };

/** In the order that loses nothing: the bytes are safe before the row that names them. */
async function make(
  { draft, name, user, designs, database, now }: Order,
  keep: (step: Database, answer: Answer) => Promise<void>,
): Promise<Answer> {
  const stats = await preflightDraft(draft);
  const design = makeDesign({ user, name, source: draft.ref, stats }, now());
  const answer = { status: 201, location: `/v1/designs/${design.id}`, body: view(design) };
  await draft.keep();
  await database.transaction().execute(async (step) => {
    await designs.add(design, step);
    await keep(step, answer);
  });
  return answer;
}

async function preflightDraft(draft: Draft) {
  await using file = await openSource(draft.path);
  // Not without await: the file would be closed before it is read.
  return await preflight(file);
}

function checkMayCreate(caller: Token): void {
  if (caller.designs === undefined) return;
  throw new Problem('token.design', {
    detail:
      'This token reaches only the designs on its list, so it cannot make new ones. Use a token without that list.',
  });
}
