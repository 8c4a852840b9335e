import { ListQuery } from '@cloche/contract/pagination';
import { Problem } from '@cloche/contract/problem';
import {
  CreatedToken,
  CreateTokenRequest,
  Token,
  TokenList,
  UpdateTokenRequest,
} from '@cloche/contract/token';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { Database } from '../database/database.ts';
import {
  type IdempotencyStore,
  parseIdempotencyKey,
  type StoredResponse,
} from '../http/idempotency-store.ts';
import { parsePagination, toNextCursor } from '../http/pagination.ts';
import { createToken, type TokenRecord } from './token.ts';
import { applyTokenUpdate, parseCreateTokenRequest } from './token-request.ts';
import type { TokenStore } from './token-store.ts';

type TokenRoutesOptions = {
  tokens: TokenStore;
  idempotency: IdempotencyStore;
  database: Database;
  now: () => Date;
};

const TokenParams = Type.Object({
  id: Type.String({ maxLength: 64, description: 'The id of the token, not its string.' }),
});
const tags = ['tokens'];

/** /v1/tokens: issue, list, read, change, revoke. A token issues no more than it holds itself. */
export const tokenRoutes: FastifyPluginAsyncTypebox<TokenRoutesOptions> = async (app, given) => {
  const { tokens, idempotency, database, now } = given;

  app.post(
    '/',
    {
      config: { auth: 'write', idempotencyKey: true },
      schema: {
        tags,
        summary: 'Issue a token',
        description:
          'Step 3 of 4: a token that can only embed, and only on the listed origins. The answer shows the token string, this once.',
        body: CreateTokenRequest,
        response: { 201: CreatedToken },
      },
    },
    async (request, reply) => {
      const retry = parseIdempotencyKey(request, `token ${JSON.stringify(request.body)}`);
      const answer = await idempotency.runOnce(retry, now(), async (keep) => {
        const plan = parseCreateTokenRequest(request.body, request.token, now());
        const { token, secret } = createToken(plan, now());
        const given = {
          status: 201,
          location: `/v1/tokens/${token.id}`,
          body: toCreatedToken(token, secret),
        };
        await database.transaction().execute(async (step) => {
          await tokens.add(token, step);
          await keep(step, given);
        });
        return given;
      });
      return sendStored(reply, answer);
    },
  );

  app.get(
    '/',
    {
      config: { auth: 'read' },
      schema: {
        tags,
        summary: 'List tokens',
        description:
          'All but revoked ones, the newest first; expired ones can be given a later `expiresAt`.',
        querystring: ListQuery,
        response: { 200: TokenList },
      },
    },
    async (request) => {
      const page = parsePagination(request.query);
      const items = await tokens.list(request.token.user, page);
      return { items: items.map(toToken), nextCursor: toNextCursor(items, page) };
    },
  );

  app.get(
    '/:id',
    {
      config: { auth: 'read' },
      schema: { tags, summary: 'Read a token', params: TokenParams, response: { 200: Token } },
    },
    async (request) => toToken(await getActiveToken(tokens, request.token, request.params.id)),
  );

  app.patch(
    '/:id',
    {
      config: { auth: 'write' },
      schema: {
        tags,
        summary: 'Change a token',
        description:
          'Its name, origins, designs or expiry. Its string and capabilities never change.',
        params: TokenParams,
        body: UpdateTokenRequest,
        response: { 200: Token },
      },
    },
    async (request) => {
      const token = await getActiveToken(tokens, request.token, request.params.id);
      const changed = applyTokenUpdate(request.body, token, request.token, now());
      await tokens.update(changed);
      return toToken(changed);
    },
  );

  app.delete(
    '/:id',
    {
      config: { auth: 'write' },
      schema: {
        tags,
        summary: 'Revoke a token',
        description: 'Every embed with it stops at its next request. Revoking twice is fine.',
        params: TokenParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const token = await getOwnToken(tokens, request.token, request.params.id);
      await tokens.revoke(token.id, now());
      return reply.code(204).send(null);
    },
  );
};

async function getOwnToken(
  tokens: TokenStore,
  caller: TokenRecord,
  id: string,
): Promise<TokenRecord> {
  const token = await tokens.find(caller.user, id);
  if (token === undefined) throw new Problem('token.not-found', { field: 'path.id' });
  return token;
}

/** A token of the caller's that is not revoked. @throws {Problem} token.not-found */
async function getActiveToken(
  tokens: TokenStore,
  caller: TokenRecord,
  id: string,
): Promise<TokenRecord> {
  const token = await getOwnToken(tokens, caller, id);
  if (token.revokedAt === undefined) return token;
  throw new Problem('token.not-found', {
    field: 'path.id',
    detail: `That token was revoked at ${token.revokedAt.toISOString()}.`,
  });
}

function sendStored(reply: FastifyReply, { status, location, body }: StoredResponse) {
  if (location !== undefined) reply.header('location', location);
  return reply.code(status as 201).send(body as CreatedToken);
}

function toCreatedToken(token: TokenRecord, secret: string): CreatedToken {
  return { ...toTokenFields(token), token: secret };
}

function toToken(token: TokenRecord): Token {
  return {
    ...toTokenFields(token),
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    seenInBrowserAt: token.seenInBrowserAt?.toISOString() ?? null,
  };
}

function toTokenFields(token: TokenRecord) {
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
