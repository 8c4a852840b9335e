import { Problem } from '@cloche/contract/problem';
import type { DesignRecord, ReadyRevision } from '../designs/design.ts';
import type { DesignStore } from '../designs/design-store.ts';
import type { TokenRecord } from '../tokens/token.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import {
  assertEmbedToken,
  assertEmbedTokenString,
  type EmbedContext,
  evaluateAccess,
} from './access-policy.ts';

export type EmbedStores = { tokens: TokenStore; designs: DesignStore };

/** A visit the gate lets in: the token that opened it, and what it shows. */
export type AuthorizedView = { token: TokenRecord; design: DesignRecord; revision: ReadyRevision };

/**
 * The gate behind its first step (the host): the token, then the visit, then the design.
 *
 * @throws {Problem} every reason not to show, each with its own code
 */
export async function authorizeView(
  { tokenText, designId, visit }: { tokenText: string; designId: string; visit: EmbedContext },
  shelves: EmbedStores,
  now: Date,
): Promise<AuthorizedView> {
  assertEmbedTokenString(tokenText);
  const token: TokenRecord | undefined = await shelves.tokens.findByTokenString(tokenText);
  assertEmbedToken(token, designId, now);
  const verdict = evaluateAccess(visit, token.origins);
  if (!verdict.allowed) throw new Problem(verdict.code, { detail: verdict.detail });
  return { token, ...(await getVisibleDesign(shelves.designs, token, designId)) };
}

/**
 * @throws {Problem} design.unknown, also for designs of other people; design.not-ready and
 *   design.failed when there is no revision to show
 */
export async function getVisibleDesign(designs: DesignStore, token: TokenRecord, designId: string) {
  const design = await designs.find(designId);
  if (design === undefined || design.user !== token.user) {
    throw new Problem('design.unknown', { detail: UNKNOWN_DESIGN_DETAIL });
  }
  if (design.revision === undefined) throw notReadyError(design);
  return { design, revision: design.revision };
}

function notReadyError({ status }: DesignRecord): Problem {
  if (status === 'failed') return new Problem('design.failed', { detail: FAILED_DETAIL });
  return new Problem('design.not-ready', { detail: PROCESSING_DETAIL, retryAfterSeconds: 3 });
}

const FAILED_DETAIL =
  'The file of this design could not be processed, so there is nothing to show. Its owner finds the reason at GET /v1/designs/{id}.';
const PROCESSING_DETAIL =
  'Its file was sent a moment ago and is being made ready. This takes some seconds.';
const UNKNOWN_DESIGN_DETAIL =
  'There is no such design here, or it was deleted. GET /v1/designs lists what there is.';
