import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { openUploadSignal, type UploadMonitors } from '../designs/upload-signal.ts';
import { hasBody } from '../http/drain-body.ts';
import { createInProgressError, createKeyReusedError } from '../http/idempotency-store.ts';
import { openRequestStream, RESUME_DETAIL } from './request-stream.ts';
import { type TusHandler, type TusResponse, toResultHeaders } from './tus-server.ts';
import { type CreationKey, type InitialBytes, type TusUpload, toExpiry } from './tus-upload.ts';
import type { TusUploadStore } from './tus-upload-store.ts';

// The key is stored with the upload and not in the IdempotencyStore: upload and key are then written
// together, and a key is valid as long as its upload exists.

/** Returns the hashed Idempotency-Key of a request that creates an upload. Undefined without a key. */
export function hashCreationKey(request: FastifyRequest): CreationKey | undefined {
  const { headers } = request;
  const names = ['upload-length', 'upload-defer-length', 'upload-metadata'];
  return request.idempotency.hashKey(JSON.stringify(names.map((name) => headers[name])));
}

/**
 * Finds the upload that an earlier request with the same key created.
 *
 * @throws {Problem} idempotency.reused, idempotency.in-progress
 */
export async function findExistingUpload(
  key: CreationKey | undefined,
  { tusUploads, now }: { tusUploads: TusUploadStore; now: () => Date },
): Promise<TusUpload | undefined> {
  if (key === undefined) return undefined;
  const upload = await tusUploads.findByCreationKey(key.keyHash, now());
  if (upload === undefined) return undefined;
  if (upload.creationKey?.requestHash !== key.requestHash) throw createKeyReusedError();
  if (!(await tusUploads.isResumable(upload))) throw createInProgressError();
  return upload;
}

/**
 * Creates the files of an upload. After an error, an upload with a key is kept: the client gets its URL
 * when it repeats the request. Without a key, nobody knows its URL.
 */
export async function createUploadOnce(
  request: FastifyRequest,
  upload: TusUpload,
  { tusUploads, handleTusRequest }: { tusUploads: TusUploadStore; handleTusRequest: TusHandler },
): Promise<TusResponse> {
  const { id, creationKey } = upload;
  const initialBytes = new InitialBytesHash();
  try {
    return await handleTusRequest(request, id, (chunk) => initialBytes.update(chunk));
  } catch (error) {
    if (creationKey === undefined || !(await tusUploads.isResumable(upload)))
      await tusUploads.remove(id);
    throw error;
  } finally {
    if (creationKey !== undefined && (await tusUploads.isResumable(upload)))
      await tusUploads.setInitialBytes(upload, initialBytes.digest());
  }
}

type RepeatCreationContext = UploadMonitors & {
  tusUploads: TusUploadStore;
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
  const { tusUploads, toUploadUrl } = context;
  const { id, result, creationKey, createdAt } = upload;
  const expected = creationKey?.initialBytes;
  if (hasBody(request) && expected !== undefined) {
    const received = await hashFirstBytes(request, expected.sizeBytes, context);
    if (received.sha256 !== expected.sha256) throw createKeyReusedError();
  }
  return {
    status: 201,
    headers: {
      location: toUploadUrl(id),
      'upload-offset': String(await tusUploads.getOffset(upload)),
      'upload-expires': toExpiry(createdAt).toUTCString(),
      ...(result !== undefined && toResultHeaders(result)),
    },
  };
}

async function hashFirstBytes(
  request: FastifyRequest,
  sizeBytes: number,
  monitors: UploadMonitors,
): Promise<InitialBytes> {
  using upload = openUploadSignal(request, monitors, RESUME_DETAIL);
  const body = openRequestStream(request.raw, upload.signal);
  const hash = new InitialBytesHash();
  try {
    for await (const chunk of body.stream) {
      hash.update(chunk.subarray(0, sizeBytes - hash.sizeBytes));
      if (hash.sizeBytes === sizeBytes) break;
    }
    return hash.digest();
  } finally {
    body.close();
  }
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
