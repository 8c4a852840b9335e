import { ListQuery } from '@cloche/contract/pagination';
import { Problem } from '@cloche/contract/problem';
import { Session, SessionList, SignInRequest } from '@cloche/contract/session';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Database, Transaction } from '../database/database.ts';
import { runTransaction } from '../database/transaction.ts';
import { API_HEADERS } from '../http/page-headers.ts';
import { formatCursor, parsePagination } from '../http/pagination.ts';
import type { PublicHost } from '../http/public-host.ts';
import type { SessionCookie } from '../http/session-cookie.ts';
import { createMissingTokenError } from './authenticate.ts';
import { assertFromOwnPage, mayManageToken, toOwnPageInput } from './authorize.ts';
import { assertSessionActive, createSession, isCurrent, type SessionRecord } from './session.ts';
import type { SessionStore } from './session-store.ts';
import type { TokenRecord } from './token.ts';
import type { TokenStore } from './token-store.ts';

export type SessionRouteDependencies = {
  database: Database;
  sessions: SessionStore;
  tokens: TokenStore;
  cookie: SessionCookie;
  publicHost: PublicHost;
  now: () => Date;
};

const tags = ['tokens'];
const params = Type.Object({
  id: Type.String({ maxLength: 64, description: 'The id of the session, or `current`.' }),
});
const auth = ['read', 'write'] as const;

/** /v1/sessions: sign in, sign out, and the browsers that are signed in. */
export const sessionRoutes: FastifyPluginAsyncTypebox<SessionRouteDependencies> = async (
  app,
  dependencies,
) => {
  const { sessions, tokens, cookie, publicHost, now } = dependencies;

  app.post(
    '/',
    { config: { auth, ownPageOnly: true, idempotencyKey: false }, schema: SIGN_IN_SCHEMA },
    async (request, reply) => {
      if (request.session !== undefined) throw createMissingTokenError();
      return signIn(request, reply, dependencies, request.token);
    },
  );

  app.post(
    '/from-link',
    { config: { auth: 'public', idempotencyKey: false }, schema: LINK_SCHEMA },
    async (request, reply) => {
      reply.headers(API_HEADERS);
      assertFromOwnPage(toOwnPageInput(request.headers, publicHost));
      const { code } = request.body;
      const tokenId = await sessions.findTokenOfLink(code, now());
      const token = tokenId === undefined ? undefined : await tokens.findById(tokenId);
      if (token === undefined) throw createLinkError();
      return signIn(request, reply, dependencies, token, async (trx) => {
        if (!(await sessions.useLink(code, now(), trx))) throw createLinkError();
      });
    },
  );

  app.get('/', { config: { auth: 'read' }, schema: LIST_SCHEMA }, async (request) => {
    const page = parsePagination(request.query);
    const { sessions: found, next } = await sessions.list(request.token.user, page);
    const items = await Promise.all(
      found.map(async (session) => {
        const token = await tokens.findById(session.tokenId);
        if (token === undefined || !isCurrent(session, now())) return [];
        return mayManageToken(request.token, token) ? [toSession(session, token, request)] : [];
      }),
    );
    return { items: items.flat(), nextCursor: next === undefined ? null : formatCursor(next) };
  });

  app.get(
    '/current',
    { config: { auth, allowsSignedOut: true }, schema: CURRENT_SCHEMA },
    async (request) => {
      const { session, token } = await getSession(request, 'current', dependencies);
      return toSession(session, token, request);
    },
  );

  app.get('/:id', { config: { auth }, schema: READ_SCHEMA }, async (request) => {
    const { session, token } = await getSession(request, request.params.id, dependencies);
    return toSession(session, token, request);
  });

  app.delete('/:id', { config: { auth }, schema: REVOKE_SCHEMA }, async (request, reply) => {
    const { session } = await getSession(request, request.params.id, dependencies);
    // A token that can only read ends its own sessions, and no others.
    if (session.tokenId !== request.token.id) assertMayWrite(request.token);
    await sessions.revoke([session.id]);
    if (session.id === request.session?.id) reply.header('set-cookie', cookie.formatRemoval());
    return reply.code(204).send(null);
  });

  app.delete(
    '/',
    { config: { auth: 'write' }, schema: REVOKE_ALL_SCHEMA },
    async (request, reply) => {
      let page = parsePagination({ limit: 200 });
      for (;;) {
        const { sessions: found, next } = await sessions.list(request.token.user, page);
        const managed = await Promise.all(
          found.map(async ({ id, tokenId }) => {
            const token = await tokens.find(tokenId);
            return mayManageToken(request.token, token) ? [id] : [];
          }),
        );
        await sessions.revoke(managed.flat());
        if (next === undefined) break;
        page = { ...page, after: next };
      }
      if (request.session !== undefined) reply.header('set-cookie', cookie.formatRemoval());
      return reply.code(204).send(null);
    },
  );
};

