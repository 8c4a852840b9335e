import { isOriginAllowed } from '@cloche/contract/origin';
import { isLoopbackOrigin } from '@cloche/contract/origin-host';

/** A page that hides its origin, or all pages around the iframe if the browser does not list them. */
export const HIDDEN_ANCESTOR = 'null';

/**
 * Finds the origin of the first ancestor that may not show the design; undefined if all may.
 *
 * The server has checked the page with the iframe, and the browser all pages by `frame-ancestors`. That is
 * less strict: there, `http://h` also allows `https://h`. For https it is exact. So pages that are hidden are
 * allowed only if no http origin is in the list.
 *
 * - In Firefox, the origin of a page with `referrerpolicy="no-referrer"` on its iframe is "null". Opaque
 *   origins are "null" too; `frame-ancestors` never allows them.
 * - Older browsers have no `location.ancestorOrigins`. Then only pages around the page with the iframe are
 *   hidden. Pages of loopback hosts are allowed: who has the port of `http://localhost:5173` has https too.
 *
 * @param isNested whether there is a page around the page with the iframe
 */
export function findDisallowedAncestor(
  ancestors: Iterable<string> | undefined,
  allowedOrigins: readonly string[],
  isNested: boolean,
): string | undefined {
  const httpOrigins = allowedOrigins.filter((origin) => origin.startsWith('http:'));
  if (ancestors === undefined) {
    return isNested && !httpOrigins.every(isLoopbackOrigin) ? HIDDEN_ANCESTOR : undefined;
  }
  for (const origin of ancestors) {
    if (origin === HIDDEN_ANCESTOR && httpOrigins.length === 0) continue;
    if (!isOriginAllowed(allowedOrigins, origin)) return origin;
  }
  return undefined;
}
