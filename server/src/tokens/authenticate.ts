import assert from 'node:assert/strict';
import { Problem } from '@cloche/contract/problem';
import type { Capability } from '@cloche/contract/token';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { ClientAddresses } from '../http/client-address.ts';
import { API_HEADERS } from '../http/page-headers.ts';
import type { PublicHost } from '../http/public-host.ts';
import type { RateLimiter } from '../http/rate-limiter.ts';
import type { SessionCookie } from '../http/session-cookie.ts';
import {
  assertFromOwnPage,
  authorize,
  authorizeOwnPage,
  isFromOwnPage,
  toOwnPageInput,
} from './authorize.ts';
import type { FailedTokens } from './failed-tokens.ts';
import { recordSecretInBrowser } from './record-secret-in-browser.ts';
import { assertSessionActive, type SessionRecord } from './session.ts';
import type { SessionStore } from './session-store.ts';
import { assertActive, type TokenRecord, toTokenKind } from './token.ts';
import type { TokenStore } from './token-store.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The token of the request, or of its session. Undefined on public routes. */
    token: TokenRecord;
    /** The session of the request, if it has one. */
    session: SessionRecord | undefined;
  }
}

type AuthenticationDependencies = {
  tokens: TokenStore;
  sessions: SessionStore;
  cookie: SessionCookie;
  publicHost: PublicHost;
  addresses: ClientAddresses;
  requestLimiter: RateLimiter;
  failedTokens: FailedTokens;
  now: () => Date;
};

/** Requires a token on every route that is not public. A route without `config.auth` cannot be added. */
export function registerAuthentication(
  app: FastifyInstance,
  dependencies: AuthenticationDependencies,
): void {
  app.decorateRequest('token');
  app.decorateRequest('session');
  app.addHook('onRoute', (route) => {
    const { config, method, url, onRequest = [] } = route;
    assert(config?.auth, `The route ${method} ${url} has no config.auth.`);
    if (config.auth === 'public') return;
    const requirements = {
      requiredAnyOf: typeof config.auth === 'string' ? [config.auth] : config.auth,
      ownPageOnly: config.ownPageOnly ?? false,
      allowsSignedOut: config.allowsSignedOut ?? false,
    };
    route.onRequest = [createAuthenticationHook(requirements, dependencies), onRequest].flat();
  });
}

/** What a route requires, from its `config`. */
type RouteRequirements = {
  requiredAnyOf: readonly Capability[];
  ownPageOnly: boolean;
  allowsSignedOut: boolean;
};

function createAuthenticationHook(
  requirements: RouteRequirements,
  dependencies: AuthenticationDependencies,
): onRequestAsyncHookHandler {
  return async (request, reply) => {
    // Responses to authenticated requests are not cached, unless the route sets another Cache-Control.
    reply.headers(API_HEADERS);
    if (requirements.allowsSignedOut && isSignedOut(request, dependencies)) {
      return reply.code(204).send(null);
    }
    try {
      await authenticateRequest(request, requirements, dependencies);
    } catch (error) {
      await dependencies.failedTokens.fail(error, request, reply);
    }
    const { token } = request;
    const { requestLimiter, addresses } = dependencies;
    // Everyone can copy a public token, so nobody can use up the requests of other networks with it.
    const isPublic = toTokenKind(token.capabilities) === 'public';
    const key = isPublic ? `${token.id} ${addresses.find(request.raw)}` : token.id;
    requestLimiter.limitRequest(key, reply);
  };
}

/** Says whether a request comes from a page of this service, in a browser that is not signed in. */
function isSignedOut(
  { headers }: FastifyRequest,
  { cookie, publicHost }: AuthenticationDependencies,
): boolean {
  const hasCredential = headers.authorization || cookie.read(headers.cookie) !== undefined;
  return !hasCredential && isFromOwnPage(toOwnPageInput(headers, publicHost));
}

/** Sets the token of the request, and its session. A token in the header takes precedence over the cookie. */
async function authenticateRequest(
  request: FastifyRequest,
  requirements: RouteRequirements,
  dependencies: AuthenticationDependencies,
): Promise<void> {
  const { authorization, cookie } = request.headers;
  const secret = authorization ? undefined : dependencies.cookie.read(cookie);
  if (secret !== undefined) {
    await authenticateSession(secret, request, requirements.requiredAnyOf, dependencies);
    return;
  }
  const token = await dependencies.tokens.findByTokenString(parseBearerToken(request));
  request.token = authenticate(token, request, requirements, dependencies);
}

/** Sets the session of the request, and the token that it acts on behalf of. */
async function authenticateSession(
  secret: string,
  request: FastifyRequest,
  requiredAnyOf: readonly Capability[],
  { tokens, sessions, publicHost, now }: AuthenticationDependencies,
): Promise<void> {
  const ownPage = toOwnPageInput(request.headers, publicHost);
  // First, so that another page learns nothing about the session.
  assertFromOwnPage(ownPage);
  const time = now();
  const session = await sessions.findBySecret(secret, time);
  const token = session && (await tokens.findById(session.tokenId));
  assertSessionActive(session, token, time);
  assert(token);
  authorizeOwnPage(token, ownPage, requiredAnyOf);
  tokens.usage.recordUse(token.id, time);
  request.token = token;
  request.session = session;
  // On a full disk, requests still work.
  await sessions
    .recordUse(session, time)
    .catch((err) => request.log.warn({ err }, 'storing the use of a session failed'));
}

function authenticate(
  token: TokenRecord | undefined,
  request: FastifyRequest,
  requirements: RouteRequirements,
  { tokens, publicHost, now }: AuthenticationDependencies,
): TokenRecord {
  if (token === undefined) throw new Problem('token.unknown', { detail: UNKNOWN_TOKEN_DETAIL });
  const time = now();
  assertActive(token, time);
  const { origin } = request.headers;
  try {
    authorizeRequest(token, request, requirements, publicHost);
  } catch (error) {
    if (error instanceof Problem && error.code === 'token.secret-in-browser') {
      recordSecretInBrowser(token, { tokens, log: request.log, now: time, origin });
    }
    throw error;
  }
  tokens.usage.recordUse(token.id, time, origin);
  return token;
}

/** A route with `ownPageOnly` accepts secret tokens too, but only from the pages of this service. */
function authorizeRequest(
  token: TokenRecord,
  request: FastifyRequest,
  { requiredAnyOf, ownPageOnly }: RouteRequirements,
  publicHost: PublicHost,
): void {
  const { origin, 'sec-fetch-site': secFetchSite } = request.headers;
  const ownPage = ownPageOnly ? toOwnPageInput(request.headers, publicHost) : undefined;
  if (ownPage === undefined || !isFromOwnPage(ownPage)) {
    authorize(token, {
      requiredAnyOf,
      origin,
      secFetchSite: secFetchSite as string | undefined,
      publicHost,
    });
  }
  if (ownPage !== undefined) authorizeOwnPage(token, ownPage, requiredAnyOf);
}

function parseBearerToken({ headers }: FastifyRequest): string {
  const match = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '');
  if (match?.[1] !== undefined) return match[1];
  throw createMissingTokenError();
}

/** Creates the problem of a request without a token. */
export function createMissingTokenError(): Problem {
  return new Problem('token.missing', {
    field: 'header.authorization',
    detail: 'Send the header "Authorization: Bearer <API_TOKEN>" with a token of this service.',
  });
}

const UNKNOWN_TOKEN_DETAIL =
  'This token is well formed, but this service did not create it. Is it a token of another service?';
