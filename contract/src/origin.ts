/**
 * What an origin is, and when a listed one admits a page. Free of dependencies and small: the first
 * script of the framed document carries it. How a listed origin is written is in origin-grammar.ts.
 */

/**
 * An origin as a browser sends it: lower case, no default port said, no path. Labels are not empty,
 * so nothing slips through as `https://.shop.example`. Underscores are let in because a page on
 * `a_b.shop.example` may well stand under a listed `https://*.shop.example`.
 */
const SERIALIZED_ORIGIN = /^https?:\/\/[a-z\d_-]+(\.[a-z\d_-]+)*(:[1-9]\d{0,4})?$/;

/**
 * Says whether one listed origin (canonical, from `readOrigin`) admits an origin as a browser sends it.
 *
 * Byte for byte, so `http://shop.example` never admits `https://shop.example`, as it would in CSP.
 * `https://*.shop.example` admits every depth of subdomain and not `https://shop.example` itself;
 * `http://localhost:*` admits any port, or none.
 *
 * @example originMatches('https://*.shop.example', 'https://a.b.shop.example') // true
 */
export function matchesOrigin(listed: string, origin: string): boolean {
  if (!SERIALIZED_ORIGIN.test(origin)) return false;
  const [pattern, sent] = listed.endsWith(':*')
    ? [listed.slice(0, -2), origin.replace(/:\d+$/, '')]
    : [listed, origin];

  const star = pattern.indexOf('*.');
  if (star < 0) return pattern === sent;
  return sent.startsWith(pattern.slice(0, star)) && sent.endsWith(pattern.slice(star + 1));
}

/**
 * Says whether any origin of a list admits `origin`. An empty list admits nothing.
 *
 * @example originListed(['https://shop.example', 'http://localhost:*'], 'http://localhost:5173') // true
 */
export function isOriginAllowed(list: readonly string[], origin: string): boolean {
  return list.some((listed) => matchesOrigin(listed, origin));
}

/**
 * Gives the origin of a `Referer`, exactly as written, or `undefined` where it names no web page.
 *
 * Not `new URL()`: that finds `https://shop.example` in `blob:https://shop.example/1`, and mends what
 * no browser sends. A backslash ends the host here as it does in browsers.
 *
 * @example refererOrigin('https://shop.example/chairs?id=7') // 'https://shop.example'
 */
export function findRefererOrigin(referer: string): string | undefined {
  const origin = /^https?:\/\/[^/\\?#]*/.exec(referer)?.[0];
  return origin !== undefined && SERIALIZED_ORIGIN.test(origin) ? origin : undefined;
}
