import { Problem } from '@cloche/contract/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BlobRange, BlobRef, BlobStore } from '../blobs/blob-store.ts';
import { matchesEtag, parseRange } from './conditional-request.ts';

type SendBlobOptions = {
  blobs: BlobStore;
  ref: BlobRef;
  bytes: number;
  /** Sent with the blob: its type, and how long it may be cached. */
  headers: Readonly<Record<string, string>>;
};

/** Up to this size a blob is read into memory: opening a file and a stream costs more than sending. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/**
 * Sends a blob, one range of it, or 304. Its SHA-256 is its ETag.
 *
 * @throws {Problem} embed.range, embed.asset
 */
export async function sendBlob(
  request: FastifyRequest,
  reply: FastifyReply,
  { blobs, ref, bytes, headers }: SendBlobOptions,
) {
  const etag = `"${ref}"`;
  if (matchesEtag(request.headers['if-none-match'], etag)) {
    return reply.headers(headers).header('etag', etag).code(304).send();
  }
  const range = readRange(request, etag, bytes);
  if (range !== undefined && range.start > range.end) {
    reply.header('content-range', `bytes */${bytes}`);
    const detail = `The file has ${bytes} bytes, so the range must be within bytes 0-${bytes - 1}.`;
    throw new Problem('embed.range', { field: 'header.range', detail });
  }
  const body =
    bytes <= MAX_BUFFERED_BYTES
      ? await readBuffered(blobs, ref, range)
      : // Fastify reads the stream of a HEAD response to its end and drops it: one byte is enough.
        await blobs.open(ref, request.method === 'HEAD' ? { start: 0, end: 0 } : range);
  if (body === undefined) throw new Problem('embed.asset');

  reply.headers({
    ...headers,
    etag,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-length': range === undefined ? bytes : range.end - range.start + 1,
  });
  if (range !== undefined) {
    reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${bytes}`);
  }
  return reply.send(body);
}

async function readBuffered(blobs: BlobStore, ref: BlobRef, range: BlobRange | undefined) {
  const bytes = await blobs.read(ref);
  return range === undefined ? bytes : bytes?.subarray(range.start, range.end + 1);
}

/** RFC 9110 §14.2: only GET has ranges, and only if `If-Range` names this version. */
function readRange({ method, headers }: FastifyRequest, etag: string, bytes: number) {
  const { range, 'if-range': ifRange } = headers;
  if (range === undefined || method !== 'GET') return undefined;
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  return parseRange(range, bytes);
}
