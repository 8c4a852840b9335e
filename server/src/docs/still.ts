import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** Something that stays as it is while the service runs, in the forms it is sent in. */
export type Still = {
  type: string;
  etag: string;
  plain: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
};

/** The smaller first. */
const CODINGS = ['br', 'gzip'] as const;

/** Compressed when it is first asked for: at start it would cost more than all the rest. */
export function makeStill(type: string, text: string): Still {
  const plain = Buffer.from(text);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  let br: Buffer | undefined;
  let gzip: Buffer | undefined;
  return {
    type,
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    plain,
    get br() {
      br ??= brotliCompressSync(plain, { params });
      return br;
    },
    get gzip() {
      gzip ??= gzipSync(plain);
      return gzip;
    },
  };
}

/** Sends it, or 304 to those who have it. Asked again each time, for the next version may differ. */
export function sendStill(request: FastifyRequest, reply: FastifyReply, still: Still) {
  reply.headers({
    etag: still.etag,
    'cache-control': 'no-cache',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
  });
  if (hasIt(request.headers['if-none-match'], still.etag)) return reply.code(304).send();
  const readable = new Negotiator(request.raw).encodings([...CODINGS]);
  const coding = CODINGS.find((one) => readable.includes(one));
  if (coding === undefined) return reply.type(still.type).send(still.plain);
  return reply.type(still.type).header('content-encoding', coding).send(still[coding]);
}

function hasIt(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}
