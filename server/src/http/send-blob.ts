import { Problem, type ProblemCode } from '@cloche/contract/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BlobRange, BlobRef, BlobStore } from '../blobs/blob-store.ts';
import { findAcceptedEncodings, toVaryWithEncoding } from './accept-encoding.ts';
import { matchesEtag, parseRange } from './conditional-request.ts';

type SendBlobOptions = {
  blobs: Pick<BlobStore, 'open' | 'read'>;
  ref: BlobRef;
  sizeBytes: number;
  /** A blob with the same bytes, compressed. */
  brotli?: { blob: BlobRef; sizeBytes: number } | undefined;
  /** Sent with the blob: its type, and how long it may be cached. */
  headers: Readonly<Record<string, string>>;
  /** The codes of problems. A stored blob that is missing is an error of the service by default. */
  problemCodes?: { range: ProblemCode; missing: ProblemCode };
};

const DEFAULT_PROBLEM_CODES = { range: 'request.range', missing: 'server.failed' } as const;

/** Maximum size of a blob that is read into memory: for a small blob, opening a stream costs more than sending. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/**
 * Sends a blob, one range of it, or 304. A client that accepts Brotli gets the compressed blob, unless it asks
 * for a range: ranges are those of the uncompressed bytes. The ETag is the SHA-256 of the bytes that are sent.
 *
 * @throws {Problem} with one of `problemCodes`
 */
export async function sendBlob(
  request: FastifyRequest,
  reply: FastifyReply,
  options: SendBlobOptions,
) {
  const { blobs, problemCodes = DEFAULT_PROBLEM_CODES } = options;
  const { ref, sizeBytes, headers, isCompressed } = selectRepresentation(request, reply, options);
  const etag = `"${ref}"`;
  if (matchesEtag(request.headers['if-none-match'], etag)) {
    return reply.headers(headers).header('etag', etag).code(304).send();
  }
  const range = readRange(request, etag, sizeBytes);
  if (range !== undefined && range.start > range.end) {
    reply.header('content-range', `bytes */${sizeBytes}`);
    const detail = `The file has ${sizeBytes} bytes, so the range must be within bytes 0-${sizeBytes - 1}.`;
    throw new Problem(problemCodes.range, { field: 'header.range', detail });
  }
  const body =
    sizeBytes <= MAX_BUFFERED_BYTES
      ? await readBuffered(blobs, ref, range)
      : // Fastify reads and discards the stream of a HEAD response, so one byte is enough.
        await blobs.open(ref, request.method === 'HEAD' ? { start: 0, end: 0 } : range);
  if (body === undefined) throw new Problem(problemCodes.missing);

  reply.headers({
    ...headers,
    etag,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-length': range === undefined ? sizeBytes : range.end - range.start + 1,
    ...(isCompressed && { 'content-encoding': 'br' }),
  });
  if (range !== undefined) {
    reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${sizeBytes}`);
  }
  return reply.send(body);
}

function selectRepresentation(
  request: FastifyRequest,
  reply: FastifyReply,
  { ref, sizeBytes, brotli, headers }: SendBlobOptions,
) {
  if (brotli === undefined) return { ref, sizeBytes, headers, isCompressed: false };
  const isCompressed =
    request.headers.range === undefined && findAcceptedEncodings(request, ['br']).length > 0;
  return {
    ...(isCompressed ? { ref: brotli.blob, sizeBytes: brotli.sizeBytes } : { ref, sizeBytes }),
    headers: { ...headers, vary: toVaryWithEncoding(reply) },
    isCompressed,
  };
}

async function readBuffered(
  blobs: Pick<BlobStore, 'read'>,
  ref: BlobRef,
  range: BlobRange | undefined,
) {
  const bytes = await blobs.read(ref);
  return range === undefined ? bytes : bytes?.subarray(range.start, range.end + 1);
}

/** Only GET has ranges (RFC 9110 §14.2), and only if `If-Range` is absent or equal to the ETag. */
function readRange({ method, headers }: FastifyRequest, etag: string, bytes: number) {
  const { range, 'if-range': ifRange } = headers;
  if (range === undefined || method !== 'GET') return undefined;
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  return parseRange(range, bytes);
}
