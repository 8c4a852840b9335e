import { TOKEN_PLACEHOLDER } from '@cloche/contract/embed';
import { findRefererOrigin, isOriginAllowed } from '@cloche/contract/origin';
import { Problem } from '@cloche/contract/problem';
import { assertDesignInScope } from '../tokens/authorize.ts';
import { toOriginParts } from '../tokens/origins.ts';
import { assertActive, type TokenRecord, toTokenKind } from '../tokens/token.ts';
import { findTokenKind } from '../tokens/token-string.ts';
import { explainMismatch } from './origin-hints.ts';

/** What a request for the framed document shows of how it came about. */
export type EmbedContext = {
  secFetchDest?: string | undefined;
  secPurpose?: string | undefined;
  purpose?: string | undefined;
  xMoz?: string | undefined;
  origin?: string | undefined;
  referer?: string | undefined;
};

/** Why a design is not shown; `seen` is the page's origin, where the request tells one. */
export type AccessDenial = {
  allowed: false;
  code: 'embed.prefetch' | 'embed.not-an-iframe' | 'embed.origin' | 'embed.unverified-origin';
  pageOrigin?: string;
  detail: string;
};

/** The gate's decision. `browser-decides`: nobody said which page; `frame-ancestors` will tell. */
export type AccessDecision =
  | { allowed: true; reason: 'referer-allowed' | 'browser-decides' }
  | AccessDenial;

/** Picks from a request's headers what the gate looks at. */
export function parseEmbedContext(
  headers: Record<string, string | string[] | undefined>,
): EmbedContext {
  const one = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  return {
    secFetchDest: one('sec-fetch-dest'),
    secPurpose: one('sec-purpose'),
    purpose: one('purpose'),
    xMoz: one('x-moz'),
    origin: one('origin'),
    referer: one('referer'),
  };
}

/**
 * Stops an embed address whose token cannot be one for pages, before anybody looks it up.
 *
 * @throws {Problem} token.missing, embed.placeholder, token.malformed, embed.secret-token
 */
export function assertEmbedTokenString(text: string | undefined): asserts text is string {
  if (text === undefined || text === '') {
    throw new Problem('token.missing', {
      detail: 'The address has no token. Put one that POST /v1/tokens made after "?token=".',
    });
  }
  if (text === TOKEN_PLACEHOLDER) {
    throw new Problem('embed.placeholder', {
      detail: `The HTML still says ${TOKEN_PLACEHOLDER}. Put a token there, made by POST /v1/tokens with capabilities ["embed"] and the origins of this site.`,
    });
  }
  const kind = findTokenKind(text);
  if (kind === undefined) {
    throw new Problem('token.malformed', {
      detail:
        'The token in the address is not one of Cloche, or was cut or mistyped. Copy it again.',
    });
  }
  if (kind === 'secret') throw secretTokenError();
}

/**
 * Stops a token that may not show this design; `undefined` is a token nobody made.
 *
 * @throws {Problem} token.unknown, token.revoked, token.expired, embed.secret-token, token.design
 */
export function assertEmbedToken(
  token: TokenRecord | undefined,
  design: string,
  now: Date,
): asserts token is TokenRecord {
  if (token === undefined) {
    throw new Problem('token.unknown', {
      detail: 'No such token exists here. Copy it again, or make one with POST /v1/tokens.',
    });
  }
  assertActive(token, now);
  if (toTokenKind(token.capabilities) === 'secret') throw secretTokenError();
  assertDesignInScope(token, design);
}

function secretTokenError(): Problem {
  return new Problem('embed.secret-token', {
    detail:
      'The token in this page is a secret one, and everybody can read the page. Revoke it now, and use a token with capabilities ["embed"] and origins.',
  });
}

/**
 * Decides, by the headers of a request, whether its page may be shown a design of a token that lists
 * `origins`.
 *
 * The order matters: each rule presumes the ones before it. Serving is not yet showing: the browser
 * checks every ancestor against `frameAncestors`. What these rules add is that the document is for
 * iframes only, and that `http://shop.example` does not admit `https://shop.example`.
 */
