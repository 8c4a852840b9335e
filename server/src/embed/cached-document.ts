import { findRefererOrigin } from '@cloche/contract/origin';
import type { ShownRevision } from '../designs/design.ts';
import type { EmbedContext } from './access-policy.ts';
import type { PosterVisibility } from './poster-visibility.ts';

/** The shortest lifetime of a grant in a document: the request that revalidates the document needs it. See docs/decisions/0105. */
const MAX_AGE_MS = 12 * 60 * 60 * 1000;

/**
 * Creates the headers of a framed document that browsers may cache. They use it again only for a request with the same headers that the
 * gate and the document depend on, so for the same page. Proxies must not keep it.
 *
 * @param ticketMs the shortest lifetime of the tickets in the document, if it has some
 */
export function createCacheHeaders(ticketMs = MAX_AGE_MS): Record<string, string> {
  return {
    'cache-control': `private, max-age=${Math.floor(Math.min(MAX_AGE_MS, ticketMs) / 1000)}`,
    vary: 'accept-encoding, accept-language, origin, referer, sec-fetch-dest, sec-fetch-site',
  };
}

/**
 * Whether a browser may cache the document of a request. `transferSize` must be 0 for a document from its cache, and only then: in Chromium-based browsers, which send `Sec-CH-UA` to secure origins. The request must name a listed page, and `frame-ancestors` must be exact for it.
 */
export function isCacheable(
  {
    revision,
    posterVisibility,
    pageOrigin,
  }: {
    revision: ShownRevision;
    posterVisibility: PosterVisibility;
    pageOrigin: string | undefined;
  },
  { secChUa, referer = '' }: EmbedContext,
): boolean {
  if (secChUa === undefined || posterVisibility !== 'at-once') return false;
  const isReady = revision.artifacts.some(({ kind }) => kind === 'model');
  return isReady && findRefererOrigin(referer) === pageOrigin;
}
