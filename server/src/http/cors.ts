import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRoutePath, toPathPattern } from './route-path.ts';

/** Response headers that scripts of other origins may read, in addition to those that CORS always allows. */
export const EXPOSED_HEADERS = [
  'accept-ranges',
  'allow',
  'cloche-design',
  'content-disposition',
  'content-range',
  'date',
  'etag',
  'location',
  'preference-applied',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'tus-extension',
  'tus-max-size',
  'tus-resumable',
  'tus-version',
  'upload-defer-length',
  'upload-expires',
  'upload-length',
  'upload-metadata',
  'upload-offset',
  'www-authenticate',
  'x-request-id',
];

const EXPOSED_HEADER_LIST = EXPOSED_HEADERS.join(', ');

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  // Chromium keeps the answer for two hours at most.
  'access-control-max-age': '7200',
  vary: 'origin, access-control-request-headers',
  'x-content-type-options': 'nosniff',
};

/**
 * An origin as a browser sends it: of a web page, of an app (`capacitor://localhost`), or `null`. A token can
 * list origins of web pages only; scripts of the others can read why they are refused.
 */
const ORIGIN =
  /^(?:null|[a-z][a-z\d+.-]{0,30}:\/\/(?:[a-z\d._-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?)$/;

/** Names of headers, as a preflight request lists them. */
const HEADER_NAMES = /^[a-z\d_-]+(?:, ?[a-z\d_-]+)*$/i;

/**
 * Adds the CORS headers to every response of routes that need a token, and of URLs without a route; and
 * responds to preflight requests, which have no token.
 *
 * The header names the page that sent the request, listed or not, so that a script can read every problem.
 * This reveals no data: tokens/authorize.ts refuses a token on pages that its origins do not include, and
 * browsers send no cookies, because the responses do not have `Access-Control-Allow-Credentials`. Before
 * that check, a problem depends only on the request and the token string in it, which the script knows.
 *
 * Responses of public routes have no CORS headers: only our own pages read the framed document's files.
 */
export function registerCors(app: FastifyInstance): void {
  const publicPaths: RegExp[] = [];
  const tokenPaths: RegExp[] = [];
  app.addHook('onRoute', ({ url, config }) => {
    const paths = config?.auth === 'public' ? publicPaths : tokenPaths;
    paths.push(toPathPattern(url));
  });
  // A path can have both: the poster is public, and rendering it again needs a token.
  const isPublic = (request: FastifyRequest) =>
    request.is404
      ? isRoutePath(publicPaths, request.url) && !isRoutePath(tokenPaths, request.url)
      : request.routeOptions.config.auth === 'public';

  app.addHook('onRequest', (request, reply, done) => {
    if (request.headers.origin === undefined || isPublic(request)) return done();
    if (allowOrigin(request, reply) && isPreflight(request)) sendPreflightResponse(request, reply);
    else done();
  });
}

/** Allows the page that sent the request to read the response. Returns false if the Origin is malformed. */
export function allowOrigin({ headers: { origin } }: FastifyRequest, reply: FastifyReply): boolean {
  if (origin === undefined || !ORIGIN.test(origin)) return false;
  reply.header('access-control-allow-origin', origin);
  reply.header('access-control-expose-headers', EXPOSED_HEADER_LIST);
  reply.header('vary', 'origin');
  return true;
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

function sendPreflightResponse({ headers }: FastifyRequest, reply: FastifyReply): void {
  const names = headers['access-control-request-headers'];
  // No header of a request has more effect on this service when a browser sends it.
  if (names !== undefined && HEADER_NAMES.test(names))
    reply.header('access-control-allow-headers', names);
  reply.removeHeader('access-control-expose-headers');
  reply.code(204).headers(PREFLIGHT_HEADERS).send();
}