export function evaluateAccess(visit: EmbedContext, origins: readonly string[]): AccessDecision {
  const { secFetchDest, origin, referer } = visit;

  if ([visit.secPurpose, visit.purpose, visit.xMoz].some(isPrefetch)) return PREFETCH_DENIAL;
  if (secFetchDest !== undefined && secFetchDest !== 'iframe') return denyNonIframe(secFetchDest);
  // An empty list never means anywhere.
  if (origins.length === 0) return NO_ORIGINS_DENIAL;
  if (origin !== undefined && !isOriginAllowed(origins, origin)) {
    return denyUnlistedOrigin(origins, 'Origin', origin);
  }
  if (referer !== undefined) {
    const page = findRefererOrigin(referer);
    const listed = page !== undefined && isOriginAllowed(origins, page);
    return listed
      ? { allowed: true, reason: 'referer-allowed' }
      : denyUnlistedOrigin(origins, 'Referer', referer);
  }
  return secFetchDest === undefined
    ? UNVERIFIED_ORIGIN_DENIAL
    : { allowed: true, reason: 'browser-decides' };
}

/**
 * Writes the `frame-ancestors` directive, from the parts of each origin and never from its text: what
 * is not canonical fails an assertion instead of becoming a directive of its own.
 *
 * @example frameAncestors(['https://shop.example']) // 'frame-ancestors https://shop.example'
 */
export function toFrameAncestorsDirective(origins: readonly string[]): string {
  const sources = origins.map((origin) => {
    const { scheme, wildcard, host, port } = toOriginParts(origin);
    return `${scheme}://${wildcard ? '*.' : ''}${host}${port === '' ? '' : `:${port}`}`;
  });
  return `frame-ancestors ${sources.length === 0 ? "'none'" : sources.join(' ')}`;
}

const PREFETCH_DENIAL: AccessDenial = {
  allowed: false,
  code: 'embed.prefetch',
  detail:
    'The browser asked for this ahead of time. Designs load when their page is shown; nothing needs to be changed.',
};

const NO_ORIGINS_DENIAL: AccessDenial = {
  allowed: false,
  code: 'embed.origin',
  detail: 'The token lists no origins, so it shows designs nowhere. Add the sites it is for.',
};

const UNVERIFIED_ORIGIN_DENIAL: AccessDenial = {
  allowed: false,
  code: 'embed.unverified-origin',
  detail:
    'The request has neither a Referer nor Sec-Fetch-Dest, so nothing says that it comes from a listed page. Keep referrerpolicy="strict-origin" on the iframe, and remove what strips these headers on the way.',
};

function isPrefetch(purpose: string | undefined): boolean {
  return purpose !== undefined && /prefetch|prerender/i.test(purpose);
}

function denyNonIframe(dest: string): AccessDenial {
  const how = /^[a-z-]{1,20}$/.test(dest) ? ` ("${dest}")` : '';
  const detail = `This address works in an iframe only, and it was asked for in another way${how}. Paste the HTML of POST /embed/iframe/v1 into a page instead of opening, linking or fetching the address.`;
  return { allowed: false, code: 'embed.not-an-iframe', detail };
}

function denyUnlistedOrigin(
  origins: readonly string[],
  header: string,
  value: string,
): AccessDenial {
  const refusal = { allowed: false, code: 'embed.origin' } as const;
  const pageOrigin = findRefererOrigin(value);
  if (pageOrigin !== undefined) {
    const hint = explainMismatch(origins, pageOrigin);
    const detail = `${pageOrigin} is not on this token’s list.${hint ? ` ${hint}` : ''} Add ${pageOrigin} to the token’s origins if designs may be shown there.`;
    return { ...refusal, pageOrigin, detail };
  }
  if (value === 'null') {
    const detail =
      'The page has no origin of its own: it is in a sandboxed frame, or a file opened from disk. Such a page cannot be listed. Add allow-same-origin to the sandbox, or serve the page from a listed site.';
    return { ...refusal, pageOrigin: 'null', detail };
  }
  if (/^https?:\/\/\[/.test(value)) {
    const detail =
      'The page stands on an IPv6 address, and browsers let none of those frame a design. Open it by a host name, and list that.';
    return { ...refusal, detail };
  }
  const detail = `The ${header} header names no web page, so none of the listed sites could be recognised. Serve the page over http or https from a listed site.`;
  return { ...refusal, detail };
}
