import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { openUploadSignal, type UploadMonitors } from '../designs/upload-signal.ts';
import { hasBody } from '../http/drain-body.ts';
import { createKeyReusedError } from '../http/idempotency-store.ts';
import { removeUpload } from './remove-upload.ts';
import { openRequestStream, RESUME_DETAIL } from './request-stream.ts';
import { type TusHandler, type TusResponse, toResultHeaders } from './tus-server.ts';
import { type CreationKey, type InitialBytes, type TusUpload, toExpiry } from './tus-upload.ts';
import type { TusUploadStore } from './tus-upload-store.ts';
import type { UploadSegments } from './upload-segments.ts';

// The key is stored with the upload and not in the IdempotencyStore: upload and key are then written
// together, and a key is valid as long as its upload exists.

/** Returns the hashed Idempotency-Key of a request that creates an upload. Undefined without a key. */
export function hashCreationKey(request: FastifyRequest): CreationKey | undefined {
  const { headers } = request;
  const names = ['upload-length', 'upload-defer-length', 'upload-metadata'];
  return request.idempotency.hashKey(JSON.stringify(names.map((name) => headers[name])));
}

/** @throws {Problem} idempotency.reused, if the upload was created by another request with the same key */
export function assertSameRequest({ creationKey }: TusUpload, key: CreationKey | undefined): void {
  if (creationKey?.requestHash !== key?.requestHash) throw createKeyReusedError();
}

type CreateUploadContext = {
  tusUploads: TusUploadStore;
  segments: UploadSegments;
  handleTusRequest: TusHandler;
};

/**
 * Receives the bytes in the request that has created an upload. After an error, an upload with a key is kept: the client
 * gets its URL when it repeats the request. Without a key, nobody knows its URL.
 */
export async function receiveInitialBytes(
  request: FastifyRequest,
  { id, creationKey }: TusUpload,
  context: CreateUploadContext,
): Promise<TusResponse> {
  const { tusUploads, handleTusRequest } = context;
  const initialBytes = new InitialBytesHash();
  try {
    return await handleTusRequest(request, id, (chunk) => initialBytes.update(chunk));
  } catch (error) {
    if (creationKey === undefined)
      await removeUpload(id, context).catch((err) =>
        request.log.warn({ err, upload: id }, 'removing an upload failed'),
      );
    throw error;
  } finally {
    // Without it, a repeated request is compared with the stored segments.
    if (creationKey !== undefined)
      await tusUploads
        .setInitialBytes(id, initialBytes.digest())
        .catch((err) => request.log.warn({ err, upload: id }, 'storing the initial bytes failed'));
  }
}

type RepeatCreationContext = UploadMonitors & {
  tusUploads: TusUploadStore;
  segments: UploadSegments;
  toUploadUrl(id: string): string;
};

/**
 * Returns the response to a repeated request: the same upload, with its current offset. The bytes in the
 * request are compared with those in the first one, and not stored again.
 *
 * @throws {Problem} idempotency.reused, and why the file was rejected
 */
export async function repeatCreation(
  request: FastifyRequest,
  upload: TusUpload,
  context: RepeatCreationContext,
): Promise<TusResponse> {
  const { toUploadUrl } = context;
  const { id, offset, result, creationKey, createdAt } = upload;
  const expected = creationKey?.initialBytes;
  if (hasBody(request) && expected !== undefined) {
    const received = await hashRequest(request, expected.sizeBytes, context);
    if (received.sha256 !== expected.sha256) throw createKeyReusedError();
  } else if (hasBody(request) && result === undefined) {
    // The node has ended before the first request did, or that one is still running.
    const received = await hashRequest(request, offset, context);
    const stored = context.segments.read(id, await context.tusUploads.listSegments(id));
    const { sha256 } = await hashFirstBytes(stored, received.sizeBytes);
    if (received.sha256 !== sha256) throw createKeyReusedError();
  }
  return {
    status: 201,
    headers: {
      location: toUploadUrl(id),
      'upload-offset': String(offset),
      'upload-expires': toExpiry(createdAt).toUTCString(),
      ...(result !== undefined && toResultHeaders(result)),
    },
  };
}

async function hashRequest(
  request: FastifyRequest,
  sizeBytes: number,
  monitors: UploadMonitors,
): Promise<InitialBytes> {
  using upload = openUploadSignal(request, monitors, RESUME_DETAIL);
  const body = openRequestStream(request.raw, upload.signal);
  try {
    return await hashFirstBytes(body.stream, sizeBytes);
  } finally {
    body.close();
  }
}

async function hashFirstBytes(
  bytes: AsyncIterable<Uint8Array>,
  sizeBytes: number,
): Promise<InitialBytes> {
  const hash = new InitialBytesHash();
  for await (const chunk of bytes) {
    hash.update(chunk.subarray(0, sizeBytes - hash.sizeBytes));
    if (hash.sizeBytes === sizeBytes) break;
  }
  return hash.digest();
}

class InitialBytesHash {
  sizeBytes = 0;
  readonly #hash = createHash('sha256');

  update(chunk: Uint8Array): void {
    this.sizeBytes += chunk.length;
    this.#hash.update(chunk);
  }

  digest(): InitialBytes {
    return { sizeBytes: this.sizeBytes, sha256: this.#hash.digest('hex') };
  }
}
