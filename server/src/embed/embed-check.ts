import { CheckEmbedRequest, CheckEmbedResponse } from '@cloche/contract/embed';
import { collectOriginWarnings } from '@cloche/contract/origin-warnings';
import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { mayManageToken } from '../tokens/authorize.ts';
import { domainRules } from '../tokens/origins.ts';
import type { TokenRecord } from '../tokens/token.ts';
import { assertReadable } from '../tokens/token-store.ts';
import { findTokenKind } from '../tokens/token-string.ts';
import type { EmbedStores } from './authorize-view.ts';
import { findEmbedProblem } from './find-embed-problem.ts';

/** POST /v1/tokens/check: whether an embed would be shown, and if not, why. */
export const embedCheckRoute: FastifyPluginAsyncTypebox<EmbedStores & { now: () => Date }> = async (
  app,
  { now, ...stores },
) => {
  app.post(
    '/',
    {
      config: { auth: 'read', idempotencyKey: false },
      schema: {
        tags: ['tokens'],
        summary: 'Check whether an embed would be shown',
        description: 'Returns the decision that visitors get, and warnings about the origins.',
        body: CheckEmbedRequest,
        response: { 200: CheckEmbedResponse },
      },
    },
    async (request) => checkEmbed(request.body, request.token, stores, now()),
  );
};

async function checkEmbed(
  request: CheckEmbedRequest,
  caller: TokenRecord,
  stores: EmbedStores,
  now: Date,
): Promise<CheckEmbedResponse> {
  const token = await getToken(request, caller, stores);
  const warnings = collectOriginWarnings(token.origins, domainRules).map(({ detail }) => detail);
  const { ancestors, hidesReferrer = false } = request;
  const designId = request.design.toLowerCase();
  const problem = await findEmbedProblem(
    token,
    { designId, ancestors, hidesReferrer, sendsDestination: true },
    stores.designs,
    now,
  );
  if (problem !== undefined)
    return { allowed: false, code: problem.code, detail: problem.message, warnings };
  return { allowed: true, code: null, detail: 'The page can show the design.', warnings };
}

async function getToken(
  { token, tokenId }: CheckEmbedRequest,
  caller: TokenRecord,
  { tokens }: EmbedStores,
): Promise<TokenRecord> {
  if ((token === undefined) === (tokenId === undefined)) {
    throw new Problem('request.invalid', {
      field: 'token',
      detail: 'token: send either the token string in "token" or the id of the token in "tokenId".',
    });
  }
  const found =
    tokenId !== undefined
      ? await tokens.find(tokenId)
      : findTokenKind(token ?? '') && (await tokens.findByTokenString(token ?? ''));
  if (!mayManageToken(caller, found)) {
    throw new Problem('token.not-found', { field: tokenId === undefined ? 'token' : 'tokenId' });
  }
  assertReadable(found);
  return found;
}
