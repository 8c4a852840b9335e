import { findRefererOrigin } from '@cloche/contract/origin';
import { Problem } from '@cloche/contract/problem';
import type { ShownRevision } from '../designs/design.ts';
import type { DesignStore } from '../designs/design-store.ts';
import type { PublicHost } from '../http/public-host.ts';
import type { Signer } from '../http/signer.ts';
import { assertDesignInScope } from '../tokens/authorize.ts';
import { assertActive } from '../tokens/token.ts';
import { type EmbedContext, evaluateAccess } from './access-policy.ts';
import { type AuthorizedView, type EmbedStores, getVisibleDesign } from './authorize-view.ts';
import { decidePosterVisibility } from './poster-visibility.ts';
import {
  createPreviewLinkError,
  type PreviewPermission,
  verifyPreviewPermission,
} from './preview-link.ts';

type PreviewDependencies = EmbedStores & { signer: Signer; publicHost: PublicHost };

/** The parts of a request with a preview link that are checked. */
export type PreviewRequest = {
  link: string | undefined;
  designId: string;
  context: EmbedContext;
  secFetchSite: string | undefined;
};

/** A preview that may be shown, and until when. */
export type AuthorizedPreview = { view: AuthorizedView; permission: PreviewPermission };

/**
 * Checks a request for the page of a preview link, which is opened as a page of its own: the link, the
 * token that it was created with, and the design.
 *
 * @throws {Problem} embed.prefetch, embed.preview-link, token.unknown, token.revoked, token.expired,
 *   token.design, design.unknown, design.not-ready, design.failed
 */
export async function authorizePreview(
  { link, designId, context }: PreviewRequest,
  { tokens, designs, signer, publicHost }: PreviewDependencies,
  now: Date,
): Promise<AuthorizedPreview> {
  assertNotPrefetch(context, publicHost.origin);
  const permission = verifyPreviewPermission(signer, link, designId, now);
  const token = await tokens.findById(permission.tokenId);
  if (token === undefined) throw new Problem('token.unknown');
  assertActive(token, now);
  assertDesignInScope(token, designId);
  const { design, ...visible } = await getVisibleDesign(designs, token, designId);
  const revision = await getPreviewedRevision(designs, permission, visible.revision);
  const origins = [publicHost.origin];
  const posterVisibility = decidePosterVisibility(context, origins);
  const pageOrigin = publicHost.origin;
  const view = { grantee: token, origins, posterVisibility, pageOrigin, design, revision };
  return { view, permission };
}

/**
 * Checks a request for the framed document of a preview. In addition to the checks of its page, the
 * document must be requested for an iframe in a page of this service. The rules are those of
 * `evaluateAccess`, with our own origin as the only one in the list. The browser also checks every
 * ancestor: the document is sent with `frame-ancestors 'self'`.
 *
 * @throws {Problem} as authorizePreview; embed.not-an-iframe, embed.origin, embed.unverified-origin
 */
export async function authorizePreviewDocument(
  request: PreviewRequest,
  dependencies: PreviewDependencies,
  now: Date,
): Promise<AuthorizedPreview> {
  const preview = await authorizePreview(request, dependencies, now);
  const { context, secFetchSite } = request;
  const decision = evaluateAccess(context, [dependencies.publicHost.origin]);
  if (!decision.allowed && decision.code !== 'embed.origin') {
    throw new Problem(decision.code, { detail: decision.detail });
  }
  const sameOrigin = secFetchSite === undefined || secFetchSite === 'same-origin';
  if (decision.allowed && sameOrigin) return preview;
  const page = findRefererOrigin(context.referer ?? context.origin ?? '');
  throw new Problem('embed.origin', {
    detail: `A preview is shown on the pages of this service only${page === undefined ? '' : `, and ${page} is another site`}. Open the preview link itself. To show the design on another page, use the HTML of POST /embed/iframe/v1.`,
  });
}

/** Returns the revision of a link, which can have been deleted since. @throws {Problem} embed.preview-link */
async function getPreviewedRevision(
  designs: DesignStore,
  { revisionId }: PreviewPermission,
  shown: ShownRevision,
): Promise<ShownRevision> {
  if (revisionId === undefined) return shown;
  const revision = await designs.findReadyRevision(revisionId);
  if (revision !== undefined) return revision;
  throw createPreviewLinkError('revision', 'The revision of the link was deleted.');
}

function assertNotPrefetch(context: EmbedContext, ownOrigin: string): void {
  const decision = evaluateAccess(context, [ownOrigin]);
  if (decision.allowed || decision.code !== 'embed.prefetch') return;
  throw new Problem(decision.code, { detail: decision.detail });
}
