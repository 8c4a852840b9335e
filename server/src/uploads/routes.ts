import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { getAccessibleDesign } from '../designs/get-accessible-design.ts';
import type { IngestDependencies } from '../designs/ingest.ts';
import type { UploadMonitors } from '../designs/upload-signal.ts';
import type { Reserve } from '../disk/disk-reserve.ts';
import type { Logger } from '../http/logger.ts';
import type { PublicHost } from '../http/public-host.ts';
import {
  assertMayCreateDesigns,
  assertMayShareDesign,
  mayAccessUpload,
} from '../tokens/authorize.ts';
import { createUploadCompleter, type UploadCompleter } from './complete-upload.ts';
import { createUploadCreator } from './create-upload.ts';
import {
  assertSameRequest,
  hashCreationKey,
  receiveInitialBytes,
  repeatCreation,
} from './creation-key.ts';
import { createExpiredUploadError, createUnknownUploadError } from './tus-errors.ts';
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
  type TusHandler,
  type TusResponse,
  toResultHeaders,
} from './tus-server.ts';
import { isExpired, type TusUpload } from './tus-upload.ts';
import type { TusUploadStore } from './tus-upload-store.ts';
import type { UploadLeases } from './upload-leases.ts';
import type { UploadLocker } from './upload-locker.ts';
import { scheduleUploadMaintenance } from './upload-maintenance.ts';
import { parseUploadMetadata } from './upload-metadata.ts';
import type { UploadSegments } from './upload-segments.ts';

export type TusUploadRouteDependencies = IngestDependencies &
  UploadMonitors & {
    tusUploads: TusUploadStore;
    segments: UploadSegments;
    leases: UploadLeases;
    locker: UploadLocker;
    /** The id of this node. */
    node: string;
    reserve: Reserve;
    publicHost: PublicHost;
    log: Pick<Logger, 'info' | 'warn' | 'error'>;
  };

type TypeboxApp = Parameters<FastifyPluginAsyncTypebox>[0];

type UploadRouteContext = TusUploadRouteDependencies & {
  handleTusRequest: TusHandler;
  completer: UploadCompleter;
  /** Returns the public URL of an upload. */
  toUploadUrl(id: string): string;
};

const UploadIdParams = Type.Object({ id: Type.String({ description: 'The id of the upload.' }) });
const EmptyResponse = Type.Null({ description: 'No body.' });
const tags = ['uploads'];
const consumes = [TUS_MEDIA_TYPE];
const auth = 'write' as const;
const RETRY_AFTER_SECONDS = 5;
// @tus/server enforces the limit, so that the response has the tus headers.
const bodyLimit = Number.MAX_SAFE_INTEGER;

/** /v1/uploads: resumable uploads with tus 1.0. A complete upload becomes a revision of a design. */
export const tusUploadRoutes: FastifyPluginAsyncTypebox<TusUploadRouteDependencies> = async (
  app,
  dependencies,
) => {
  const completer = createUploadCompleter(dependencies);
  const toUploadUrl = (id: string) => `${dependencies.publicHost.origin}${app.prefix}/${id}`;
  const handleTusRequest = createTusHandler({ ...dependencies, completer, toUploadUrl });
  scheduleUploadMaintenance(app, { ...dependencies, completer });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, body, done) => done(null, body));
  app.addHook('preValidation', assertTusHeaders);
  app.addHook('onSend', setTusVersion);
  const context = { ...dependencies, handleTusRequest, completer, toUploadUrl };
  registerCreationRoute(app, context);
  registerUploadRoutes(app, context);
  for (const url of ['/', '/:id']) {
    const schema = { hide: true, ...(url === '/:id' && { params: UploadIdParams }) };
    app.options(url, { config: { auth }, schema }, async (request, reply) =>
      sendTusResponse(reply, await handleTusRequest(request, '')),
    );
  }
};

