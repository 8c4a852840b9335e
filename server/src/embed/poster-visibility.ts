import { isLoopbackOrigin } from '@cloche/contract/origin-host';
import type { EmbedContext } from './access-policy.ts';

/**
 * When the poster inside the framed document may be painted:
 *
 * - `at-once`: as soon as it has arrived.
 * - `without-scripts`: after the boot script has checked the pages around the iframe, or if no script runs.
 * - `after-check`: only after the boot script has checked the pages around the iframe.
 */
export type PosterVisibility = 'at-once' | 'without-scripts' | 'after-check';

/**
 * Decides when the poster may be painted, for a request that the gate allows. `origins` are those in
 * `frame-ancestors`.
 *
 * `Sec-Fetch-Dest` proves that the document is in an iframe, so the browser applies `frame-ancestors`. For https
 * origins that is exact. `http://h` also allows the pages of `https://h` around the page with the iframe, and
 * only the boot script can refuse those. On a loopback host that is no other site (see
 * viewer/src/find-disallowed-ancestor.ts), but the boot script refuses it where it runs. In addition, a page that
 * the Referer does not name is not trusted: the poster then depends on two checks.
 */
export function decidePosterVisibility(
  { secFetchDest, referer }: EmbedContext,
  origins: readonly string[],
): PosterVisibility {
  if (secFetchDest !== 'iframe' || referer === undefined) return 'after-check';
  const httpOrigins = origins.filter((origin) => origin.startsWith('http:'));
  if (httpOrigins.length === 0) return 'at-once';
  return httpOrigins.every(isLoopbackOrigin) ? 'without-scripts' : 'after-check';
}
