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
import Type from 'typebox';
import type { Database } from '../database/database.ts';
import { parsePagination, toNextCursor } from '../http/pagination.ts';
import { sendStoredResponse } from '../http/request-idempotency.ts';
import { assertMayChangeToken, assertMayReadToken } from './authorize.ts';
import { createToken, type TokenRecord } from './token.ts';
import { applyTokenUpdate, parseCreateTokenRequest } from './token-request.ts';
import type { TokenStore } from './token-store.ts';

type TokenRouteDependencies = {
  tokens: TokenStore;
  database: Database;
  now: () => Date;
};

const TokenParams = Type.Object({
  id: Type.String({ maxLength: 64, description: 'The id of the token, not the token string.' }),
});
const tags = ['tokens'];
const createTokenSchema = {
  tags,
  summary: 'Create a token',
  description:
    'Step 3 of 4: create a token that can only embed, and only on the listed origins. The response contains the token string, which is not shown again. A token can only create tokens within its own scope.',
  body: CreateTokenRequest,
  response: { 201: CreatedToken },
};

const listTokensSchema = {
  tags,
  summary: 'List tokens',
  description:
    'Newest first, without revoked tokens. Expired tokens are included: a later `expiresAt` makes them work again.',
  querystring: ListQuery,
  response: { 200: TokenList },
};
const changeTokenSchema = {
  tags,
  summary: 'Change a token',
  description:
    'Changes the name, origins, designs or expiry. The token string and the capabilities never change.',
  params: TokenParams,
  body: UpdateTokenRequest,
  response: { 200: Token },
};
const revokeTokenSchema = {
  tags,
  summary: 'Revoke a token',
  description:
    'Embeds with this token stop working at their next request. Revoking a revoked token has no effect.',
  params: TokenParams,
  response: { 204: Type.Null() },
};

/** /v1/tokens: create, list, read, change and revoke tokens. */
export const tokenRoutes: FastifyPluginAsyncTypebox<TokenRouteDependencies> = async (
  app,
  { tokens, database, now },
) => {
  app.post(
    '/',
    {
      config: { auth: 'write', idempotencyKey: true },
      schema: createTokenSchema,
    },
    async (request, reply) => {
      const response = await request.idempotency.runOnce(async (save) => {
        const newToken = parseCreateTokenRequest(request.body, request.token, now());
        const { token, tokenString } = createToken(newToken, now());
        const response = {
          status: 201,
          location: `/v1/tokens/${token.id}`,
          body: toCreatedToken(token, tokenString),
        };
        await database.transaction().execute(async (trx) => {
          await tokens.add(token, trx);
          await save(trx, response);
        });
        return response;
      });
      return sendStoredResponse(reply, response, response.body as CreatedToken);
    },
  );

  app.get(
    '/',
    {
      config: { auth: 'read' },
      schema: listTokensSchema,
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
    async (request) => {
      const token = await tokens.findWithUsage(request.params.id);
      assertMayReadToken(request.token, token);
      assertNotRevoked(token);
      return toToken(token);
    },
  );

  app.patch(
    '/:id',
    {
      config: { auth: 'write' },
      schema: changeTokenSchema,
    },
    async (request) => {
      const token = await tokens.findWithUsage(request.params.id);
      assertMayChangeToken(request.token, token);
      assertNotRevoked(token);
      const updated = applyTokenUpdate(request.body, token, request.token, now());
      await tokens.update(updated);
      return toToken(updated);
    },
  );

  app.delete(
    '/:id',
    {
      config: { auth: 'write' },
      schema: revokeTokenSchema,
    },
    async (request, reply) => {
      const token = await tokens.findWithUsage(request.params.id);
      assertMayChangeToken(request.token, token);
      await tokens.revoke(token.id, now());
      return reply.code(204).send(null);
    },
  );
};

/** @throws {Problem} token.not-found */
function assertNotRevoked({ revokedAt }: TokenRecord): void {
  if (revokedAt === undefined) return;
  throw new Problem('token.not-found', {
    field: 'path.id',
    detail: `This token was revoked at ${revokedAt.toISOString()}.`,
  });
}

function toCreatedToken(token: TokenRecord, tokenString: string): CreatedToken {
  return { ...toTokenFields(token), token: tokenString };
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
