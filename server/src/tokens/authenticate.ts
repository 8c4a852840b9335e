import assert from 'node:assert/strict';
import { Problem } from '@cloche/contract/problem';
import type { Capability } from '@cloche/contract/token';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { ClientAddresses } from '../http/client-address.ts';
import { API_HEADERS } from '../http/page-headers.ts';
import type { PublicHost } from '../http/public-host.ts';
import type { RateLimiter } from '../http/rate-limiter.ts';
import type { Signer } from '../http/signer.ts';
import { authorize, authorizeOwnPage, isFromOwnPage, type OwnPageInput } from './authorize.ts';
import type { FailedTokens } from './failed-tokens.ts';
import { recordSecretInBrowser } from './record-secret-in-browser.ts';
import { isSessionToken, type SessionRecord, verifySession } from './session.ts';
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
  /** The signer for SESSION_PURPOSE. */
  sessionSigner: Signer;
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
    };
    route.onRequest = [createAuthenticationHook(requirements, dependencies), onRequest].flat();
  });
}

/** What a route requires, from its `config`. */
type RouteRequirements = { requiredAnyOf: readonly Capability[]; ownPageOnly: boolean };

function createAuthenticationHook(
  requirements: RouteRequirements,
  dependencies: AuthenticationDependencies,
): onRequestAsyncHookHandler {
  return async (request, reply) => {
    // Responses to authenticated requests are not cached, unless the route sets another Cache-Control.
    reply.headers(API_HEADERS);
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

/** Sets the token of the request, and its session. */
async function authenticateRequest(
  request: FastifyRequest,
  requirements: RouteRequirements,
  dependencies: AuthenticationDependencies,
): Promise<void> {
  const tokenString = parseBearerToken(request);
  if (isSessionToken(tokenString)) {
    await authenticateSession(tokenString, request, requirements.requiredAnyOf, dependencies);
    return;
  }
  const token = await dependencies.tokens.findByTokenString(tokenString);
  request.token = authenticate(token, request, requirements, dependencies);
}

/** Sets the session of the request, and the token that it acts on behalf of. */
async function authenticateSession(
  sessionToken: string,
  request: FastifyRequest,
  requiredAnyOf: readonly Capability[],
  { tokens, sessionSigner, publicHost, now }: AuthenticationDependencies,
): Promise<void> {
  const time = now();
  const session = verifySession(sessionSigner, sessionToken, time);
  const token = await tokens.findById(session.tokenId);
  if (token === undefined) throw new Problem('token.unknown', { detail: UNKNOWN_TOKEN_DETAIL });
  assertActive(token, time);
  authorizeOwnPage(token, toOwnPageInput(request, publicHost), requiredAnyOf);
  tokens.usage.recordUse(token.id, time);
  request.token = token;
  request.session = session;
}

function toOwnPageInput({ headers }: FastifyRequest, publicHost: PublicHost): OwnPageInput {
  return {
    origin: headers.origin,
    secFetchSite: headers['sec-fetch-site'] as string | undefined,
    referer: headers.referer,
    ownOrigin: publicHost.origin,
  };
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
  const ownPage = ownPageOnly ? toOwnPageInput(request, publicHost) : undefined;
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
  throw new Problem('token.missing', {
    field: 'header.authorization',
    detail: 'Send the header "Authorization: Bearer <API_TOKEN>" with a token of this service.',
  });
}

const UNKNOWN_TOKEN_DETAIL =
  'This token is well formed, but this service did not create it. Is it a token of another service?';