/** POST /v1/uploads. */
function registerCreationRoute(app: TypeboxApp, context: UploadRouteContext): void {
  const { tusUploads, designs, jobs, maxQueuedJobs, now } = context;
  const createUploadWithinQuota = createUploadCreator(context);
  app.post(
    '/',
    {
      config: { auth, idempotencyKey: true },
      bodyLimit,
      schema: {
        tags,
        summary: 'Create a resumable upload',
        description: CREATE_DESCRIPTION,
        consumes,
        headers: CreateUploadHeaders,
        response: { 201: EmptyResponse },
      },
    },
    async (request, reply) => {
      const { token } = request;
      const parsedMetadata = parseUploadMetadata(request.headers['upload-metadata']);
      if (parsedMetadata.designId === undefined) {
        assertMayCreateDesigns(token);
        if (parsedMetadata.fields.shared) assertMayShareDesign(token);
      } else await getAccessibleDesign(designs, token, parsedMetadata.designId);
      const creationKey = hashCreationKey(request);
      const repeat = async (existing: TusUpload) => {
        assertSameRequest(existing, creationKey);
        return sendTusResponse(reply, await repeatCreation(request, existing, context));
      };
      const existing =
        creationKey && (await tusUploads.findByCreationKey(creationKey.keyHash, now()));
      if (existing !== undefined) return repeat(existing);
      await jobs.assertCapacity(token.user, maxQueuedJobs);
      if (parsedMetadata.designId === undefined)
        await designs.assertExternalIdFree({ ...parsedMetadata.fields, user: token.user });
      const { upload, isNew } = await createUploadWithinQuota(request, {
        user: token.user,
        parsedMetadata,
        creationKey,
      });
      if (!isNew) return repeat(upload);
      return sendTusResponse(reply, await receiveInitialBytes(request, upload, context));
    },
  );
}

/** PATCH, HEAD and DELETE /v1/uploads/{id}. */
function registerUploadRoutes(
  app: TypeboxApp,
  { tusUploads, completer, handleTusRequest, now }: UploadRouteContext,
): void {
  const getUpload = async (
    request: FastifyRequest<{ Params: { id: string } }>,
  ): Promise<TusUpload> => {
    const upload = await tusUploads.find(request.params.id);
    if (upload === undefined) throw createUnknownUploadError();
    const { user, parsedMetadata } = upload;
    if (!mayAccessUpload(request.token, { user, designId: parsedMetadata.designId }))
      throw createUnknownUploadError();
    if (isExpired(upload, now())) throw createExpiredUploadError();
    return upload;
  };

  app.patch(
    '/:id',
    {
      config: { auth },
      bodyLimit,
      schema: {
        tags,
        summary: 'Append bytes to an upload',
        description: PATCH_DESCRIPTION,
        consumes,
        params: UploadIdParams,
        headers: PatchUploadHeaders,
        response: { 204: EmptyResponse },
      },
    },
    async (request, reply) => {
      const { id, result } = await getUpload(request);
      // Throws the problem again if the file was rejected.
      if (result !== undefined) toResultHeaders(result);
      return sendTusResponse(reply, await handleTusRequest(request, id));
    },
  );

  app.head(
    '/:id',
    {
      config: { auth },
      schema: { hide: true, params: UploadIdParams, headers: TusHeaders },
      errorHandler: throwRetryLater,
    },
    async (request, reply) => {
      const { id } = await getUpload(request);
      const response = await handleTusRequest(request, id);
      // When HEAD reports the full length, the design must already exist.
      if (response.headers['upload-offset'] === response.headers['upload-length']) {
        reply.headers(toResultHeaders(await completer.complete(id)));
      }
      return sendTusResponse(reply, response);
    },
  );

  app.delete(
    '/:id',
    {
      config: { auth },
      schema: {
        tags,
        summary: 'Terminate an upload',
        description:
          'Deletes the bytes received. If the upload is complete, its design is not deleted.',
        params: UploadIdParams,
        headers: TusHeaders,
        response: { 204: EmptyResponse },
      },
    },
    async (request, reply) => {
      const { id } = await getUpload(request);
      await completer.waitUntilIdle(id);
      return sendTusResponse(reply, await handleTusRequest(request, id));
    },
  );
}

function sendTusResponse(reply: FastifyReply, { status, headers }: TusResponse): FastifyReply {
  return reply.code(status).headers(headers).send();
}

/**
 * tus clients begin a new upload when HEAD fails, except after 423 Locked: then they retry. So each error that may be temporary
 * becomes that, from the search for the token on.
 */
function throwRetryLater(cause: FastifyError | Problem, { log }: FastifyRequest): never {
  const status = cause instanceof Problem ? cause.status : (cause.statusCode ?? 500);
  if (status < 500) throw cause;
  if (!(cause instanceof Problem)) log.error({ err: cause }, 'HEAD of an upload failed');
  throw new Problem('upload.locked', {
    detail:
      'The state of the upload cannot be read at the moment, or the file cannot be stored. Retry later.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}

const CREATE_DESCRIPTION =
  'tus 1.0: use this URL as the endpoint of a tus client. `Location` is the URL of the upload. The guide is at /docs/uploads.';
const PATCH_DESCRIPTION =
  'The response to the last bytes has the header `Cloche-Design: cloche:design:<id>`, or is 422 if the file is rejected. `HEAD` on this URL returns the current offset, and repeats the response to the last bytes.';
