import { Problem } from '@cloche/contract/problem';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

const JSON_ONLY = ['application/json'];

/** Makes the app say 406, 405 and 404 in its own words. Call before routes are added. */
export function registerContentNegotiation(app: FastifyInstance): void {
  const known: { form: RegExp; method: string }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const form = new RegExp(`^${url.replace(/:[^/]+/g, '[^/]+').replace('*', '.*')}/?$`);
    for (const one of [method].flat()) known.push({ form, method: one });
  });

  app.addHook('onRequest', (request, _reply, done) => {
    // The route is looked at last, for Fastify describes it anew each time it is asked.
    if (!acceptsAny(request) && !request.is404)
      negotiateMediaType(request, request.routeOptions.config.produces ?? JSON_ONLY);
    done();
  });

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    const methods = [
      ...new Set(known.filter(({ form }) => form.test(path)).map((one) => one.method)),
    ];
    if (methods.length === 0) throw new Problem('route.unknown', { detail: UNKNOWN_ROUTE_DETAIL });
    reply.header('allow', methods.join(', '));
    throw new Problem('route.method', { detail: `This address answers ${methods.join(', ')}.` });
  });
}

const UNKNOWN_ROUTE_DETAIL =
  'There is nothing at this address. /openapi.json lists every route, /docs shows them.';

/**
 * Picks the media type the client likes best of those on offer.
 * @throws {Problem} request.not-acceptable
 */
export function negotiateMediaType(request: FastifyRequest, offered: readonly string[]): string {
  const first = offered[0] as string;
  if (acceptsAny(request) || request.headers.accept === first) return first;
  const chosen = new Negotiator(request.raw).mediaType([...offered]);
  if (chosen !== undefined) return chosen;
  // An error is better told in a type nobody asked for than not at all, so only the answer is refused.
  throw new Problem('request.not-acceptable', {
    field: 'header.accept',
    detail: `This route answers ${offered.join(' or ')}. Ask for one of them, or leave the header Accept out.`,
  });
}

function acceptsAny({ headers: { accept } }: FastifyRequest): boolean {
  return !accept || accept === '*/*';
}
