import { Problem } from '@cloche/contract/problem';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { acceptsMediaType } from './accept.ts';

const JSON_ONLY = ['application/json'];

/** Refuses requests that accept none of the media types that their route sends. */
export function registerContentNegotiation(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    // `routeOptions` and `is404` are read last: Fastify creates `routeOptions` at each access.
    if (!acceptsAnyType(request) && !request.is404)
      negotiateMediaType(request, request.routeOptions.config.produces ?? JSON_ONLY);
    done();
  });
}

/**
 * Picks the first of the offered media types that the client accepts. Which one it prefers does not
 * matter: many clients accept JSON first and everything else too, for every request.
 *
 * Problems are not negotiated: they are sent as problem+json even if the client does not accept it.
 *
 * @throws {Problem} request.not-acceptable
 */
export function negotiateMediaType(request: FastifyRequest, offered: readonly string[]): string {
  const first = offered[0] as string;
  const { accept = '' } = request.headers;
  if (acceptsAnyType(request) || accept === first) return first;
  const mediaType = offered.find((type) => acceptsMediaType(accept, type));
  if (mediaType !== undefined) return mediaType;
  throw new Problem('request.not-acceptable', {
    field: 'header.accept',
    detail: `This route sends ${offered.join(' or ')}. Accept one of them, or send no Accept header.`,
  });
}

function acceptsAnyType({ headers: { accept } }: FastifyRequest): boolean {
  return !accept || accept === '*/*';
}
