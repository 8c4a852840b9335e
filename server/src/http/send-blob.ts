import { Problem } from '@cloche/contract/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BlobRange, BlobRef, BlobStore } from '../blobs/blob-store.ts';
import { type PreparedResponse, prepareResponse, sendPrepared } from './prepared-response.ts';

type SendBlobOptions = {
  blobs: BlobStore;
  ref: BlobRef;
  bytes: number;
  /** Sent with the bytes: the type, and for how long they may be kept. Best the same object each time. */
  headers: Readonly<Record<string, string>>;
};

/**
 * Sends a blob, whole or the one range asked for, or 304. The address of a blob is its ETag.
 *
 * @throws {Problem} embed.range, embed.asset
 */
export async function sendBlob(
  request: FastifyRequest,
  reply: FastifyReply,
  file: SendBlobOptions,
) {
  const { blobs, ref, bytes } = file;
  const etag = `"${ref}"`;
  if (matchesEtag(request.headers['if-none-match'], etag)) {
    return reply.headers(file.headers).header('etag', etag).code(304).send();
  }
  const range = parseRange(request, etag, bytes);
  if (range !== undefined && range.start > range.end) {
    reply.header('content-range', `bytes */${bytes}`);
    const detail = `The file has ${bytes} bytes, so bytes 0-${bytes - 1} can be asked for.`;
    throw new Problem('embed.range', { field: 'header.range', detail });
  }
  const body =
    bytes <= MAX_BUFFERED_BYTES
      ? await readBuffered(blobs, ref, range)
      : // Fastify reads the body of a HEAD to its end and drops it: one byte will do.
        await blobs.open(ref, request.method === 'HEAD' ? { start: 0, end: 0 } : range);
  if (body === undefined) throw new Problem('embed.asset');

  if (range === undefined && Buffer.isBuffer(body))
    return sendPrepared(reply, getFullResponse(body, file));
  reply.headers(toHeaders(file)).header('content-length', bytes);
  if (range !== undefined) {
    reply.code(206).headers({
      'content-range': `bytes ${range.start}-${range.end}/${bytes}`,
      'content-length': range.end - range.start + 1,
    });
  }
  return reply.send(body);
}

function toHeaders({ ref, headers }: SendBlobOptions): Record<string, string> {
  const own = { etag: `"${ref}"`, 'accept-ranges': 'bytes', 'x-content-type-options': 'nosniff' };
  return { ...headers, ...own };
}

/** Whole blobs as they were last sent, for as long as they are in memory. */
const fullResponses = new WeakMap<Buffer, { headers: object; ready: PreparedResponse }>();

function getFullResponse(body: Buffer, file: SendBlobOptions): PreparedResponse {
  const known = fullResponses.get(body);
  if (known?.headers === file.headers) return known.ready;
  const ready = prepareResponse(toHeaders(file), body);
  fullResponses.set(body, { headers: file.headers, ready });
  return ready;
}

/** Up to this size a blob is sent from memory: opening a file and a stream costs more than sending. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

async function readBuffered(blobs: BlobStore, ref: BlobRef, part: BlobRange | undefined) {
  const bytes = await blobs.read(ref);
  return part === undefined ? bytes : bytes?.subarray(part.start, part.end + 1);
}

function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}

/**
 * RFC 9110 §14: the one range asked for, cut to what there is; `start` is behind `end` when nothing
 * of it is there. Several ranges, or a header that is not well formed, mean the whole.
 */
function parseRange(request: FastifyRequest, etag: string, bytes: number): BlobRange | undefined {
  const { range, 'if-range': ifRange } = request.headers;
  // RFC 9110 §14.2: a range is for GET alone.
  if (range === undefined || request.method !== 'GET') return undefined;
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return { start: Math.max(0, bytes - Number(last)), end: bytes - 1 };
  if (last === '') return { start: Number(first), end: bytes - 1 };
  if (Number(last) < Number(first)) return undefined;
  return { start: Number(first), end: Math.min(Number(last), bytes - 1) };
}
