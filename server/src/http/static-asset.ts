import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findAcceptedEncodings, toVaryWithEncoding } from './accept-encoding.ts';
import { matchesEtag } from './conditional-request.ts';

/** A file in memory, in each content encoding. */
export type StaticAsset = {
  contentType: string;
  cacheControl: string;
  etag: string;
  identity: Buffer;
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
  /** Pages of any origin may load it. */
  isForAllOrigins?: boolean;
};

/** In order of preference: Brotli is smaller. */
const ENCODINGS = ['br', 'gzip'] as const;

/** Creates an asset whose name changes with its content, from files that the build compressed. */
export function createImmutableAsset(
  files: Pick<StaticAsset, 'contentType' | 'identity' | 'br' | 'gzip'>,
): StaticAsset {
  const cacheControl = 'public, max-age=31536000, immutable';
  return { ...files, cacheControl, etag: toEtag(files.identity) };
}

/** Creates an asset for the pages of other sites, which a release of the service can change. */
export function createCrossOriginAsset(
  files: Pick<StaticAsset, 'contentType' | 'identity' | 'br' | 'gzip'>,
): StaticAsset {
  const cacheControl = 'public, max-age=300, stale-while-revalidate=86400';
  return { ...files, cacheControl, etag: toEtag(files.identity), isForAllOrigins: true };
}

/**
 * Creates an asset that browsers revalidate each time. Text is compressed at the first request; bytes are
 * sent as they are.
 */
export function createRevalidatedAsset(contentType: string, content: string | Buffer): StaticAsset {
  const identity = Buffer.from(content);
  const isText = typeof content === 'string';
  let br: Buffer | undefined;
  let gzip: Buffer | undefined;
  return {
    contentType,
    cacheControl: 'no-cache',
    etag: toEtag(identity),
    identity,
    get br() {
      if (isText)
        br ??= brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
      return br;
    },
    get gzip() {
      if (isText) gzip ??= gzipSync(identity);
      return gzip;
    },
  };
}

function toEtag(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
}

/** Sends an asset in the smallest encoding that the client accepts, or 304. */
export function sendStaticAsset(request: FastifyRequest, reply: FastifyReply, asset: StaticAsset) {
  reply.headers({
    etag: asset.etag,
    'cache-control': asset.cacheControl,
    'cross-origin-resource-policy': asset.isForAllOrigins ? 'cross-origin' : 'same-origin',
    'x-content-type-options': 'nosniff',
    vary: toVaryWithEncoding(reply),
  });
  // The scripts of modules are loaded with CORS.
  if (asset.isForAllOrigins) reply.header('access-control-allow-origin', '*');
  if (matchesEtag(request.headers['if-none-match'], asset.etag)) return reply.code(304).send();
  const accepted = findAcceptedEncodings(request, ENCODINGS);
  const encoding = ENCODINGS.find((name) => accepted.includes(name) && asset[name] !== undefined);
  reply.type(asset.contentType);
  if (encoding === undefined) return reply.send(asset.identity);
  return reply.header('content-encoding', encoding).send(asset[encoding]);
}
