import { Problem } from '@cloche/contract/problem';
import type { DesignRecord } from '../designs/design.ts';
import type { DesignStore } from '../designs/design-store.ts';
import type { UserStore } from '../users/user-store.ts';
import { type EmbedContext, evaluateAccess } from './access-policy.ts';
import { SHARED_GRANTEE } from './asset-grant.ts';
import { type AuthorizedView, getShownRevision } from './authorize-view.ts';

export type ShareStores = { designs: DesignStore; users: Pick<UserStore, 'find'> };

/**
 * Returns a design that its owner shares with anyone. A design that is not shared looks like one that does not
 * exist.
 *
 * @throws {Problem} design.not-shared
 */
export async function getSharedDesign(
  { designs, users }: ShareStores,
  requestedId: string,
): Promise<DesignRecord> {
  const design = await designs.find(requestedId.toLowerCase());
  if (!design?.shared || (await users.find(design.user))?.disabledAt !== undefined) {
    throw new Problem('design.not-shared', { detail: NOT_SHARED_DETAIL });
  }
  return design;
}

/**
 * Checks a request for the framed document of a shared design. Any page may frame it, so only the kind of the
 * request is checked: it must be for an iframe, and not in advance.
 *
 * @throws {Problem} embed.prefetch, embed.not-an-iframe, design.not-shared, design.not-ready, design.failed
 */
export async function authorizeSharedView(
  stores: ShareStores,
  designId: string,
  { secFetchDest, secPurpose, purpose, xMoz }: EmbedContext,
): Promise<AuthorizedView> {
  // Without the headers that name a page, every other denial is about the page.
  const kind = { secFetchDest, secPurpose, purpose, xMoz };
  const decision = evaluateAccess(kind, []);
  if (!decision.allowed && DENIED_KINDS.includes(decision.code)) {
    throw new Problem(decision.code, { detail: decision.detail });
  }
  const design = await getSharedDesign(stores, designId);
  const revision = await getShownRevision(stores.designs, design);
  return { grantee: SHARED_GRANTEE, origins: 'any', posterVisibility: 'at-once', design, revision };
}

const DENIED_KINDS: readonly string[] = ['embed.prefetch', 'embed.not-an-iframe'];

const NOT_SHARED_DETAIL =
  'The design does not exist, or its owner does not share it. Owner: PATCH /v1/designs/{id} with {"shared": true} shows it to anyone with the link.';
