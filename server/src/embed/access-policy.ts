import { TOKEN_PLACEHOLDER } from '@cloche/contract/embed';
import { findRefererOrigin, isOriginAllowed } from '@cloche/contract/origin';
import { isLoopbackOrigin } from '@cloche/contract/origin-host';
import { Problem } from '@cloche/contract/problem';
import { assertDesignInScope } from '../tokens/authorize.ts';
import { assertActive, type TokenRecord, toTokenKind } from '../tokens/token.ts';
import { findTokenKind } from '../tokens/token-string.ts';
import { adviseListing, explainMismatch } from './origin-hints.ts';

/** The headers of a request for the framed document that the gate evaluates. */
export type EmbedContext = {
  secFetchDest?: string | undefined;
  secPurpose?: string | undefined;
  purpose?: string | undefined;
  xMoz?: string | undefined;
  origin?: string | undefined;
  referer?: string | undefined;
  /** The brands of the browser. Chromium-based browsers send them to secure origins. */
  secChUa?: string | undefined;
  /** The URL of the requested document. A Referer that is equal means that the document reloads itself. */
  documentUrl?: string | undefined;
};

/** Why a design is not shown. `pageOrigin` is the origin of the page, if the request names it. */
export type AccessDenial = {
  allowed: false;
  code: 'embed.prefetch' | 'embed.not-an-iframe' | 'embed.origin' | 'embed.unverified-origin';
  pageOrigin?: string;
  detail: string;
};

/**
 * The gate's decision. `reload`: the document requests itself again. `browser-decides`: the request names no
 * page, so `frame-ancestors` decides. `origins` are those of the token whose pages may frame the response.
 */
export type AccessDecision =
  | {
      allowed: true;
      reason: 'referer-allowed' | 'reload' | 'browser-decides';
      origins: readonly string[];
    }
  | AccessDenial;

/** Picks the headers that the gate evaluates. */
export function parseEmbedContext(
  headers: Record<string, string | string[] | undefined>,
): EmbedContext {
  const read = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  return {
    secFetchDest: read('sec-fetch-dest'),
    secPurpose: read('sec-purpose'),
    purpose: read('purpose'),
    xMoz: read('x-moz'),
    origin: read('origin'),
    referer: read('referer'),
    secChUa: read('sec-ch-ua'),
  };
}

/**
 * Checks the token string in the URL, before the token is looked up.
 *
 * @throws {Problem} token.missing, embed.placeholder, token.malformed, embed.secret-token
 */
export function assertEmbedTokenString(
  tokenString: string | undefined,
): asserts tokenString is string {
  if (tokenString === undefined || tokenString === '') {
    throw new Problem('token.missing', {
      detail: 'The URL has no token. Write a token from POST /v1/tokens after "?token=".',
    });
  }
  if (tokenString === TOKEN_PLACEHOLDER) {
    throw new Problem('embed.placeholder', {
      detail: `The HTML still contains ${TOKEN_PLACEHOLDER}. Replace it with a token from POST /v1/tokens that has capabilities ["embed"] and the origins of this site.`,
    });
  }
  const kind = findTokenKind(tokenString);
  if (kind === undefined) {
    throw new Problem('token.malformed', {
      detail:
        'The token in the URL is not a Cloche token, or it is incomplete or mistyped. Copy it again.',
    });
  }
  if (kind === 'secret') throw createSecretTokenError();
}

/**
 * Checks that a token may show the design. `token` is undefined if it does not exist.
 *
 * @throws {Problem} token.unknown, token.revoked, token.expired, embed.secret-token, token.design
 */
export function assertEmbedToken(
  token: TokenRecord | undefined,
  designId: string,
  now: Date,
): asserts token is TokenRecord {
  if (token === undefined) {
    throw new Problem('token.unknown', {
      detail:
        'This token does not exist on this service. Copy it again, or create one with POST /v1/tokens.',
    });
  }
  assertActive(token, now);
  if (toTokenKind(token.capabilities) === 'secret') throw createSecretTokenError();
  assertDesignInScope(token, designId);
}

function createSecretTokenError(): Problem {
  return new Problem('embed.secret-token', {
    detail:
      'This page contains a secret token, and everybody can read the page. Revoke the token now, and use a token with capabilities ["embed"] and origins.',
  });
}

/**
 * Decides by the headers of a request whether the page that embeds the design may show it. `origins`
 * are the origins of the token.
 *
 * The order matters: each rule relies on the rules before it. The browser also checks every ancestor
 * against `frame-ancestors`. These rules are stricter: the document loads in iframes only, and
 * `http://shop.example` does not match `https://shop.example`. A page that the Referer names is known
 * exactly; the pages around it are checked again by the viewer (viewer/src/find-disallowed-ancestor.ts).
 */
