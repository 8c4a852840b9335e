import { toOriginParts } from '@cloche/contract/origin-parts';

/** What the policy of the framed document allows that is not the same for every document. */
export type PolicySources = {
  /** Hashes of the inline script and the inline style, as CSP sources. */
  scriptHashes: readonly string[];
  styleHashes: readonly string[];
  /** The origin of the CDN that the viewer loads artifacts from. Undefined: only our own. */
  cdnOrigin?: string | undefined;
};

/**
 * Creates the Content-Security-Policy of the framed document. `origins` are those of the token. If the owner shares the
 * design, they are `any`: then there is no `frame-ancestors`, because `*` would still exclude the pages of apps,
 * whose scheme is another one than http or https.
 */
export function createContentSecurityPolicy(
  origins: readonly string[] | 'any',
  sources: PolicySources,
): string {
  if (origins === 'any') return createBasePolicy(sources);
  return `${toFrameAncestorsDirective(origins)}; ${createBasePolicy(sources)}`;
}

/** Creates the policy of the framed document in a preview, which only pages of this service may frame. */
export function createPreviewPolicy(sources: PolicySources): string {
  return `frame-ancestors 'self'; ${createBasePolicy(sources)}`;
}

/** Creates the policy without `frame-ancestors`. The poster renderer uses it. */
export function createBasePolicy({ scriptHashes, styleHashes, cdnOrigin }: PolicySources): string {
  return [
    "default-src 'none'",
    ["script-src 'self' 'wasm-unsafe-eval'", ...scriptHashes].join(' '),
    "worker-src blob: 'self'",
    // Without blob: here, textures inside a GLB are white, without an error message.
    // The viewer loads all artifacts with `fetch`, so a CDN needs no other directive.
    `connect-src 'self' blob:${cdnOrigin === undefined ? '' : ` ${cdnOrigin}`}`,
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
