import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { checkMayCreate } from '../designs/create.ts';
import type { Intake } from '../designs/intake.ts';
import { getDesign } from '../designs/routes.ts';
import type { PublicHost } from '../http/hosts.ts';
import type { Answers } from '../http/idempotency.ts';
import type { Logger } from '../http/log.ts';
import { type Arrival, isOver, mayReach } from './arrival.ts';
import type { Arrivals } from './arrivals.ts';
import { expiredUpload, unknownUpload } from './failures.ts';
import { openFinisher } from './finish.ts';
import { CreateHeaders, checkHeaders, PatchHeaders, sayVersion, TusHeaders } from './headers.ts';
import { Locks } from './locks.ts';
import { openProtocol, type Reply, TUS_TYPE, tell } from './protocol.ts';
import { keepInOrder } from './sweep.ts';
import { readWish } from './wish.ts';

type Given = Intake & {
  arrivals: Arrivals;
  answers: Answers;
  publicHost: PublicHost;
  log: Pick<Logger, 'info' | 'error'>;
  uploadStallMs: number;
  uploadLockMs: number;
};

const ById = Type.Object({ id: Type.String({ description: 'The id of the upload.' }) });
const Nothing = Type.Null({ description: 'Nothing but headers.' });
const tags = ['uploads'];
const consumes = [TUS_TYPE];
const needs = 'write' as const;
// The size is counted, and refused with the right words, by the protocol.
const bodyLimit = Number.MAX_SAFE_INTEGER;

/** /v1/uploads: files that come in pieces, by tus 1.0, and become designs when they are whole. */
export const uploadRoutes: FastifyPluginAsyncTypebox<Given> = async (app, given) => {
  const { arrivals, designs, publicHost, now } = given;
  const locks = new Locks(given.uploadLockMs);
  const finisher = openFinisher(given);
  const addressOf = (id: string) => `${publicHost.origin}${app.prefix}/${id}`;
  const answer = openProtocol({ ...given, locks, finisher, addressOf });
  keepInOrder(app, { ...given, locks, finisher });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, body, done) => done(null, body));
  app.addHook('preValidation', checkHeaders);
  app.addHook('onSend', sayVersion);

  const getMine = (request: FastifyRequest<{ Params: { id: string } }>): Arrival => {
    const arrival = arrivals.find(request.params.id);
    if (arrival === undefined || !mayReach(arrival, request.caller)) throw unknownUpload();
    if (isOver(arrival, now())) throw expiredUpload();
    return arrival;
  };

  app.post(
    '/',
    {
      config: { needs },
      bodyLimit,
      schema: {
        tags,
        summary: 'Begin a resumable upload',
        description: CREATE,
        consumes,
        headers: CreateHeaders,
        response: { 201: Nothing },
      },
    },
    async (request, reply) => {
      const wish = readWish(request.headers['upload-metadata']);
      if (wish.design === undefined) checkMayCreate(request.caller);
      else await getDesign(designs, request.caller, wish.design);
      await given.checkRoom();
      const { id } = arrivals.begin({ user: request.caller.user, wish }, now());
      try {
        return send(reply, await answer(request, id));
      } catch (error) {
        // Nobody knows its address.
        await arrivals.remove(id);
        throw error;
      }
    },
  );

  app.patch(
    '/:id',
    {
      config: { needs },
      bodyLimit,
      schema: {
        tags,
        summary: 'Send a piece of an upload',
        description: PATCH,
        consumes,
        params: ById,
        headers: PatchHeaders,
        response: { 204: Nothing },
      },
    },
    async (request, reply) => {
      const { id, outcome } = getMine(request);
      if (outcome !== undefined) tell(outcome);
      return send(reply, await answer(request, id));
    },
  );

  app.head(
    '/:id',
    { config: { needs }, schema: { hide: true, params: ById, headers: TusHeaders } },
    async (request, reply) => {
      const { id } = getMine(request);
      const told = await answer(request, id);
      // In this order: what is whole by this answer is a design by this answer.
      if (told.headers['upload-offset'] === told.headers['upload-length']) {
        reply.headers(tell(await finisher.finish(id).catch(sayLater)));
      }
      return send(reply, told);
    },
  );

  app.delete(
    '/:id',
    {
      config: { needs },
      schema: {
        tags,
        summary: 'Give an upload up',
        description: 'What came of it is deleted. The design of an upload that is finished stays.',
        params: ById,
        headers: TusHeaders,
        response: { 204: Nothing },
      },
    },
    async (request, reply) => {
      const { id } = getMine(request);
      await finisher.idle(id);
      return send(reply, await answer(request, id));
    },
  );

  for (const url of ['/', '/:id']) {
    const schema = { hide: true, ...(url === '/:id' && { params: ById }) };
    app.options(url, { config: { needs }, schema }, async (request, reply) =>
      send(reply, await answer(request, '')),
    );
  }
};

function send(reply: FastifyReply, { status, headers }: Reply): FastifyReply {
  return reply.code(status).headers(headers).send();
}

/** Clients begin anew when HEAD fails, unless it says that they are to come again. */
function sayLater(cause: unknown): never {
  if (cause instanceof Problem && cause.status < 500) throw cause;
  throw new Problem('upload.busy', { detail: LATER, cause });
}

const LATER = 'All of the file is here, but it cannot be taken in just now. Ask again in a while.';

const CREATE =
  'By tus 1.0: give this address to a tus client as its endpoint. `Location` is where the bytes go. The guide is at /docs/uploads.';
const PATCH =
  'The last piece is answered with the header `Cloche-Design: cloche:design:<id>`, or with 422 if the file is refused. `HEAD` on this address tells how far the upload is, and repeats that answer.';
