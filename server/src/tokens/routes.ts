import { ListQuery } from '@cloche/contract/list';
import { Problem } from '@cloche/contract/problem';
import { IssuedToken, TokenChange, TokenPage, TokenView, TokenWish } from '@cloche/contract/token';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { Database } from '../database/database.ts';
import { type Answer, type Answers, readRetry } from '../http/idempotency.ts';
import { nextCursor, readPage } from '../http/list.ts';
import { mint, type Token } from './token.ts';
import type { Tokens } from './tokens.ts';
import { readChange, readWish } from './wish.ts';

type Given = { tokens: Tokens; answers: Answers; database: Database; now: () => Date };

const ById = Type.Object({
  id: Type.String({ maxLength: 64, description: 'The id of the token, not its string.' }),
});
const tags = ['tokens'];

/** /v1/tokens: issue, list, read, change, revoke. A token issues no more than it holds itself. */
export const tokenRoutes: FastifyPluginAsyncTypebox<Given> = async (app, given) => {
  const { tokens, answers, database, now } = given;

  app.post(
    '/',
    {
      config: { needs: 'write', retryKey: true },
      schema: {
        tags,
        summary: 'Issue a token',
        description:
          'Step 3 of 4: a token that can only embed, and only on the listed origins. The answer shows the token string, this once.',
        body: TokenWish,
        response: { 201: IssuedToken },
      },
    },
    async (request, reply) => {
      const retry = readRetry(request, `token ${JSON.stringify(request.body)}`);
      const answer = await answers.once(retry, now(), async (keep) => {
        const plan = readWish(request.body, request.caller, now());
        const { token, secret } = mint(plan, now());
        const given = {
          status: 201,
          location: `/v1/tokens/${token.id}`,
          body: issue(token, secret),
        };
        await database.transaction().execute(async (step) => {
          await tokens.add(token, step);
          await keep(step, given);
        });
        return given;
      });
      return give(reply, answer);
    },
  );

  app.get(
    '/',
    {
      config: { needs: 'read' },
      schema: {
        tags,
        summary: 'List tokens',
        description:
          'All but revoked ones, the newest first; expired ones can be given a later `expiresAt`.',
        querystring: ListQuery,
        response: { 200: TokenPage },
      },
    },
    async (request) => {
      const page = readPage(request.query);
      const items = await tokens.list(request.caller.user, page);
      return { items: items.map(view), nextCursor: nextCursor(items, page) };
    },
  );

  app.get(
    '/:id',
    {
      config: { needs: 'read' },
      schema: { tags, summary: 'Read a token', params: ById, response: { 200: TokenView } },
    },
    async (request) => view(await get(tokens, request.caller, request.params.id)),
  );

  app.patch(
    '/:id',
    {
      config: { needs: 'write' },
      schema: {
        tags,
        summary: 'Change a token',
        description:
          'Its name, origins, designs or expiry. Its string and capabilities never change.',
        params: ById,
        body: TokenChange,
        response: { 200: TokenView },
      },
    },
    async (request) => {
      const token = await get(tokens, request.caller, request.params.id);
      const changed = readChange(request.body, token, request.caller, now());
      await tokens.change(changed);
      return view(changed);
    },
  );

  app.delete(
    '/:id',
    {
      config: { needs: 'write' },
      schema: {
        tags,
        summary: 'Revoke a token',
        description: 'Every embed with it stops at its next request. Revoking twice is fine.',
        params: ById,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const token = await find(tokens, request.caller, request.params.id);
      await tokens.revoke(token.id, now());
      return reply.code(204).send(null);
    },
  );
};

async function find(tokens: Tokens, caller: Token, id: string): Promise<Token> {
  const token = await tokens.find(caller.user, id);
  if (token === undefined) throw new Problem('token.not-found', { field: 'path.id' });
  return token;
}

/** A token of the caller's that is not revoked. @throws {Problem} token.not-found */
async function get(tokens: Tokens, caller: Token, id: string): Promise<Token> {
  const token = await find(tokens, caller, id);
  if (token.revokedAt === undefined) return token;
  throw new Problem('token.not-found', {
    field: 'path.id',
    detail: `That token was revoked at ${token.revokedAt.toISOString()}.`,
  });
}

function give(reply: FastifyReply, { status, location, body }: Answer) {
  if (location !== undefined) reply.header('location', location);
  return reply.code(status as 201).send(body as IssuedToken);
}

function issue(token: Token, secret: string): IssuedToken {
  return { ...facts(token), token: secret };
}

function view(token: Token): TokenView {
  return {
    ...facts(token),
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    seenInBrowserAt: token.seenInBrowserAt?.toISOString() ?? null,
  };
}

function facts(token: Token) {
  return {
    id: token.id,
    capabilities: [...token.capabilities],
    origins: [...token.origins],
    type: 'api' as const,
    user: token.user,
    name: token.name,
    designs: token.designs === undefined ? null : [...token.designs],
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt?.toISOString() ?? null,
  };
}
