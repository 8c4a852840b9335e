import type { PageFinding } from '@cloche/contract/page-check';
import { Problem } from '@cloche/contract/problem';
import type { DesignStore } from '../designs/design-store.ts';
import { assertEmbedTokenString } from '../embed/access-policy.ts';
import { authorizeSharedView, type ShareStores } from '../embed/authorize-share.ts';
import { findEmbedProblem } from '../embed/find-embed-problem.ts';
import { mayManageToken } from '../tokens/authorize.ts';
import type { TokenRecord } from '../tokens/token.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { type EmbedInPage, toRequestedUrl } from './check-page-policy.ts';
import { createFinding, toFinding } from './finding.ts';
import { VIEWER_ELEMENT } from './page-document.ts';
import { findReferrerPolicy, isSecure } from './referrer-policy.ts';

export type AccessStores = ShareStores & { tokens: TokenStore; designs: DesignStore };

/** Whether the gate would show the design, and the id of the token if the caller may know it. */
export type AccessResult = { tokenId: string | null; findings: PageFinding[] };

/**
 * Checks token, origin and design, with the code of the gate. About a token of another user, or one outside the limits of
 * the caller's token, the result says nothing. That a token exists is no secret: the gate says it to everyone who has it.
 */
export async function checkAccess(
  embed: EmbedInPage,
  caller: TokenRecord,
  stores: AccessStores,
  now: Date,
): Promise<AccessResult> {
  const pageOrigin = embed.page.url.origin;
  try {
    if (embed.embedUrl.kind === 'share') return await checkShare(embed, stores);
    const { tokenString } = embed.embedUrl;
    assertEmbedTokenString(tokenString);
    const token = await stores.tokens.findByTokenString(tokenString);
    if (token !== undefined && !mayManageToken(caller, token)) return NOT_YOURS;
    const request = describeRequest(embed);
    const problem = await findEmbedProblem(token, request.planned, stores.designs, now);
    const tokenId = token?.id ?? null;
    if (problem !== undefined) return { tokenId, findings: [toFinding(problem, pageOrigin)] };
    return { tokenId, findings: request.warnings };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { tokenId: null, findings: [toFinding(error, pageOrigin)] };
  }
}

const NOT_YOURS: AccessResult = {
  tokenId: null,
  findings: [
    createFinding('token.not-yours', {
      detail:
        'The token belongs to another user, or is outside the limits of your token. Only its owner can check it.',
      fix: 'Nothing, if the embed is not yours. Otherwise use a token of your own.',
    }),
  ],
};

/** @throws {Problem} the reasons of the gate */
async function checkShare({ embedUrl }: EmbedInPage, stores: AccessStores): Promise<AccessResult> {
  await authorizeSharedView(stores, embedUrl.designId, { secFetchDest: 'iframe' });
  const finding = createFinding('frame.shared', {
    detail: 'Anyone can show this design on any page: it is shared, and needs no token.',
    fix: 'Nothing, if this is intended. Otherwise use the HTML of POST /embed/iframe/v1.',
  });
  return { tokenId: null, findings: [finding] };
}

/** What the browser will send, according to the page and the element. */
function describeRequest(embed: EmbedInPage) {
  const { element, embedUrl, page } = embed;
  const requested = toRequestedUrl(embed);
  // A browser blocks an http iframe in an https page: the gate is asked for what it would be with https.
  const isBlocked = page.url.protocol === 'https:' && !isSecure(requested);
  const url = isBlocked ? new URL(requested.href.replace(/^http:/, 'https:')) : requested;
  // The script of the element creates its own iframe.
  const own = element.name === VIEWER_ELEMENT ? 'strict-origin' : undefined;
  const { policy, isHidden } = findReferrerPolicy({
    attribute: own ?? element.attributes.get('referrerpolicy'),
    meta: element.metaReferrer,
    headers: page.headers.get('referrer-policy') ?? [],
    page: page.url,
    url,
  });
  const planned = {
    designId: embedUrl.designId,
    ancestors: [page.url.origin],
    hidesReferrer: isHidden,
    sendsDestination: isSecure(url),
  };
  const warning = createFinding('frame.referrer', {
    detail: `The referrer policy is "${policy}", so the browser does not send the origin of the page. The design is shown in current browsers, which check the origin themselves, and not in old ones.`,
    fix: 'Write referrerpolicy="strict-origin" into the iframe.',
  });
  return { planned, warnings: isHidden ? [warning] : [] };
}
