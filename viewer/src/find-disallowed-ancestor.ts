import { isOriginAllowed } from '@cloche/contract/origin';

/**
 * Finds the origin of the first ancestor that may not show the design; undefined if all may.
 *
 * The browser has already checked `frame-ancestors` of the Content-Security-Policy, which is less
 * strict: there, `http://h` also allows `https://h`. Only `frame-ancestors` protects the design in
 * browsers without `location.ancestorOrigins`, and from opaque ancestors: all of them are "null".
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
