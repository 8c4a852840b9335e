import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { IngestDependencies } from '../designs/ingest.ts';
import { getOwnedDesign } from '../designs/routes.ts';
import { assertMayCreateDesigns } from '../designs/upload-routes.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import type { Logger } from '../http/logger.ts';
import type { PublicHost } from '../http/public-host.ts';
import { createUploadCompleter } from './complete-upload.ts';
import { expiredUploadError, unknownUploadError } from './tus-errors.ts';
import {
  assertTusHeaders,
  CreateUploadHeaders,
  PatchUploadHeaders,
  setTusVersion,
  TusHeaders,
} from './tus-headers.ts';
import {
  createTusHandler,
  TUS_MEDIA_TYPE,
  type TusResponse,
  toResultHeaders,
} from './tus-server.ts';
import { isAccessible, isExpired, type TusUpload } from './tus-upload.ts';
import type { TusUploadStore } from './tus-upload-store.ts';
import { UploadLocker } from './upload-locker.ts';
import { scheduleUploadMaintenance } from './upload-maintenance.ts';
import { parseUploadMetadata } from './upload-metadata.ts';

type TusUploadRouteDependencies = IngestDependencies & {
  tusUploads: TusUploadStore;
  idempotency: IdempotencyStore;
  publicHost: PublicHost;
  log: Pick<Logger, 'info' | 'error'>;
  uploadStallMs: number;
  uploadLockMs: number;
};

const UploadIdParams = Type.Object({ id: Type.String({ description: 'The id of the upload.' }) });
const EmptyResponse = Type.Null({ description: 'Nothing but headers.' });
const tags = ['uploads'];
const consumes = [TUS_MEDIA_TYPE];
const auth = 'write' as const;
// The size is counted, and refused with the right words, by the protocol.
const bodyLimit = Number.MAX_SAFE_INTEGER;

/** /v1/uploads: files that come in pieces, by tus 1.0, and become designs when they are whole. */
export const tusUploadRoutes: FastifyPluginAsyncTypebox<TusUploadRouteDependencies> = async (
  app,
  given,
) => {
  const { tusUploads, designs, publicHost, now } = given;
  const locker = new UploadLocker(given.uploadLockMs);
  const completer = createUploadCompleter(given);
  const toUploadUrl = (id: string) => `${publicHost.origin}${app.prefix}/${id}`;
  const answer = createTusHandler({ ...given, locker, completer, toUploadUrl });
  scheduleUploadMaintenance(app, { ...given, locker, completer });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, body, done) => done(null, body));
  app.addHook('preValidation', assertTusHeaders);
  app.addHook('onSend', setTusVersion);

  const getMine = (request: FastifyRequest<{ Params: { id: string } }>): TusUpload => {
    const arrival = tusUploads.find(request.params.id);
    if (arrival === undefined || !isAccessible(arrival, request.token)) throw unknownUploadError();
    if (isExpired(arrival, now())) throw expiredUploadError();
    return arrival;
  };

  app.post(
    '/',
    {
      config: { auth },
      bodyLimit,
      schema: {
        tags,
        summary: 'Begin a resumable upload',
        description: CREATE_DESCRIPTION,
        consumes,
        headers: CreateUploadHeaders,
        response: { 201: EmptyResponse },
      },
    },
    async (request, reply) => {
      const wish = parseUploadMetadata(request.headers['upload-metadata']);
      if (wish.designId === undefined) assertMayCreateDesigns(request.token);
      else await getOwnedDesign(designs, request.token, wish.designId);
      await given.assertQueueCapacity();
      const { id } = tusUploads.create({ user: request.token.user, parsedMetadata: wish }, now());
      try {
        return sendTusResponse(reply, await answer(request, id));
      } catch (error) {
        // Nobody knows its address.
        await tusUploads.remove(id);
        throw error;
      }
    },
  );

  app.patch(
    '/:id',
    {
      config: { auth },
      bodyLimit,
      schema: {
        tags,
        summary: 'Send a piece of an upload',
        description: PATCH_DESCRIPTION,
        consumes,
        params: UploadIdParams,
        headers: PatchUploadHeaders,
        response: { 204: EmptyResponse },
      },
    },
    async (request, reply) => {
      const { id, result } = getMine(request);
      if (result !== undefined) toResultHeaders(result);
      return sendTusResponse(reply, await answer(request, id));
    },
  );

  app.head(
    '/:id',
    { config: { auth }, schema: { hide: true, params: UploadIdParams, headers: TusHeaders } },
    async (request, reply) => {
      const { id } = getMine(request);
      const told = await answer(request, id);
      // In this order: what is whole by this answer is a design by this answer.
      if (told.headers['upload-offset'] === told.headers['upload-length']) {
        reply.headers(toResultHeaders(await completer.complete(id).catch(throwRetryLater)));
      }
      return sendTusResponse(reply, told);
    },
  );

  app.delete(
    '/:id',
    {
      config: { auth },
      schema: {
        tags,
        summary: 'Give an upload up',
        description: 'What came of it is deleted. The design of an upload that is finished stays.',
        params: UploadIdParams,
        headers: TusHeaders,
        response: { 204: EmptyResponse },
      },
    },
    async (request, reply) => {
      const { id } = getMine(request);
      await completer.waitUntilIdle(id);
      return sendTusResponse(reply, await answer(request, id));
    },
  );

  for (const url of ['/', '/:id']) {
    const schema = { hide: true, ...(url === '/:id' && { params: UploadIdParams }) };
    app.options(url, { config: { auth }, schema }, async (request, reply) =>
      sendTusResponse(reply, await answer(request, '')),
    );
  }
};

function sendTusResponse(reply: FastifyReply, { status, headers }: TusResponse): FastifyReply {
  return reply.code(status).headers(headers).send();
}

/** Clients begin anew when HEAD fails, unless it says that they are to come again. */
function throwRetryLater(cause: unknown): never {
  if (cause instanceof Problem && cause.status < 500) throw cause;
  throw new Problem('upload.busy', { detail: RETRY_LATER_DETAIL, cause });
}

const RETRY_LATER_DETAIL =
  'All of the file is here, but it cannot be taken in just now. Ask again in a while.';

const CREATE_DESCRIPTION =
  'By tus 1.0: give this address to a tus client as its endpoint. `Location` is where the bytes go. The guide is at /docs/uploads.';
const PATCH_DESCRIPTION =
  'The last piece is answered with the header `Cloche-Design: cloche:design:<id>`, or with 422 if the file is refused. `HEAD` on this address tells how far the upload is, and repeats that answer.';
