import { isOriginAllowed } from '@cloche/contract/origin';

/**
 * The first ancestor that may not show the design, or undefined when all may.
 *
 * The document's `frame-ancestors` has let us in already; this closes what that leaves open
 * (`http://h` admits `https://h` there). Firefox has no `ancestorOrigins`: nothing to look at. An
 * opaque ancestor says "null" and cannot be told apart, so it is left to `frame-ancestors`.
 */
export function findDisallowedAncestor(
  ancestors: Iterable<string> | undefined,
  listed: readonly string[],
): string | undefined {
  for (const origin of ancestors ?? []) {
    if (origin !== 'null' && !isOriginAllowed(listed, origin)) return origin;
  }
  return undefined;
}
