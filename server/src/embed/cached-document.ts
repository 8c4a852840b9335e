import { findRefererOrigin } from '@cloche/contract/origin';
import type { ShownRevision } from '../designs/design.ts';
import type { EmbedContext } from './access-policy.ts';
import { MIN_GRANT_TTL_MS } from './asset-grant.ts';
import type { PosterVisibility } from './poster-visibility.ts';

/**
 * Creates the headers of a framed document that browsers may cache. They use it again only for a request with the same headers that the
 * gate and the document depend on, so for the same page. Proxies must not keep it.
 *
 * @param ticketMs the shortest lifetime of the tickets in the document, if it has some
 */
export function createCacheHeaders(ticketMs = MIN_GRANT_TTL_MS): Record<string, string> {
  return {
    'cache-control': `private, max-age=${Math.floor(Math.min(MIN_GRANT_TTL_MS, ticketMs) / 1000)}`,
    vary: 'accept-encoding, accept-language, origin, referer, sec-fetch-dest, sec-fetch-site',
  };
}

/**
 * Whether a browser may cache the document of a request. It must be a browser in which `transferSize` is 0 for a document from the cache, and
 * only then: a Chromium-based one, which sends `Sec-CH-UA` to secure origins. The request must name a listed page, and `frame-ancestors` must be
 * exact for it.
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
