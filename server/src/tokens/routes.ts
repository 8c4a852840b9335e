import {
  CreatedToken,
  CreateTokenRequest,
  ListTokensQuery,
  Token,
  TokenList,
  UpdateTokenRequest,
} from '@cloche/contract/token';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { runTransaction } from '../database/transaction.ts';
import { parseIfMatch, toEtag } from '../http/if-match.ts';
import { formatCursor, parsePagination } from '../http/pagination.ts';
import { sendStoredResponse } from '../http/request-idempotency.ts';
import type { UserStore } from '../users/user-store.ts';
import { assertMayManageToken, mayManageToken } from './authorize.ts';
import { toCreatedToken, toToken, toUnreadableItem } from './serialize.ts';
import { assertNotRevoked, createToken, isReadable, isUnreadable } from './token.ts';
import { TokenIdParams } from './token-id-params.ts';
import { parseCreateTokenRequest } from './token-request.ts';
import { assertReadable } from './token-store.ts';
import { type TokenDependencies, updateToken } from './update-token.ts';

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
    'Newest first, without revoked tokens. Expired tokens are included: a later `expiresAt` makes them work again. A token that is limited to origins or designs lists only tokens within these limits; a page may then have fewer items than `limit`.',
  querystring: ListTokensQuery,
  response: { 200: TokenList },
};
const readTokenSchema = {
  tags,
  summary: 'Read a token',
  params: TokenIdParams,
  response: { 200: Token },
};
const updateTokenSchema = {
  tags,
  summary: 'Change a token',
  description:
    'Changes the name, origins, designs or expiry. The token string and the capabilities never change. When origins are removed, embeds that were opened before must be reloaded.',
  params: TokenIdParams,
  body: UpdateTokenRequest,
  response: { 200: Token },
};

type TokenRouteDependencies = TokenDependencies & { users: UserStore };

/** /v1/tokens: create, list, read and change tokens. */
export const tokenRoutes: FastifyPluginAsyncTypebox<TokenRouteDependencies> = async (
  app,
  dependencies,
) => {
  const { tokens, users, database, now } = dependencies;

  app.post(
    '/',
    { config: { auth: 'write', idempotencyKey: true }, schema: createTokenSchema },
    async (request, reply) => {
      const response = await request.idempotency.runOnce(async (save) => {
        const target = await users.find(request.body.user ?? '~');
        const newToken = parseCreateTokenRequest(request.body, request.token, now(), target);
        const { token, tokenString } = createToken(newToken, now());
        const response = {
          status: 201,
          location: `/v1/tokens/${token.id}`,
          etag: toEtag(token.version),
          body: toCreatedToken(token, tokenString),
        };
        await runTransaction(database, async (trx) => {
          await tokens.add(token, trx);
          await save(trx, response);
        });
        return response;
      });
      return sendStoredResponse(reply, response, response.body as CreatedToken);
    },
  );

  app.get('/', { config: { auth: 'read' }, schema: listTokensSchema }, async (request) => {
    const { token: caller, query } = request;
    const filter = {
      user: caller.user,
      issuedBy: query.issuedBy,
      ancestor: query.ancestor,
      isVisible: mayManageToken.bind(undefined, caller),
    };
    const { tokens: found, next } = await tokens.list(filter, parsePagination(query));
    return {
      items: (await tokens.usage.addUsage(found.filter(isReadable))).map(toToken),
      unreadable: found.filter(isUnreadable).map(toUnreadableItem),
      nextCursor: next === undefined ? null : formatCursor(next),
    };
  });

  app.get('/:id', { config: { auth: 'read' }, schema: readTokenSchema }, async (request, reply) => {
    const token = await tokens.find(request.params.id);
    assertMayManageToken(request.token, token);
    assertReadable(token);
    assertNotRevoked(token);
    reply.header('etag', toEtag(token.version));
    return toToken(await tokens.usage.addUsageTo(token));
  });

  app.patch(
    '/:id',
    { config: { auth: 'write', ifMatch: true }, schema: updateTokenSchema },
    async (request, reply) => {
      const { token: caller, params, body } = request;
      const options = { caller, id: params.id, ifMatch: parseIfMatch(request) };
      const token = await updateToken(options, body, dependencies);
      reply.header('etag', toEtag(token.version));
      return toToken(token);
    },
  );
};
