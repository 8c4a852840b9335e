import { isOriginAllowed } from '@cloche/contract/origin';

/**
 * Finds the origin of the first ancestor that may not show the design; undefined if all may.
 *
 * The browser has already checked `frame-ancestors` of the Content-Security-Policy, which is less strict:
 * there, `http://h` also allows `https://h`. Only `frame-ancestors` protects the design in browsers without
 * `location.ancestorOrigins`.
 *
 * "null" is an ancestor that Firefox hides, because its iframe has `referrerpolicy="no-referrer"`; browsers
 * refuse opaque ancestors. It can be a page of `https://h`, so it is allowed only if no http origin is in the
 * list: `frame-ancestors` is exact for https.
 */
export function findDisallowedAncestor(
  ancestors: Iterable<string> | undefined,
  allowedOrigins: readonly string[],
): string | undefined {
  const isExact = allowedOrigins.every((origin) => origin.startsWith('https:'));
  for (const origin of ancestors ?? []) {
    if (origin === 'null' && isExact) continue;
    if (!isOriginAllowed(allowedOrigins, origin)) return origin;
  }
  return undefined;
}
