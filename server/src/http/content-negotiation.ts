import { Problem } from '@cloche/contract/problem';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

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
 * Picks the offered media type that the client prefers.
 *
 * Problems are not negotiated: they are sent as problem+json even if the client does not accept it.
 *
 * @throws {Problem} request.not-acceptable
 */
export function negotiateMediaType(request: FastifyRequest, offered: readonly string[]): string {
  const first = offered[0] as string;
  if (acceptsAnyType(request) || request.headers.accept === first) return first;
  const mediaType = new Negotiator(request.raw).mediaType([...offered]);
  if (mediaType !== undefined) return mediaType;
  throw new Problem('request.not-acceptable', {
    field: 'header.accept',
    detail: `This route sends ${offered.join(' or ')}. Accept one of them, or send no Accept header.`,
  });
}

function acceptsAnyType({ headers: { accept } }: FastifyRequest): boolean {
  return !accept || accept === '*/*';
}
