import { isOriginAllowed } from '@cloche/contract/origin';

/**
 * The origin of the first ancestor that may not show the design; undefined when all may.
 *
 * `frame-ancestors` of the Content-Security-Policy has been checked by the browser already, but is less
 * strict: there, `http://h` also allows `https://h`. Firefox has no `ancestorOrigins`, so it relies on
 * `frame-ancestors`, and so do opaque ancestors ("null"), which cannot be distinguished.
 */
export function findDisallowedAncestor(
  ancestors: Iterable<string> | undefined,
  allowedOrigins: readonly string[],
): string | undefined {
  for (const origin of ancestors ?? []) {
    if (origin !== 'null' && !isOriginAllowed(allowedOrigins, origin)) return origin;
  }
  return undefined;
}
