import { toOriginParts } from '../tokens/origins.ts';

/** Hashes of the inline script and the inline style of the framed document, as CSP sources. */
export type InlineHashes = { scriptHashes: readonly string[]; styleHashes: readonly string[] };

/**
 * Creates the Content-Security-Policy of the framed document. `origins` are those of the token. If the owner shares the
 * design, they are `any`: then there is no `frame-ancestors`, because `*` would still exclude the pages of apps,
 * whose scheme is another one than http or https.
 */
export function createContentSecurityPolicy(
  origins: readonly string[] | 'any',
  hashes: InlineHashes,
): string {
  if (origins === 'any') return createBasePolicy(hashes);
  return `${toFrameAncestorsDirective(origins)}; ${createBasePolicy(hashes)}`;
}

/** Creates the policy of the framed document in a preview, which only pages of this service may frame. */
export function createPreviewPolicy(hashes: InlineHashes): string {
  return `frame-ancestors 'self'; ${createBasePolicy(hashes)}`;
}

/** Creates the policy without `frame-ancestors`. The poster renderer uses it. */
export function createBasePolicy({ scriptHashes, styleHashes }: InlineHashes): string {
  return [
    "default-src 'none'",
    ["script-src 'self' 'wasm-unsafe-eval'", ...scriptHashes].join(' '),
    "worker-src blob: 'self'",
    // Without blob: here, textures inside a GLB are white, without an error message.
    "connect-src 'self' blob:",
    "img-src 'self' blob: data:",
    ["style-src 'self'", ...styleHashes].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/**
 * Creates the `frame-ancestors` directive from the parsed parts of each origin, never from its text: an
 * origin that is not canonical fails an assertion, so it cannot add another directive.
 *
 * @example toFrameAncestorsDirective(['https://shop.example']) // 'frame-ancestors https://shop.example'
 */
export function toFrameAncestorsDirective(origins: readonly string[]): string {
  const sources = origins.map((origin) => {
    const { scheme, wildcard, host, port } = toOriginParts(origin);
    return `${scheme}://${wildcard ? '*.' : ''}${host}${port === '' ? '' : `:${port}`}`;
  });
  return `frame-ancestors ${sources.length === 0 ? "'none'" : sources.join(' ')}`;
}
