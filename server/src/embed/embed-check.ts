import type { CheckEmbedRequest, CheckEmbedResponse } from '@cloche/contract/embed';
import { findRefererOrigin, isOriginAllowed } from '@cloche/contract/origin';
import { Problem } from '@cloche/contract/problem';
import { isOwnedBy } from '../tokens/authorize.ts';
import type { TokenRecord } from '../tokens/token.ts';
import { findTokenKind } from '../tokens/token-string.ts';
import { assertEmbedToken, evaluateAccess } from './access-policy.ts';
import { type EmbedStores, getVisibleDesign } from './authorize-view.ts';
import { collectOriginWarnings as adviceOn, explainMismatch } from './origin-hints.ts';

/** Says whether an embed would show, by the gate's own code. Outer ancestors are the browser's part. */
export async function checkEmbed(
  wish: CheckEmbedRequest,
  caller: TokenRecord,
  shelves: EmbedStores,
  now: Date,
): Promise<CheckEmbedResponse> {
  const token = await getToken(wish, caller, shelves);
  const warnings = adviceOn(token.origins).map(({ detail }) => detail);
  try {
    assertEmbedToken(token, wish.design, now);
    // The address of a page stands for its origin.
    const ancestors = wish.ancestors.map((one) => findRefererOrigin(one) ?? one);
    const [nearest = ''] = ancestors;
    const verdict = evaluateAccess(
      { secFetchDest: 'iframe', referer: `${nearest}/` },
      token.origins,
    );
    if (!verdict.allowed) throw new Problem(verdict.code, { detail: verdict.detail });
    assertAncestorsAllowed(ancestors, token.origins);
    await getVisibleDesign(shelves.designs, token, wish.design);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { allowed: false, code: error.code, detail: error.message, warnings };
  }
  return { allowed: true, code: null, detail: 'The design shows on that page.', warnings };
}

/** What browsers do with `frame-ancestors`: every page around the embed must be listed. */
function assertAncestorsAllowed(ancestors: readonly string[], origins: readonly string[]): void {
  const stranger = ancestors.find((one) => !isOriginAllowed(origins, one));
  if (stranger === undefined) return;
  const hint = explainMismatch(origins, stranger);
  throw new Problem('embed.origin', {
    detail: `${stranger} is around the page that shows the design, and it is not on the token’s list.${hint ? ` ${hint}` : ''}`,
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
      detail:
        'token: name the token, either by its token string in "token" or by its id in "tokenId", not both.',
    });
  }
  const found =
    tokenId !== undefined
      ? await tokens.findWithUsage(tokenId)
      : findTokenKind(token ?? '') && (await tokens.findByTokenString(token ?? ''));
  if (!isOwnedBy(caller, found)) {
    throw new Problem('token.not-found', { field: tokenId === undefined ? 'token' : 'tokenId' });
  }
  return found;
}
