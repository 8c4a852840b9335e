import { toDesignUri } from '@cloche/contract/id';
import { Server } from '@tus/server';
import type { FastifyRequest } from 'fastify';
import { openUploadSignal, type UploadMonitors } from '../designs/upload-signal.ts';
import { hasBody } from '../http/drain-body.ts';
import type { UploadCompleter } from './complete-upload.ts';
import { openRequestStream, RESUME_DETAIL } from './request-stream.ts';
import { TusDataStore, type TusDataStoreDependencies } from './tus-data-store.ts';
import { toTusProblem } from './tus-errors.ts';
import { getDesignId, type UploadResult } from './tus-upload.ts';

export type TusHandlerDependencies = UploadMonitors &
  TusDataStoreDependencies & {
    completer: UploadCompleter;
    maxUploadBytes: number;
    /** Returns the public URL of an upload. */
    toUploadUrl(id: string): string;
  };

export type TusResponse = { status: number; headers: Record<string, string> };

/** Handles a tus 1.0 request about one upload. `onChunk` receives the body too. @throws {Problem} */
export type TusHandler = (
  request: FastifyRequest,
  id: string,
  onChunk?: (chunk: Buffer) => void,
) => Promise<TusResponse>;

/** Response header with the URI of the design that a complete upload became part of. */
const DESIGN_HEADER = 'cloche-design';

export const TUS_VERSION = '1.0.0';
export const TUS_MEDIA_TYPE = 'application/offset+octet-stream';

/** How long a request may continue to write received bytes after it lost its lock. */
const LOCK_DRAIN_TIMEOUT_MS = 1000;

// Allowlists: @tus/server also reads headers such as Forwarded, and adds CORS headers.
const FORWARDED_REQUEST_HEADERS = [
  'content-type',
  'content-length',
  'tus-resumable',
  'upload-length',
  'upload-offset',
  'upload-defer-length',
  'upload-metadata',
];
const RETURNED_RESPONSE_HEADERS = [
  'location',
  'cache-control',
  'tus-extension',
  'tus-max-size',
  'upload-length',
  'upload-offset',
  'upload-defer-length',
  'upload-metadata',
  'upload-expires',
  DESIGN_HEADER,
];

type TusRequest = Request & { uploadId: string };

/** Creates a handler that passes requests to @tus/server, and throws its errors as problems. */
export function createTusHandler(dependencies: TusHandlerDependencies): TusHandler {
  const { tusUploads, maxUploadBytes } = dependencies;
  const errors = new WeakMap<object, unknown>();
  const server = createTusServer(dependencies, errors);
  return async (request, id, onChunk) => {
    using upload = hasBody(request)
      ? openUploadSignal(request, dependencies, RESUME_DETAIL)
      : undefined;
    const body = upload && openRequestStream(request.raw, upload.signal, onChunk);
    try {
      const tusRequest = toTusRequest(request, id, body?.stream);
      const response = await server.handleWeb(tusRequest);
      const error = body?.findProblem() ?? errors.get(tusRequest);
      if (error !== undefined || !response.ok) {
        const upload = await tusUploads.find(id);
        throw toTusProblem(error ?? (await response.text()), { maxUploadBytes, upload });
      }
      return {
        status: response.status,
        headers: pickHeaders(response.headers, RETURNED_RESPONSE_HEADERS),
      };
    } finally {
      body?.close();
    }
  };
}

/** Returns the headers of the last response. @throws {Problem} why the file was rejected */
export function toResultHeaders(result: UploadResult): Record<string, string> {
  return { [DESIGN_HEADER]: toDesignUri(getDesignId(result)) };
}

/** Creates the tus server. `errors` receives the error of each failed request. */
function createTusServer(
  { completer, maxUploadBytes, toUploadUrl, ...stores }: TusHandlerDependencies,
  errors: WeakMap<object, unknown>,
): Server {
  return new Server({
    path: '/',
    maxSize: maxUploadBytes,
    datastore: new TusDataStore(stores),
    locker: stores.locker,
    lockDrainTimeout: LOCK_DRAIN_TIMEOUT_MS,
    namingFunction: (request) => (request as TusRequest).uploadId,
    getFileIdFromRequest: (request) => (request as TusRequest).uploadId,
    generateUrl: (_request, { id }) => toUploadUrl(id),
    onUploadFinish: async (_request, { id }) => ({
      headers: toResultHeaders(await completer.complete(id)),
    }),
    onResponseError(request, error) {
      errors.set(request, error);
      return undefined;
    },
  });
}

function toTusRequest(
  { method, headers }: FastifyRequest,
  uploadId: string,
  body: ReadableStream | undefined,
): TusRequest {
  const forwarded = new Headers();
  for (const name of FORWARDED_REQUEST_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') forwarded.set(name, value);
  }
  const request = new Request(`http://upload/${uploadId}`, {
    method,
    headers: forwarded,
    ...(body !== undefined && { body, duplex: 'half' as const }),
  });
  return Object.assign(request, { uploadId });
}

function pickHeaders(headers: Headers, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = headers.get(name);
    if (value !== null) picked[name] = value;
  }
  return picked;
}
