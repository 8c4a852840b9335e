import assert from 'node:assert/strict';
import { Problem } from '@cloche/contract/problem';
import type { Capability } from '@cloche/contract/token';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { PublicHost } from '../http/public-host.ts';
import { authorize } from './authorize.ts';
import { assertActive, type TokenRecord } from './token.ts';
import type { TokenStore } from './token-store.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What a caller must hold, one of a list; 'public' opens the route to all. Every route says.
     */
    auth?: Capability | readonly Capability[] | 'public';
  }
  interface FastifyRequest {
    /** The token of the caller, on routes that need one. */
    token: TokenRecord;
  }
}

type AuthenticationDependencies = { tokens: TokenStore; publicHost: PublicHost; now: () => Date };

/** Puts a lock on every route. A route that does not say what it needs stops the start-up. */
export function registerAuthentication(
  app: FastifyInstance,
  keys: AuthenticationDependencies,
): void {
  app.decorateRequest('token');
  app.addHook('onRoute', (route) => {
    const { config, method, url, onRequest = [] } = route;
    assert(config?.auth, `${method} ${url} does not say what it needs`);
    if (config.auth === 'public') return;
    const needs = typeof config.auth === 'string' ? [config.auth] : config.auth;
    route.onRequest = [createAuthHook(needs, keys), onRequest].flat();
  });
}

function createAuthHook(
  needs: readonly Capability[],
  keys: AuthenticationDependencies,
): onRequestHookHandler {
  return (request, reply, done) => {
    // What only a caller may see is kept by no cache; a route may say otherwise.
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
    const found = keys.tokens.findByTokenString(parseBearerToken(request));
    // A token in memory is checked without waiting.
    if (found instanceof Promise)
      found.then((token) => authenticate(token, request, needs, keys)).then(() => done(), done);
    else {
      authenticate(found, request, needs, keys);
      done();
    }
  };
}

function authenticate(
  token: TokenRecord | undefined,
  request: FastifyRequest,
  requiredAnyOf: readonly Capability[],
  { tokens, publicHost, now }: AuthenticationDependencies,
): void {
  if (token === undefined) throw new Problem('token.unknown', { detail: UNKNOWN_TOKEN_DETAIL });
  const time = now();
  assertActive(token, time);
  const { origin, 'sec-fetch-site': secFetchSite } = request.headers;
  try {
    authorize(token, {
      requiredAnyOf,
      origin,
      secFetchSite: secFetchSite as string | undefined,
      ownOrigin: publicHost.origin,
    });
  } catch (error) {
    if (error instanceof Problem && error.code === 'token.secret-in-browser') {
      tokens.recordBrowserUse(token.id, time);
      request.log.warn(
        { reqId: request.id, token: token.id, origin },
        'a secret token was used in a browser',
      );
    }
    throw error;
  }
  tokens.recordUse(token.id, time);
  request.token = token;
}

function parseBearerToken({ headers }: FastifyRequest): string {
  const { authorization } = headers;
  if (authorization === undefined)
    throw new Problem('token.missing', {
      field: 'header.authorization',
      detail: MISSING_TOKEN_DETAIL,
    });
  const match = /^Bearer +(\S+)$/i.exec(authorization);
  if (match?.[1] === undefined)
    throw new Problem('token.missing', {
      field: 'header.authorization',
      detail: MISSING_TOKEN_DETAIL,
    });
  return match[1];
}

const MISSING_TOKEN_DETAIL =
  'Send the header "Authorization: Bearer <API_TOKEN>" with a token of this service.';

const UNKNOWN_TOKEN_DETAIL =
  'This token is well formed, but this service never issued it. Is it from another one?';
