import { CheckEmbedRequest, CheckEmbedResponse } from '@cloche/contract/embed';
import { findRefererOrigin, isOriginAllowed } from '@cloche/contract/origin';
import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { mayManageToken } from '../tokens/authorize.ts';
import type { TokenRecord } from '../tokens/token.ts';
import { assertReadable } from '../tokens/token-store.ts';
import { findTokenKind } from '../tokens/token-string.ts';
import { assertEmbedToken, evaluateAccess } from './access-policy.ts';
import { type EmbedStores, getVisibleDesign } from './authorize-view.ts';
import { collectOriginWarnings, explainMismatch } from './origin-hints.ts';

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

/**
 * Checks whether an embed would be shown, with the code of the gate. It also checks the outer ancestors,
 * which browsers check by `frame-ancestors`.
 */
async function checkEmbed(
  request: CheckEmbedRequest,
  caller: TokenRecord,
  stores: EmbedStores,
  now: Date,
): Promise<CheckEmbedResponse> {
  const token = await getToken(request, caller, stores);
  const warnings = collectOriginWarnings(token.origins).map(({ detail }) => detail);
  try {
    const designId = request.design.toLowerCase();
    assertEmbedToken(token, designId, now);
    // The URL of a page is accepted in place of its origin.
    const ancestors = request.ancestors.map((text) => findRefererOrigin(text) ?? text);
    const [nearest = ''] = ancestors;
    const referer = request.hidesReferrer ? undefined : `${nearest}/`;
    const decision = evaluateAccess({ secFetchDest: 'iframe', referer }, token.origins);
    if (!decision.allowed) throw new Problem(decision.code, { detail: decision.detail });
    assertAncestorsAllowed(ancestors, decision.origins, token.origins);
    await getVisibleDesign(stores.designs, token, designId);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { allowed: false, code: error.code, detail: error.message, warnings };
  }
  return { allowed: true, code: null, detail: 'The page can show the design.', warnings };
}

/** Every page around the embed must be listed, as for browsers with `frame-ancestors`. */
function assertAncestorsAllowed(
  ancestors: readonly string[],
  allowedOrigins: readonly string[],
  origins: readonly string[],
): void {
  const disallowed = ancestors.find((origin) => !isOriginAllowed(allowedOrigins, origin));
  if (disallowed === undefined) return;
  if (isOriginAllowed(origins, disallowed)) {
    throw new Problem('embed.unverified-origin', {
      detail: `${disallowed} is an http page, which the browser cannot tell from an https page here: it is around another page, or the request has no Referer header. Serve it over https and list that, or keep referrerpolicy="strict-origin" on an iframe of its own.`,
    });
  }
  const hint = explainMismatch(origins, disallowed);
  throw new Problem('embed.origin', {
    detail: `${disallowed} contains the page that shows the design, and it is not in the token's list.${hint ? ` ${hint}` : ''}`,
  });
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
