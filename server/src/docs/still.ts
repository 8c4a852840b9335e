import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Something that stays as it is while the service runs, in the forms it is sent in. */
export type Still = { type: string; etag: string; plain: Buffer; br: Buffer; gzip: Buffer };

export function makeStill(type: string, text: string): Still {
  const plain = Buffer.from(text);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return {
    type,
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    plain,
    br: brotliCompressSync(plain, { params }),
    gzip: gzipSync(plain),
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
  const accepted = request.headers['accept-encoding'] ?? '';
  const coding = (['br', 'gzip'] as const).find((one) => accepted.includes(one));
  if (coding !== undefined) reply.header('content-encoding', coding);
  return reply.type(still.type).send(coding === undefined ? still.plain : still[coding]);
}

function hasIt(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}