/**
 * Starts a session with a new secret, whatever cookie the browser has sent, and ends the session of that cookie. So a cookie
 * that an attacker has set never becomes valid.
 */
async function signIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { database, sessions, cookie, now }: SessionRouteDependencies,
  token: TokenRecord,
  useLink?: (trx: Transaction) => Promise<void>,
): Promise<Session> {
  const previous = cookie.read(request.headers.cookie);
  const replaced =
    previous === undefined ? undefined : await sessions.findBySecret(previous, now());
  const { session, secret } = createSession(token, request.headers['user-agent'], now());
  assertSessionActive(session, token, now());
  await runTransaction(database, async (trx) => {
    await useLink?.(trx);
    await sessions.add(session, trx);
  });
  sessions.invalidateAll();
  if (replaced !== undefined) await sessions.revoke([replaced.id]);
  const maxAgeMs = session.expiresAt.getTime() - session.createdAt.getTime();
  reply.header('set-cookie', cookie.format(secret, maxAgeMs));
  return { ...toSession(session, token, request), current: true };
}

/** @throws {Problem} session.unknown: also for a session that may not be managed */
async function getSession(
  request: FastifyRequest,
  id: string,
  { sessions, tokens }: SessionRouteDependencies,
): Promise<{ session: SessionRecord; token: TokenRecord }> {
  const session = id === 'current' ? request.session : await sessions.find(id);
  const token = session && (await tokens.findById(session.tokenId));
  const isOwn = session !== undefined && session.tokenId === request.token.id;
  if (session && token && (isOwn || mayManageToken(request.token, token)))
    return { session, token };
  throw new Problem('session.unknown', {
    field: 'path.id',
    detail: 'There is no session with this id. GET /v1/sessions lists the sessions.',
  });
}

function createLinkError(): Problem {
  return new Problem('session.link', {
    field: 'code',
    detail:
      'The link does not exist, was used, or is older than ten minutes. "cloche-server sign-in-link" prints another.',
  });
}

/** @throws {Problem} token.capability */
function assertMayWrite({ capabilities }: TokenRecord): void {
  if (capabilities.includes('write')) return;
  throw new Problem('token.capability', {
    detail:
      'This is a session of another token. To end it, use a token with the capability "write".',
  });
}

function toSession(
  { id, tokenId, userAgent, createdAt, lastUsedAt, expiresAt }: SessionRecord,
  token: TokenRecord,
  request: FastifyRequest,
): Session {
  const { user, operator, capabilities, origins, designs } = token;
  return {
    id,
    tokenId,
    user,
    operator,
    capabilities: [...capabilities],
    origins: [...origins],
    designs: designs === undefined ? null : [...designs],
    tokenExpiresAt: token.expiresAt?.toISOString() ?? null,
    userAgent,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    current: request.session?.id === id,
  };
}

const SIGN_IN_SCHEMA = {
  tags,
  summary: 'Sign in with a token',
  description:
    'For the pages of this service only. The response sets a cookie that scripts cannot read, and with which these pages act on behalf of the token. It works for seven days at most, and ends after twelve hours without a request. The session also ends with its token.',
  // A request without a body is validated as null.
  body: Type.Union([Type.Object({}, { additionalProperties: false }), Type.Null()], {
    examples: [{}],
  }),
  response: { 200: Session },
};
const LINK_SCHEMA = {
  tags,
  summary: 'Sign in with a one-time link',
  description:
    'For the pages of this service only. The command `cloche-server sign-in-link` prints such a link. It works once, for ten minutes.',
  body: SignInRequest,
  response: { 200: Session },
};
const LIST_SCHEMA = {
  tags,
  summary: 'List sessions',
  description:
    'The browsers that are signed in with tokens of your user, newest first. A token that is limited to origins or designs lists only the sessions of tokens within these limits. A page may have fewer items than `limit`.',
  querystring: ListQuery,
  response: { 200: SessionList },
};
const CURRENT_SCHEMA = {
  tags,
  summary: 'Read the session of the browser',
  description:
    'For the pages of this service: they get 204 if the browser is not signed in, which is no error.',
  response: { 200: Session, 204: Type.Null({ description: 'The browser is not signed in.' }) },
};
const READ_SCHEMA = { tags, summary: 'Read a session', params, response: { 200: Session } };
const REVOKE_SCHEMA = {
  tags,
  summary: 'Sign out, or end another session',
  params,
  response: { 204: Type.Null() },
};
const REVOKE_ALL_SCHEMA = {
  tags,
  summary: 'End all sessions',
  description: 'Ends all sessions that `GET /v1/sessions` lists, also that of this request.',
  response: { 204: Type.Null() },
};