export function evaluateAccess(context: EmbedContext, origins: readonly string[]): AccessDecision {
  const { secFetchDest, origin, referer } = context;

  if ([context.secPurpose, context.purpose, context.xMoz].some(isPrefetch)) return PREFETCH_DENIAL;
  if (secFetchDest !== undefined && secFetchDest !== 'iframe') return denyNonIframe(secFetchDest);
  // An empty list never means every origin.
  if (origins.length === 0) return NO_ORIGINS_DENIAL;
  if (origin !== undefined && !isOriginAllowed(origins, origin)) {
    return denyUnlistedOrigin(origins, 'Origin', origin);
  }
  // Only a document that the gate has allowed sends its own URL: error pages that come before this rule
  // have the policy no-referrer. Over plain http, a reload would otherwise bring no evidence at all.
  if (referer !== undefined && referer === context.documentUrl) {
    return { allowed: true, reason: 'reload', origins };
  }
  if (referer !== undefined) {
    const page = findRefererOrigin(referer);
    const listed = page !== undefined && isOriginAllowed(origins, page);
    return listed
      ? { allowed: true, reason: 'referer-allowed', origins: listAncestors(origins, page) }
      : denyUnlistedOrigin(origins, 'Referer', referer);
  }
  return secFetchDest === undefined ? UNVERIFIED_ORIGIN_DENIAL : letBrowserDecide(origins);
}

/**
 * Lists the origins that may be around a listed page. `frame-ancestors http://h` also allows the pages of `https://h`,
 * which the token does not list. Browsers block an http page in an https page, unless its host is a loopback host. So
 * the http origins are sent for an http page only. Those of loopback hosts always are: who has the port of
 * `http://localhost:5173` has https too.
 */
function listAncestors(origins: readonly string[], page: string): readonly string[] {
  if (page.startsWith('http:') && !isLoopbackOrigin(page)) return origins;
  return origins.filter((origin) => origin.startsWith('https:') || isLoopbackOrigin(origin));
}

/**
 * Decides without a Referer. `frame-ancestors http://h` also allows the pages of `https://h`, which the token
 * does not list, so only the https origins remain: browsers compare these exactly.
 */
function letBrowserDecide(origins: readonly string[]): AccessDecision {
  const secureOrigins = origins.filter((origin) => origin.startsWith('https:'));
  if (secureOrigins.length === 0) return HIDDEN_HTTP_PAGE_DENIAL;
  return { allowed: true, reason: 'browser-decides', origins: secureOrigins };
}

const PREFETCH_DENIAL: AccessDenial = {
  allowed: false,
  code: 'embed.prefetch',
  detail:
    'The browser requested the design in advance. Designs load when their page is shown; nothing needs to be changed.',
};

const NO_ORIGINS_DENIAL: AccessDenial = {
  allowed: false,
  code: 'embed.origin',
  detail:
    'The token lists no origins, so no page can show its designs. Add the origins of your sites.',
};

const UNVERIFIED_ORIGIN_DENIAL: AccessDenial = {
  allowed: false,
  code: 'embed.unverified-origin',
  detail:
    'The request has neither a Referer nor a Sec-Fetch-Dest header, so the page cannot be verified. Keep referrerpolicy="strict-origin" on the iframe, and check that no proxy removes these headers.',
};

const HIDDEN_HTTP_PAGE_DENIAL: AccessDenial = {
  allowed: false,
  code: 'embed.unverified-origin',
  detail:
    'The request has no Referer header, and the token lists only http origins. Browsers do not tell http and https pages apart when they check who frames a document, so an http page must send its origin. Keep referrerpolicy="strict-origin" on the iframe, or serve the page over https and list that.',
};

function isPrefetch(purpose: string | undefined): boolean {
  return purpose !== undefined && /prefetch|prerender/i.test(purpose);
}

function denyNonIframe(dest: string): AccessDenial {
  const destination = /^[a-z-]{1,20}$/.test(dest) ? ` ("${dest}")` : '';
  const detail = `This URL works in an iframe only, but the request was of another kind${destination}. Paste the HTML of POST /embed/iframe/v1 into a page instead of opening, linking or fetching the URL.`;
  return { allowed: false, code: 'embed.not-an-iframe', detail };
}

function denyUnlistedOrigin(
  origins: readonly string[],
  header: string,
  value: string,
): AccessDenial {
  const denial = { allowed: false, code: 'embed.origin' } as const;
  const pageOrigin = findRefererOrigin(value);
  if (pageOrigin !== undefined) {
    const hint = explainMismatch(origins, pageOrigin);
    const detail = `${pageOrigin} is not in the token's list.${hint ? ` ${hint}` : ''} ${adviseListing(pageOrigin)}`;
    return { ...denial, pageOrigin, detail };
  }
  if (value === 'null') {
    const detail =
      'The page has no origin: it is in a sandboxed frame, or it is a file opened from disk. Such a page cannot be listed. Add allow-same-origin to the sandbox, or serve the page from a listed site.';
    return { ...denial, pageOrigin: 'null', detail };
  }
  if (/^https?:\/\/\[/.test(value)) {
    const detail =
      'The page has an IPv6 address, which frame-ancestors cannot match. Open the page by a host name, and list that.';
    return { ...denial, detail };
  }
  const detail = `The ${header} header does not contain the URL of a web page, so the page cannot be compared with the listed sites. Serve the page over http or https from a listed site.`;
  return { ...denial, detail };
}
