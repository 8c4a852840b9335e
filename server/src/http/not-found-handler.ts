import { Problem } from '@cloche/contract/problem';
import type { FastifyInstance } from 'fastify';
import { isRoutePath, toPathPattern } from './route-path.ts';

/** Responds to unknown URLs with 404, and to unsupported methods with 405. Call it before adding routes. */
export function registerNotFoundHandler(app: FastifyInstance): void {
  const routes: { pattern: RegExp; methods: string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    routes.push({ pattern: toPathPattern(url), methods: [method].flat() });
  });

  app.setNotFoundHandler((request, reply) => {
    const matching = routes.filter(({ pattern }) => isRoutePath([pattern], request.url));
    const methods = [...new Set(matching.flatMap((route) => route.methods))].join(', ');
    if (methods === '') throw new Problem('route.unknown', { detail: UNKNOWN_ROUTE_DETAIL });
    reply.header('allow', methods);
    throw new Problem('route.method', { detail: `The methods of this URL are ${methods}.` });
  });
}

const UNKNOWN_ROUTE_DETAIL =
  'There is no route at this URL. /openapi.json lists every route, /docs/api describes them.';
