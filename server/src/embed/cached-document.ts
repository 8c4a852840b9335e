import { findRefererOrigin } from '@cloche/contract/origin';
import type { ShownRevision } from '../designs/design.ts';
import type { EmbedContext } from './access-policy.ts';
import type { PosterVisibility } from './poster-visibility.ts';

/**
 * For as long as the shortest grant in a document: the request that validates the document needs it. See docs/decisions/0105.
 */
const MAX_AGE_SECONDS = 12 * 60 * 60;

/**
 * Headers of a framed document that browsers may cache. They use it again only for a request with the same headers that the gate and the
 * document depend on, so for the same page. Proxies must not keep it.
 */
export const CACHEABLE_DOCUMENT_HEADERS = {
  'cache-control': `private, max-age=${MAX_AGE_SECONDS}`,
  vary: 'accept-encoding, accept-language, origin, referer, sec-fetch-dest, sec-fetch-site',
};

/**
 * Whether a browser may cache the document of a request. It must be one that tells a document that it is from the cache: Chromium and its
 * relatives, which send `Sec-CH-UA` to secure origins. The request must name a listed page, and `frame-ancestors` must be exact for it.
 */
export function mayBeCached(
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
