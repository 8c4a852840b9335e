import type { Readable } from 'node:stream';
import { Problem } from '@cloche/contract/problem';
import type { Multipart, MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { type BlobStore, createFileTooLargeError, type Draft } from '../blobs/blob-store.ts';
import { MAX_NAME_LENGTH, parseDisplayName, toDisplayName } from '../http/display-name.ts';
import { withTimeout } from '../http/with-timeout.ts';

/** A received file, not stored yet, and the display name for its design. */
export type ReceivedFile = { draft: Draft; name: string };

export type ReceiveFileOptions = {
  blobs: BlobStore;
  maxBytes: number;
  /** Maximum time without data. */
  stallMs: number;
};

const DEFAULT_NAME = 'Untitled';

/** Maximum size of a multipart request without its file: headers, boundaries and the name. */
const MAX_FORM_OVERHEAD_BYTES = 64 * 1024;

/**
 * Receives the file of a request: the body itself, or the one file of a multipart form.
 *
 * @throws {Problem} request.invalid, request.malformed, request.timeout, design.too-large,
 *   server.storage-full
 */
export async function receiveFile(
  request: FastifyRequest<{ Querystring: { name?: string } }>,
  options: ReceiveFileOptions,
): Promise<ReceivedFile> {
  const { maxBytes } = options;
  const queryName =
    request.query.name === undefined
      ? undefined
      : parseDisplayName(request.query.name, 'query.name');
  const contentLength = Number(request.headers['content-length'] ?? 0);
  const isForm = request.isMultipart();
  // An early check of Content-Length. The blob store counts the bytes received.
  if (contentLength > maxBytes + (isForm ? MAX_FORM_OVERHEAD_BYTES : 0))
    throw createFileTooLargeError(maxBytes);
  if (isForm) {
    const { draft, name, fileName } = await receiveForm(request, options);
    return { draft, name: queryName ?? name ?? toDisplayName(fileName) ?? DEFAULT_NAME };
  }
  if (request.body === undefined) throw createMissingBodyError();
  const draft = await createDraft(request.body as Readable, options);
  return { draft, name: queryName ?? DEFAULT_NAME };
}

type ReceivedForm = { draft: Draft; name: string | undefined; fileName: string };

async function receiveForm(
  request: FastifyRequest,
  options: ReceiveFileOptions,
): Promise<ReceivedForm> {
  const { maxBytes, stallMs } = options;
  const limits = { files: 2, fields: 4, fieldSize: 4096, fileSize: maxBytes + 1, parts: 6 };
  let draft: Draft | undefined;
  let name: string | undefined;
  let fileName = '';
  try {
    for await (const part of readParts(request.parts({ limits }), stallMs)) {
      if (part.type === 'file') {
        assertOnlyFile(part, draft);
        fileName = part.filename;
        draft = await createDraft(part.file, options);
      } else name = parseNameField(part);
    }
  } catch (error) {
    await draft?.[Symbol.asyncDispose]();
    throw error;
  }
  if (draft === undefined) throw createMissingFileError();
  return { draft, name, fileName };
}

/** Yields the parts of a form. Throws a problem after `stallMs` without data, or if the form is malformed. */
async function* readParts<T>(parts: AsyncIterable<T>, stallMs: number): AsyncGenerator<T> {
  const iterator = parts[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await withTimeout(iterator.next(), stallMs, () => createStallError(stallMs));
      if (next.done) return;
      yield next.value;
    }
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem('request.invalid', { field: 'body', detail: INVALID_FORM_DETAIL, cause });
  }
}

function assertOnlyFile(part: MultipartFile, previous: Draft | undefined): void {
  if (part.fieldname === 'file' && previous === undefined) return;
  part.file.resume();
  throw new Problem('request.invalid', {
    field: 'file',
    detail: 'file: the form must have exactly one file, in a part called "file".',
  });
}

function parseNameField(part: Multipart): string {
  if (part.type === 'field' && part.fieldname === 'name' && typeof part.value === 'string') {
    if ([...part.value].length <= MAX_NAME_LENGTH) return parseDisplayName(part.value, 'name');
    throw new Problem('request.invalid', {
      field: 'name',
      detail: `name: must not have more than ${MAX_NAME_LENGTH} characters.`,
    });
  }
  throw new Problem('request.invalid', {
    field: 'body',
    detail: 'body: the form has an unknown part. The supported parts are "file" and "name".',
  });
}

function createDraft(
  bytes: Readable,
  { blobs, maxBytes, stallMs }: ReceiveFileOptions,
): Promise<Draft> {
  return blobs.createDraft(readWithStallTimeout(bytes, stallMs), { maxBytes });
}

/**
 * Yields the chunks of a stream. Throws a problem after `stallMs` without data. Never destroys the
 * stream: the response is sent over the same connection.
 */
async function* readWithStallTimeout(bytes: Readable, stallMs: number): AsyncGenerator<Uint8Array> {
  const iterator = bytes.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await withTimeout(iterator.next(), stallMs, () =>
        createStallError(stallMs),
      ).catch(throwInterrupted);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // The stream is paused while the iterator is open, and a client that sends its whole body before
    // it reads would never read the response. Not awaited: after a stall, return() may never settle.
    void iterator.return?.().finally(() => bytes.resume());
  }
}

function throwInterrupted(cause: unknown): never {
  if (cause instanceof Problem) throw cause;
  throw new Problem('request.malformed', { detail: INTERRUPTED_DETAIL, cause });
}

function createStallError(stallMs: number): Problem {
  return new Problem('request.timeout', {
    detail: `The upload timed out: no data for ${stallMs / 1000} s. Nothing was stored; send it again.`,
  });
}

function createMissingBodyError(): Problem {
  return new Problem('request.invalid', {
    field: 'body',
    detail: 'body: is missing. Send the bytes of a file, such as curl --data-binary @chair.glb.',
  });
}

function createMissingFileError(): Problem {
  return new Problem('request.invalid', {
    field: 'file',
    detail: 'file: the form has no file. Send one, such as curl -F file=@chair.glb.',
  });
}

const INTERRUPTED_DETAIL =
  'The connection closed before the whole file was received. Nothing was stored; send it again.';
const INVALID_FORM_DETAIL =
  'body: the form is malformed. Send multipart/form-data with its boundary, one part "file" and at most one part "name", such as curl -F file=@chair.glb does.';
