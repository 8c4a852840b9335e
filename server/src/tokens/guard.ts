import assert from 'node:assert/strict';
import { Problem } from '@cloche/contract/problem';
import type { Capability } from '@cloche/contract/token';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { PublicHost } from '../http/hosts.ts';
import { authorize } from './caller.ts';
import { checkAlive, type Token } from './token.ts';
import type { Tokens } from './tokens.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What a caller must hold, one of a list; 'nothing' opens the route to all. Every route says.
     */
    needs?: Capability | readonly Capability[] | 'nothing';
  }
  interface FastifyRequest {
    /** The token of the caller, on routes that need one. */
    caller: Token;
  }
}

type Keys = { tokens: Tokens; publicHost: PublicHost; now: () => Date };

/** Puts a lock on every route. A route that does not say what it needs stops the start-up. */
export function guard(app: FastifyInstance, keys: Keys): void {
  app.decorateRequest('caller');
  app.addHook('onRoute', (route) => {
    const { config, method, url, onRequest = [] } = route;
    assert(config?.needs, `${method} ${url} does not say what it needs`);
    if (config.needs === 'nothing') return;
    const needs = typeof config.needs === 'string' ? [config.needs] : config.needs;
    route.onRequest = [lock(needs, keys), onRequest].flat();
  });
}

function lock(needs: readonly Capability[], keys: Keys): onRequestHookHandler {
  return (request, reply, done) => {
    // What only a caller may see is kept by no cache; a route may say otherwise.
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
    const found = keys.tokens.findBySecret(bearer(request));
    // A token in memory is checked without waiting.
    if (found instanceof Promise)
      found.then((token) => admit(token, request, needs, keys)).then(() => done(), done);
    else {
      admit(found, request, needs, keys);
      done();
    }
  };
}

function admit(
  token: Token | undefined,
  request: FastifyRequest,
  needs: readonly Capability[],
  { tokens, publicHost, now }: Keys,
): void {
  if (token === undefined) throw new Problem('token.unknown', { detail: UNKNOWN });
  const time = now();
  checkAlive(token, time);
  const { origin, 'sec-fetch-site': secFetchSite } = request.headers;
  try {
    authorize(token, {
      needs,
      origin,
      secFetchSite: secFetchSite as string | undefined,
      ownOrigin: publicHost.origin,
    });
  } catch (error) {
    if (error instanceof Problem && error.code === 'token.secret-in-browser') {
      tokens.noteBrowser(token.id, time);
      request.log.warn(
        { reqId: request.id, token: token.id, origin },
        'a secret token was used in a browser',
      );
    }
    throw error;
  }
  tokens.noteUse(token.id, time);
  request.caller = token;
}

function bearer({ headers }: FastifyRequest): string {
  const { authorization } = headers;
  if (authorization === undefined)
    throw new Problem('token.missing', { field: 'header.authorization', detail: MISSING });
  const match = /^Bearer +(\S+)$/i.exec(authorization);
  if (match?.[1] === undefined)
    throw new Problem('token.missing', { field: 'header.authorization', detail: MISSING });
  return match[1];
}

const MISSING = 'Send the header "Authorization: Bearer <API_TOKEN>" with a token of this service.';

const UNKNOWN =
  'This token is well formed, but this service never issued it. Is it from another one?';
