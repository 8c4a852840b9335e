/**
 * Compares the origins in a token's list with the origin of a page. Small and without dependencies:
 * the inline script of the framed document contains this file. origin-parser.ts parses the list.
 */

/**
 * An origin as a browser sends it: lower case, no default port, no path. Empty labels are rejected,
 * so `https://.shop.example` does not match. Underscores are allowed because the page
 * `a_b.shop.example` matches a listed `https://*.shop.example`.
 */
const SERIALIZED_ORIGIN = /^https?:\/\/[a-z\d_-]+(\.[a-z\d_-]+)*(:[1-9]\d{0,4})?$/;
/** A scheme, a host name of at most 253 characters, and a port. */
const MAX_ORIGIN_LENGTH = 270;

/** The length is checked first: a request may contain 16 kB, and the list has up to 20 entries. */
function isSerializedOrigin(origin: string): boolean {
  return origin.length <= MAX_ORIGIN_LENGTH && SERIALIZED_ORIGIN.test(origin);
}

/**
 * Says whether a listed origin (canonical, from `parseOrigin`) matches an origin sent by a browser.
 *
 * The comparison is exact: unlike in CSP, `http://shop.example` does not match
 * `https://shop.example`. `https://*.shop.example` matches subdomains of any depth, but not
 * `https://shop.example` itself. `http://localhost:*` matches every port, and an origin without a
 * port.
 *
 * @example matchesOrigin('https://*.shop.example', 'https://a.b.shop.example') // true
 */
export function matchesOrigin(listed: string, origin: string): boolean {
  if (!isSerializedOrigin(origin)) return false;
  const [pattern, sent] = listed.endsWith(':*')
    ? [listed.slice(0, -2), origin.replace(/:\d+$/, '')]
    : [listed, origin];

  const star = pattern.indexOf('*.');
  if (star < 0) return pattern === sent;
  return sent.startsWith(pattern.slice(0, star)) && sent.endsWith(pattern.slice(star + 1));
}

/**
 * Says whether an origin in the list matches `origin`. An empty list matches nothing.
 *
 * @example isOriginAllowed(['https://shop.example', 'http://localhost:*'], 'http://localhost:5173') // true
 */
export function isOriginAllowed(list: readonly string[], origin: string): boolean {
  return list.some((listed) => matchesOrigin(listed, origin));
}

/**
 * Returns the origin in a `Referer`, exactly as written, or `undefined` if it is not an http or https
 * URL.
 *
 * Does not use `new URL()`, which returns `https://shop.example` for `blob:https://shop.example/1` and
 * repairs values that browsers never send. As in browsers, a backslash ends the host.
 *
 * @example findRefererOrigin('https://shop.example/chairs?id=7') // 'https://shop.example'
 */
export function findRefererOrigin(referer: string): string | undefined {
  const origin = /^https?:\/\/[^/\\?#]*/.exec(referer)?.[0];
  return origin !== undefined && isSerializedOrigin(origin) ? origin : undefined;
}
