import type { Readable } from 'node:stream';
import { Problem } from '@cloche/contract/problem';
import type { Multipart, MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { type BlobStore, type Draft, fileTooLargeError } from '../blobs/blob-store.ts';
import { MAX_NAME_LENGTH, parseDisplayName, toDisplayName } from '../http/display-name.ts';

/** A file that has arrived, and what the request calls it. */
export type ReceivedFile = { draft: Draft; name: string };

export type ReceiveFileOptions = { blobs: BlobStore; maxBytes: number; stallMs: number };

/**
 * Receives the file of a request: the body itself, or the one file of a multipart form.
 *
 * @throws {Problem} request.invalid, request.malformed, request.timeout, design.too-large,
 *   server.storage-full
 */
export async function receiveFile(
  request: FastifyRequest<{ Querystring: { name?: string } }>,
  receiver: ReceiveFileOptions,
): Promise<ReceivedFile> {
  const { name } = request.query;
  const asked = name === undefined ? undefined : parseDisplayName(name, 'query.name');
  const announced = Number(request.headers['content-length'] ?? 0);
  const isForm = request.isMultipart();
  // A form is a little larger than its file; what the file has is counted as it comes.
  if (announced > receiver.maxBytes + (isForm ? MAX_FORM_OVERHEAD_BYTES : 0))
    throw fileTooLargeError(receiver.maxBytes);
  if (isForm) return receiveMultipart(request, asked, receiver);
  if (request.body === undefined) throw missingBodyError();
  const draft = await storeStream(request.body as Readable, receiver);
  return { draft, name: asked ?? 'Untitled' };
}

const MAX_FORM_OVERHEAD_BYTES = 64 * 1024;

async function receiveMultipart(
  request: FastifyRequest,
  asked: string | undefined,
  receiver: ReceiveFileOptions,
): Promise<ReceivedFile> {
  const { maxBytes, stallMs } = receiver;
  const limits = { files: 2, fields: 4, fieldSize: 4096, fileSize: maxBytes + 1, parts: 6 };
  let draft: Draft | undefined;
  let named: string | undefined;
  let fileName = '';
  try {
    for await (const part of readParts(request.parts({ limits }), stallMs)) {
      if (part.type === 'file') {
        assertSingleFile(part, draft);
        fileName = part.filename;
        draft = await storeStream(part.file, receiver);
      } else named = parseNameField(part);
    }
  } catch (error) {
    await draft?.[Symbol.asyncDispose]();
    throw error;
  }
  if (draft === undefined) throw missingFileError();
  return { draft, name: asked ?? named ?? toDisplayName(fileName) ?? 'Untitled' };
}

/**
 * The parts of a form, none of which may be waited for longer than `stallMs`; what the parser says of
 * a broken one, in our words.
 */
async function* readParts<T>(parts: AsyncIterable<T>, stallMs: number): AsyncGenerator<T> {
  const iterator = parts[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await withTimeout(stallMs, iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem('request.invalid', { field: 'body', detail: INVALID_FORM_DETAIL, cause });
  }
}

const INVALID_FORM_DETAIL =
  'body: the form cannot be read. Send multipart/form-data with its boundary, one part "file", and perhaps one part "name", such as curl -F file=@chair.glb does.';

function assertSingleFile(part: MultipartFile, before: Draft | undefined): void {
  if (part.fieldname === 'file' && before === undefined) return;
  part.file.resume();
  throw new Problem('request.invalid', {
    field: 'file',
    detail: 'file: the form must have exactly one file, in a part called "file".',
  });
}

function parseNameField(part: Multipart): string {
  if (part.type === 'field' && part.fieldname === 'name' && typeof part.value === 'string') {
    if ([...part.value].length <= MAX_NAME_LENGTH) return parseDisplayName(part.value, 'name');
    const detail = `name: must not have more than ${MAX_NAME_LENGTH} characters.`;
    throw new Problem('request.invalid', { field: 'name', detail });
  }
  throw new Problem('request.invalid', {
    field: 'body',
    detail: 'body: the form has a part that is not known here. Its parts are "file" and "name".',
  });
}

const missingBodyError = () =>
  new Problem('request.invalid', {
    field: 'body',
    detail: 'body: is missing. Send the bytes of a GLB, such as curl --data-binary @chair.glb.',
  });

const missingFileError = () =>
  new Problem('request.invalid', {
    field: 'file',
    detail: 'file: the form has no file. Send one, such as curl -F file=@chair.glb.',
  });

function storeStream(
  bytes: Readable,
  { blobs, maxBytes, stallMs }: ReceiveFileOptions,
): Promise<Draft> {
  return blobs.createDraft(withStallTimeout(bytes, stallMs), { maxBytes });
}

/**
 * Passes bytes on, and gives up when none come for `stallMs`. Never destroys the stream: the
 * answer still has to travel over its connection.
 */
async function* withStallTimeout(bytes: Readable, stallMs: number): AsyncGenerator<Uint8Array> {
  const iterator = bytes.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await withTimeout(stallMs, iterator.next()).catch(throwInterrupted);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // While the iterator listens the stream stands still, and a client that sends all before it
    // reads would never get to our answer. Not awaited: after a stall it may never end.
    void iterator.return?.().finally(() => bytes.resume());
  }
}

function throwInterrupted(cause: unknown): never {
  if (cause instanceof Problem) throw cause;
  throw new Problem('request.malformed', { detail: INTERRUPTED_DETAIL, cause });
}

const INTERRUPTED_DETAIL = 'The upload ended within the file. Nothing was kept; send it again.';

async function withTimeout<T>(stallMs: number, promise: Promise<T>): Promise<T> {
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(stallError(stallMs)), stallMs);
  try {
    return await Promise.race([promise, stalled]);
  } finally {
    clearTimeout(timer);
  }
}

function stallError(stallMs: number): Problem {
  return new Problem('request.timeout', {
    detail: `The upload sent nothing for ${stallMs / 1000} s, so it was given up. Nothing was kept; send it again.`,
  });
}
