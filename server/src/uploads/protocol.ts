import { designUri } from '@cloche/contract/id';
import { Server } from '@tus/server';
import type { FastifyRequest } from 'fastify';
import { hasBody } from '../http/rest.ts';
import { designOf, type Outcome } from './arrival.ts';
import type { Arrivals } from './arrivals.ts';
import { openBody } from './body.ts';
import { readFailure } from './failures.ts';
import type { Finisher } from './finish.ts';
import type { Locks } from './locks.ts';
import { FolderStore } from './store.ts';

type Given = {
  arrivals: Arrivals;
  locks: Locks;
  finisher: Finisher;
  maxUploadBytes: number;
  uploadStallMs: number;
  /** The address of an upload, for the world. */
  addressOf(id: string): string;
};

export type Reply = { status: number; headers: Record<string, string> };

/** Answers a request about one upload as tus 1.0 has it. @throws {Problem} */
export type Protocol = (request: FastifyRequest, id: string) => Promise<Reply>;

/** Says where the design is that an upload became. */
export const DESIGN_HEADER = 'cloche-design';

export const TUS_VERSION = '1.0.0';
export const TUS_TYPE = 'application/offset+octet-stream';

/** A request that breaks in on another waits so long for what that one has under way. */
const DRAIN_MS = 1000;

// Named one by one: what the library makes of the others, such as Forwarded, and what it adds for
// browsers, is not for us.
const READ = [
  'content-type',
  'content-length',
  'tus-resumable',
  'upload-length',
  'upload-offset',
  'upload-defer-length',
  'upload-metadata',
];
const SENT = [
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

type Asked = Request & { arrivalId: string };

export function openProtocol(given: Given): Protocol {
  const { arrivals, finisher, uploadStallMs } = given;
  const failures = new WeakMap<object, unknown>();
  const server = new Server({
    path: '/',
    maxSize: given.maxUploadBytes,
    datastore: new FolderStore(arrivals),
    locker: given.locks,
    lockDrainTimeout: DRAIN_MS,
    namingFunction: (asked) => (asked as Asked).arrivalId,
    getFileIdFromRequest: (asked) => (asked as Asked).arrivalId,
    generateUrl: (_asked, { id }) => given.addressOf(id),
    onUploadFinish: async (_asked, { id }) => ({ headers: tell(await finisher.finish(id)) }),
    onResponseError(asked, error) {
      failures.set(asked, error);
      return undefined;
    },
  });
  return async (request, id) => {
    const body = hasBody(request) ? openBody(request.raw, uploadStallMs) : undefined;
    try {
      const asked = translate(request, id, body?.stream);
      const response = await server.handleWeb(asked);
      const failure = body?.failure() ?? failures.get(asked);
      if (failure !== undefined || !response.ok) {
        throw readFailure(failure ?? (await response.text()), given, arrivals.find(id));
      }
      return { status: response.status, headers: pick(response.headers, SENT) };
    } finally {
      body?.close();
    }
  };
}

/** @throws {Problem} why there is no design */
export function tell(outcome: Outcome): Record<string, string> {
  return { [DESIGN_HEADER]: designUri(designOf(outcome)) };
}

function translate(
  { method, headers }: FastifyRequest,
  arrivalId: string,
  body: ReadableStream | undefined,
): Asked {
  const passed = new Headers();
  for (const name of READ) {
    const value = headers[name];
    if (typeof value === 'string') passed.set(name, value);
  }
  const stream = body === undefined ? {} : { body, duplex: 'half' as const };
  const asked = new Request(`http://upload/${arrivalId}`, { method, headers: passed, ...stream });
  return Object.assign(asked, { arrivalId });
}

function pick(headers: Headers, names: readonly string[]): Record<string, string> {
  const found = names.map((name) => [name, headers.get(name)] as const);
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== null));
}
