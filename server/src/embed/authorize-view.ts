import { findRefererOrigin, isOriginAllowed } from '@cloche/contract/origin';
import { Problem } from '@cloche/contract/problem';
import type { DesignRecord, ShownRevision } from '../designs/design.ts';
import type { DesignStore } from '../designs/design-store.ts';
import type { EmbedUse } from '../embed-usage/embed-usage.ts';
import { isOwnedBy } from '../tokens/authorize.ts';
import type { TokenRecord } from '../tokens/token.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import {
  assertEmbedToken,
  assertEmbedTokenString,
  type EmbedContext,
  evaluateAccess,
} from './access-policy.ts';
import type { Grantee } from './asset-grant.ts';
import { isCacheable } from './cached-document.ts';
import { decidePosterVisibility, type PosterVisibility } from './poster-visibility.ts';

export type EmbedStores = { tokens: TokenStore; designs: DesignStore };

/** A design that may be shown, and for whom. */
export type AuthorizedView = {
  grantee: Grantee;
  design: DesignRecord;
  revision: ShownRevision;
  /** The origins whose pages may frame the document; `any` if the owner shares the design. */
  origins: readonly string[] | 'any';
  posterVisibility: PosterVisibility;
  /** The origin of the page that shows the design, if it is known. */
  pageOrigin?: string | undefined;
  /** Whether the browser may cache the document. */
  isCacheable?: boolean;
};

/** The parts of a request for the framed document that the gate checks. */
export type ViewRequest = { tokenString: string; designId: string; context: EmbedContext };

/** What usage is counted for. */
export function toEmbedUse({ grantee, design, pageOrigin }: AuthorizedView): EmbedUse {
  return { tokenId: grantee.id, designId: design.id, origin: pageOrigin };
}

/**
 * The gate: checks the token, then the embedding page, then the design. http/host-check.ts
 * has already checked the host.
 *
 * @throws {Problem} every reason not to show the design, each with its own code
 */
export async function authorizeView(
  { tokenString, designId: requestedId, context }: ViewRequest,
  { tokens, designs }: EmbedStores,
  now: Date,
): Promise<AuthorizedView & { token: TokenRecord }> {
  const designId = requestedId.toLowerCase();
  assertEmbedTokenString(tokenString);
  const token: TokenRecord | undefined = await tokens.findByTokenString(tokenString);
  assertEmbedToken(token, designId, now);
  const decision = evaluateAccess(context, token.origins);
  if (!decision.allowed) throw new Problem(decision.code, { detail: decision.detail });
  const { origins } = decision;
  const posterVisibility = decidePosterVisibility(context, origins);
  const visible = await getVisibleDesign(designs, token, designId);
  const pageOrigin = findPageOrigin(context, token.origins);
  const view = { grantee: token, origins, posterVisibility, pageOrigin, ...visible };
  return { token, ...view, isCacheable: isCacheable(view, context) };
}

/** Without the Referer of a listed page, such as after a reload, it is the only page that may show the design. */
function findPageOrigin({ referer }: EmbedContext, origins: readonly string[]): string | undefined {
  const page = findRefererOrigin(referer ?? '');
  if (page !== undefined && isOriginAllowed(origins, page)) return page;
  const [only, ...others] = origins;
  return others.length === 0 && !only?.includes('*') ? only : undefined;
}

/**
 * Returns a design of the token's user, and the revision to show.
 *
 * @throws {Problem} design.unknown, also for designs of other users; design.not-ready and
 *   design.failed if there is no revision to show
 */
export async function getVisibleDesign(designs: DesignStore, token: TokenRecord, designId: string) {
  const design = await designs.find(designId);
  if (!isOwnedBy(token, design)) {
    throw new Problem('design.unknown', { detail: UNKNOWN_DESIGN_DETAIL });
  }
  return { design, revision: await getShownRevision(designs, design) };
}

/** Returns what embeds show. @throws {Problem} design.not-ready, design.failed */
export async function getShownRevision(
  designs: DesignStore,
  design: DesignRecord,
): Promise<ShownRevision> {
  const revision = await designs.findShown(design);
  if (revision === undefined) throw createNotReadyError(design);
  return revision;
}

/** Other sites read a page once, with its picture, so the preview is not enough. @throws {Problem} as getShownRevision */
export function assertReady(design: DesignRecord): void {
  if (design.revision === undefined) throw createNotReadyError(design);
}

/** @param retryAfterSeconds until the next request, if the design is being processed */
export function createNotReadyError({ status }: DesignRecord, retryAfterSeconds = 3): Problem {
  if (status === 'failed') return new Problem('design.failed', { detail: FAILED_DETAIL });
  if (status === 'cancelled') return new Problem('design.failed', { detail: CANCELLED_DETAIL });
  return new Problem('design.not-ready', { detail: PROCESSING_DETAIL, retryAfterSeconds });
}

const FAILED_DETAIL =
  'The file of this design could not be processed, so there is nothing to show. The owner finds the reason at GET /v1/designs/{id}.';
const CANCELLED_DETAIL =
  'Processing the file of this design was cancelled, so there is nothing to show. The owner can upload a file with PUT /v1/designs/{id}/model.';
const PROCESSING_DETAIL = 'The file of this design is being processed. This takes some seconds.';
const UNKNOWN_DESIGN_DETAIL =
  'The design does not exist or was deleted. GET /v1/designs lists the designs that exist.';
