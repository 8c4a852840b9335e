import { CreatedToken, RevokeTokenQuery, RotateTokenRequest } from '@cloche/contract/token';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import { runTransaction } from '../database/transaction.ts';
import { parseIfMatch, toEtag } from '../http/if-match.ts';
import { sendStoredResponse } from '../http/request-idempotency.ts';
import { revokeToken } from './revoke-token.ts';
import { DEFAULT_GRACE_PERIOD_SECONDS, rotateToken } from './rotate-token.ts';
import { toCreatedToken } from './serialize.ts';
import { TokenIdParams } from './token-id-params.ts';
import type { TokenDependencies } from './update-token.ts';

const tags = ['tokens'];
const rotateTokenSchema = {
  tags,
  summary: 'Rotate a token',
  description:
    'Creates a successor with the same name, capabilities, origins, designs and expiry, and returns its token string. The old token remains valid until the end of the grace period, which is then its `expiresAt`; its `usedFrom` lists the origins that still use it. The body is optional. A token that was rotated or has expired cannot be rotated (409).',
  params: TokenIdParams,
  // A request without a body is validated as null.
  body: Type.Union([RotateTokenRequest, Type.Null()], { examples: [{}] }),
  response: { 201: CreatedToken },
};
const revokeTokenSchema = {
  tags,
  summary: 'Revoke a token',
  description:
    'Embeds with this token stop working at their next request. Revoking a revoked token has no effect. The last token that can create others (with `write`, without origins and designs) is revoked with `force=true` only.',
  params: TokenIdParams,
  querystring: RevokeTokenQuery,
  response: { 204: Type.Null() },
};

/** POST /v1/tokens/{id}/rotate and DELETE /v1/tokens/{id}. */
export const tokenReplacementRoutes: FastifyPluginAsyncTypebox<TokenDependencies> = async (
  app,
  dependencies,
) => {
  const { tokens, database, now } = dependencies;

  app.post(
    '/:id/rotate',
    { config: { auth: 'write', idempotencyKey: true, ifMatch: true }, schema: rotateTokenSchema },
    async (request, reply) => {
      const { token: caller, params, body } = request;
      const { gracePeriodSeconds = DEFAULT_GRACE_PERIOD_SECONDS } = body ?? {};
      const ifMatch = parseIfMatch(request);
      const response = await request.idempotency.runOnce(async (save) => {
        const rotation = { caller, id: params.id, ifMatch, gracePeriodSeconds, now: now() };
        return runTransaction(database, async (trx) => {
          const { token, tokenString } = await rotateToken(rotation, tokens, trx);
          const response = {
            status: 201,
            location: `/v1/tokens/${token.id}`,
            etag: toEtag(token.version),
            body: toCreatedToken(token, tokenString),
          };
          await save(trx, response);
          return response;
        });
      });
      tokens.invalidate([params.id]);
      return sendStoredResponse(reply, response, response.body as CreatedToken);
    },
  );

  app.delete(
    '/:id',
    { config: { auth: 'write', ifMatch: true }, schema: revokeTokenSchema },
    async (request, reply) => {
      const { descendants = false, force = false } = request.query;
      const options = { descendants, force, ifMatch: parseIfMatch(request) };
      await revokeToken(request.token, request.params.id, options, dependencies);
      return reply.code(204).send(null);
    },
  );
};
