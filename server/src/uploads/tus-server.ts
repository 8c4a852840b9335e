import { toDesignUri } from '@cloche/contract/id';
import { Server } from '@tus/server';
import type { FastifyRequest } from 'fastify';
import { hasBody } from '../http/drain-body.ts';
import type { UploadCompleter } from './complete-upload.ts';
import { openRequestStream } from './request-stream.ts';
import { TusDataStore } from './tus-data-store.ts';
import { toTusProblem } from './tus-errors.ts';
import { getDesignId, type UploadResult } from './tus-upload.ts';
import type { TusUploadStore } from './tus-upload-store.ts';
import type { UploadLocker } from './upload-locker.ts';

type TusHandlerDependencies = {
  tusUploads: TusUploadStore;
  locker: UploadLocker;
  completer: UploadCompleter;
  maxUploadBytes: number;
  uploadStallMs: number;
  /** The address of an upload, for the world. */
  toUploadUrl(id: string): string;
};

export type TusResponse = { status: number; headers: Record<string, string> };

/** Answers a request about one upload as tus 1.0 has it. @throws {Problem} */
export type TusHandler = (request: FastifyRequest, id: string) => Promise<TusResponse>;

/** Says where the design is that an upload became. */
export const DESIGN_HEADER = 'cloche-design';

export const TUS_VERSION = '1.0.0';
export const TUS_MEDIA_TYPE = 'application/offset+octet-stream';

/** A request that breaks in on another waits so long for what that one has under way. */
const LOCK_DRAIN_TIMEOUT_MS = 1000;

// Named one by one: what the library makes of the others, such as Forwarded, and what it adds for
// browsers, is not for us.
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

type TusRequest = Request & { arrivalId: string };

export function createTusHandler(given: TusHandlerDependencies): TusHandler {
  const { tusUploads, completer, uploadStallMs } = given;
  const failures = new WeakMap<object, unknown>();
  const server = new Server({
    path: '/',
    maxSize: given.maxUploadBytes,
    datastore: new TusDataStore(tusUploads),
    locker: given.locker,
    lockDrainTimeout: LOCK_DRAIN_TIMEOUT_MS,
    namingFunction: (asked) => (asked as TusRequest).arrivalId,
    getFileIdFromRequest: (asked) => (asked as TusRequest).arrivalId,
    generateUrl: (_asked, { id }) => given.toUploadUrl(id),
    onUploadFinish: async (_asked, { id }) => ({
      headers: toResultHeaders(await completer.complete(id)),
    }),
    onResponseError(asked, error) {
      failures.set(asked, error);
      return undefined;
    },
  });
  return async (request, id) => {
    const body = hasBody(request) ? openRequestStream(request.raw, uploadStallMs) : undefined;
    try {
      const asked = toTusRequest(request, id, body?.stream);
      const response = await server.handleWeb(asked);
      const failure = body?.findProblem() ?? failures.get(asked);
      if (failure !== undefined || !response.ok) {
        throw toTusProblem(failure ?? (await response.text()), given, tusUploads.find(id));
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

/** @throws {Problem} why there is no design */
export function toResultHeaders(outcome: UploadResult): Record<string, string> {
  return { [DESIGN_HEADER]: toDesignUri(getDesignId(outcome)) };
}

function toTusRequest(
  { method, headers }: FastifyRequest,
  arrivalId: string,
  body: ReadableStream | undefined,
): TusRequest {
  const passed = new Headers();
  for (const name of FORWARDED_REQUEST_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') passed.set(name, value);
  }
  const stream = body === undefined ? {} : { body, duplex: 'half' as const };
  const asked = new Request(`http://upload/${arrivalId}`, { method, headers: passed, ...stream });
  return Object.assign(asked, { arrivalId });
}

function pickHeaders(headers: Headers, names: readonly string[]): Record<string, string> {
  const found = names.map((name) => [name, headers.get(name)] as const);
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== null));
}
