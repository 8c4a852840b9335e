import { Problem } from '@cloche/contract/problem';
import type { Signer } from '../http/signer.ts';

/** What a preview link allows: to show one design on our own page, on behalf of a token. */
export type PreviewPermission = {
  tokenId: string;
  designId: string;
  expiresAt: Date;
  /** Undefined: the revision that embeds show. */
  revisionId?: string | undefined;
};

/** The purpose of the signer of preview links. */
export const PREVIEW_LINK_PURPOSE = 'preview link';

const TTL_MS = 10 * 60 * 1000;

/** Returns the expiry of a link that is signed now. A link does not outlive its token. */
export function toPreviewExpiry(now: Date, tokenExpiresAt: Date | undefined): Date {
  const expiresAt = new Date(now.getTime() + TTL_MS);
  return tokenExpiresAt !== undefined && tokenExpiresAt < expiresAt ? tokenExpiresAt : expiresAt;
}

/** Signs a permission as text that is safe in a URL. */
export function signPreviewPermission(
  signer: Signer,
  { tokenId, designId, expiresAt, revisionId }: PreviewPermission,
): string {
  const revision = revisionId === undefined ? '' : `.${revisionId}`;
  return signer.sign(`${tokenId}.${designId}.${expiresAt.getTime().toString(36)}${revision}`);
}

/**
 * Verifies the permission in a preview link for a design. The caller must check the token.
 *
 * @throws {Problem} embed.preview-link, with the reason missing, forged, expired or design
 */
export function verifyPreviewPermission(
  signer: Signer,
  text: string | undefined,
  designId: string,
  now: Date,
): PreviewPermission {
  if (text === undefined || text === '') {
    throw createPreviewLinkError('missing', 'The URL has no signed permission.');
  }
  const payload = signer.verify(text);
  if (payload === undefined) {
    throw createPreviewLinkError('forged', 'The signature of the link is invalid.');
  }
  const [tokenId = '', signedDesignId = '', expiry = '', revisionId] = payload.split('.');
  const expiresAt = new Date(Number.parseInt(expiry, 36));
  if (expiresAt <= now) throw createPreviewLinkError('expired', 'The link has expired.');
  if (signedDesignId !== designId) {
    throw createPreviewLinkError('design', 'The link is for another design.');
  }
  return { tokenId, designId, expiresAt, revisionId };
}

/** @param reason missing, forged, expired, design or revision */
export function createPreviewLinkError(reason: string, explanation: string): Problem {
  return new Problem('embed.preview-link', {
    reason,
    detail: `${explanation} A preview link is valid for ten minutes and for one design. Create a new one with POST /v1/designs/{id}/preview-links.`,
  });
}
