import { findRefererOrigin, isOriginAllowed } from '@cloche/contract/origin';
import { Problem } from '@cloche/contract/problem';
import type { DesignStore } from '../designs/design-store.ts';
import type { TokenRecord } from '../tokens/token.ts';
import { assertEmbedToken, evaluateAccess } from './access-policy.ts';
import { getVisibleDesign } from './authorize-view.ts';
import { explainMismatch } from './origin-hints.ts';

/** An embed in a page, as a browser would request it. */
export type PlannedEmbed = {
  /** In lower case. */
  designId: string;
  /** The origins of the pages around the embed, innermost first. The URL of a page is accepted in place of its origin. */
  ancestors: readonly string[];
  /** Whether the request has no Referer. */
  hidesReferrer: boolean;
  /** Whether the request has `Sec-Fetch-Dest`, which browsers send to secure origins only. */
  sendsDestination: boolean;
};

/**
 * Finds out why an embed would not be shown, with the code of the gate. It also checks the outer ancestors, which browsers
 * check by `frame-ancestors`. Undefined: it would be shown.
 */
export async function findEmbedProblem(
  token: TokenRecord | undefined,
  embed: PlannedEmbed,
  designs: DesignStore,
  now: Date,
): Promise<Problem | undefined> {
  const { designId, hidesReferrer, sendsDestination } = embed;
  try {
    assertEmbedToken(token, designId, now);
    const ancestors = embed.ancestors.map((text) => findRefererOrigin(text) ?? text);
    const [nearest = ''] = ancestors;
    const referer = hidesReferrer ? undefined : `${nearest}/`;
    const secFetchDest = sendsDestination ? 'iframe' : undefined;
    const decision = evaluateAccess({ secFetchDest, referer }, token.origins);
    if (!decision.allowed) throw new Problem(decision.code, { detail: decision.detail });
    assertAncestorsAllowed(ancestors, decision.origins, token.origins);
    await getVisibleDesign(designs, token, designId);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
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
