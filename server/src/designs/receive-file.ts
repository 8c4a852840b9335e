import type { Readable } from 'node:stream';
import type { NewDesignFields } from '@cloche/contract/design-fields';
import { Problem } from '@cloche/contract/problem';
import type { Multipart, MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { type BlobStore, createFileTooLargeError, type Draft } from '../blobs/blob-store.ts';
import { withSignal } from '../http/with-signal.ts';
import { type DesignFieldTexts, parseDesignFields } from './design-fields.ts';
import type { ReceivedFile } from './ingest.ts';

/** A received file, not stored yet, and the fields for its design that were sent with it. */
export type ReceivedUpload = ReceivedFile & { fields: NewDesignFields };

/** The query of a request with a file. */
export type UploadQuery = DesignFieldTexts & { fileName?: string };

export type ReceiveFileOptions = {
  blobs: BlobStore;
  maxBytes: number;
  /** Ends the upload, with a problem as its reason. */
  signal: AbortSignal;
  /** The names of the parts that a form may have in addition to its file. */
  formFields: readonly (keyof NewDesignFields)[];
};

/** Maximum size of a multipart request without its file: headers, boundaries and other parts. */
const MAX_FORM_OVERHEAD_BYTES = 512 * 1024;
const MAX_FORM_FIELD_BYTES = 256 * 1024;

/**
 * Receives the file of a request: the body itself, or the one file of a multipart form.
 *
 * @throws {Problem} request.invalid, request.malformed, request.timeout, design.too-large,
 *   server.storage-full
 */
export async function receiveFile(
  request: FastifyRequest<{ Querystring: UploadQuery }>,
  options: ReceiveFileOptions,
): Promise<ReceivedUpload> {
  const { fileName } = request.query;
  const queryFields = parseDesignFields(request.query, 'query');
  if (request.isMultipart()) {
    const form = await receiveForm(request, options);
    const fields = { ...form.fields, ...queryFields };
    return { draft: form.draft, fields, fileName: fileName ?? form.fileName };
  }
  if (request.body === undefined) throw createMissingBodyError();
  const draft = await createDraft(request.body as Readable, options);
  return { draft, fields: queryFields, fileName };
}

/**
 * Returns the least and the most bytes that the file of a request can have, by its Content-Length. The
 * blob store counts the bytes received.
 *
 * @throws {Problem} design.too-large
 */
export function getSizeRange(
  request: FastifyRequest,
  maxBytes: number,
): { minBytes: number; maxBytes: number } {
  const header = request.headers['content-length'];
  if (header === undefined) return { minBytes: 1, maxBytes };
  const contentLength = Number(header);
  const minBytes = contentLength - (request.isMultipart() ? MAX_FORM_OVERHEAD_BYTES : 0);
  if (minBytes > maxBytes) throw createFileTooLargeError(maxBytes);
  return { minBytes: Math.max(minBytes, 1), maxBytes: Math.min(contentLength, maxBytes) };
}

async function receiveForm(
  request: FastifyRequest,
  options: ReceiveFileOptions,
): Promise<ReceivedUpload> {
  const { maxBytes, signal, formFields } = options;
  const limits = {
    files: 2,
    fields: 10,
    fieldSize: MAX_FORM_FIELD_BYTES,
    fileSize: maxBytes + 1,
    parts: 12,
  };
  let draft: Draft | undefined;
  let fileName: string | undefined;
  const texts: DesignFieldTexts = {};
  try {
    for await (const part of readParts(request.parts({ limits }), signal)) {
      if (part.type === 'file') {
        assertOnlyFile(part, draft);
        fileName = part.filename;
        draft = await createDraft(part.file, options);
      } else addFormField(texts, part, formFields);
    }
    if (draft === undefined) throw createMissingFileError();
    return { draft, fields: parseDesignFields(texts, ''), fileName };
  } catch (error) {
    await draft?.[Symbol.asyncDispose]();
    throw error;
  }
}

/** Yields the parts of a form. Throws a problem when the signal aborts, or if the form is malformed. */
async function* readParts<T>(parts: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = parts[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await withSignal(iterator.next(), signal);
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

function addFormField(
  texts: DesignFieldTexts,
  part: Multipart,
  formFields: ReceiveFileOptions['formFields'],
): void {
  const name = formFields.find((field) => field === part.fieldname);
  if (name === undefined || part.type !== 'field') {
    const parts = ['file', ...formFields].map((field) => `"${field}"`).join(', ');
    const detail = `body: the form has an unknown part. The supported parts are ${parts}.`;
    throw new Problem('request.invalid', { field: 'body', detail });
  }
  const { value, valueTruncated } = part;
  if (texts[name] !== undefined) throw createFormFieldError(name, 'must be sent once');
  if (typeof value !== 'string') throw createFormFieldError(name, 'must be sent as plain text');
  if (valueTruncated) throw createFormFieldError(name, 'is too long');
  // Browsers send line breaks in forms as CR LF.
  texts[name] = value.replaceAll('\r\n', '\n');
}

function createFormFieldError(field: string, message: string): Problem {
  return new Problem('request.invalid', { field, detail: `${field}: ${message}.` });
}

function createDraft(
  bytes: Readable,
  { blobs, maxBytes, signal }: ReceiveFileOptions,
): Promise<Draft> {
  return blobs.createDraft(readUntilAborted(bytes, signal), { maxBytes });
}

/**
 * Yields the chunks of a stream until the signal aborts. Never destroys the stream: the response is sent over
 * the same connection.
 */
async function* readUntilAborted(bytes: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator = bytes.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await withSignal(iterator.next(), signal).catch(throwInterrupted);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // The stream is paused while the iterator is open, and a client that sends its whole body before
    // it reads would never read the response. Not awaited: after an abort, return() may never settle.
    void iterator.return?.().finally(() => bytes.resume());
  }
}

function throwInterrupted(cause: unknown): never {
  if (cause instanceof Problem) throw cause;
  throw new Problem('request.malformed', { detail: INTERRUPTED_DETAIL, cause });
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
  'body: the form is malformed. Send multipart/form-data with its boundary, one part "file", such as curl -F file=@chair.glb does.';
