import { PLACEHOLDER } from '@cloche/contract/embed';
import { originListed, refererOrigin } from '@cloche/contract/origin';
import { Problem } from '@cloche/contract/problem';
import { originParts } from '../tokens/origins.ts';
import { checkAlive, checkDesign, kindFor, type Token } from '../tokens/token.ts';
import { kindOf } from '../tokens/token-string.ts';
import { nearMiss } from './advice.ts';

/** What a request for the framed document shows of how it came about. */
export type Visit = {
  secFetchDest?: string | undefined;
  secPurpose?: string | undefined;
  purpose?: string | undefined;
  xMoz?: string | undefined;
  origin?: string | undefined;
  referer?: string | undefined;
};

/** Why a design is not shown; `seen` is the page's origin, where the request tells one. */
export type Refusal = {
  allowed: false;
  code: 'embed.prefetch' | 'embed.not-an-iframe' | 'embed.origin' | 'embed.no-evidence';
  seen?: string;
  detail: string;
};

/** The gate's decision. `browser-decides`: nobody said which page; `frame-ancestors` will tell. */
export type Verdict = { allowed: true; reason: 'referer-allowed' | 'browser-decides' } | Refusal;

/** Picks from a request's headers what the gate looks at. */
export function readVisit(headers: Record<string, string | string[] | undefined>): Visit {
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
export function checkTokenText(text: string | undefined): asserts text is string {
  if (text === undefined || text === '') {
    throw new Problem('token.missing', {
      detail: 'The address has no token. Put one that POST /v1/tokens made after "?token=".',
    });
  }
  if (text === PLACEHOLDER) {
    throw new Problem('embed.placeholder', {
      detail: `The HTML still says ${PLACEHOLDER}. Put a token there, made by POST /v1/tokens with capabilities ["embed"] and the origins of this site.`,
    });
  }
  const kind = kindOf(text);
  if (kind === undefined) {
    throw new Problem('token.malformed', {
      detail:
        'The token in the address is not one of Cloche, or was cut or mistyped. Copy it again.',
    });
  }
  if (kind === 'secret') throw secretToken();
}

/**
 * Stops a token that may not show this design; `undefined` is a token nobody made.
 *
 * @throws {Problem} token.unknown, token.revoked, token.expired, embed.secret-token, token.design
 */
export function checkEmbedToken(
  token: Token | undefined,
  design: string,
  now: Date,
): asserts token is Token {
  if (token === undefined) {
    throw new Problem('token.unknown', {
      detail: 'No such token exists here. Copy it again, or make one with POST /v1/tokens.',
    });
  }
  checkAlive(token, now);
  if (kindFor(token.capabilities) === 'secret') throw secretToken();
  checkDesign(token, design);
}

function secretToken(): Problem {
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
export function judgeVisit(visit: Visit, origins: readonly string[]): Verdict {
  const { secFetchDest, origin, referer } = visit;

  if ([visit.secPurpose, visit.purpose, visit.xMoz].some(isPrefetch)) return PREFETCH;
  if (secFetchDest !== undefined && secFetchDest !== 'iframe') return notAnIframe(secFetchDest);
  // An empty list never means anywhere.
  if (origins.length === 0) return NOWHERE;
  if (origin !== undefined && !originListed(origins, origin)) {
    return notListed(origins, 'Origin', origin);
  }
  if (referer !== undefined) {
    const page = refererOrigin(referer);
    const listed = page !== undefined && originListed(origins, page);
    return listed
      ? { allowed: true, reason: 'referer-allowed' }
      : notListed(origins, 'Referer', referer);
  }
  return secFetchDest === undefined ? NO_EVIDENCE : { allowed: true, reason: 'browser-decides' };
}

/**
 * Writes the `frame-ancestors` directive, from the parts of each origin and never from its text: what
 * is not canonical fails an assertion instead of becoming a directive of its own.
 *
 * @example frameAncestors(['https://shop.example']) // 'frame-ancestors https://shop.example'
 */
export function frameAncestors(origins: readonly string[]): string {
  const sources = origins.map((origin) => {
    const { scheme, wildcard, host, port } = originParts(origin);
    return `${scheme}://${wildcard ? '*.' : ''}${host}${port === '' ? '' : `:${port}`}`;
  });
  return `frame-ancestors ${sources.length === 0 ? "'none'" : sources.join(' ')}`;
}

const PREFETCH: Refusal = {
  allowed: false,
  code: 'embed.prefetch',
  detail:
    'The browser asked for this ahead of time. Designs load when their page is shown; nothing needs to be changed.',
};

const NOWHERE: Refusal = {
  allowed: false,
  code: 'embed.origin',
  detail: 'The token lists no origins, so it shows designs nowhere. Add the sites it is for.',
};

const NO_EVIDENCE: Refusal = {
  allowed: false,
  code: 'embed.no-evidence',
  detail:
    'The request has neither a Referer nor Sec-Fetch-Dest, so nothing says that it comes from a listed page. Keep referrerpolicy="strict-origin" on the iframe, and remove what strips these headers on the way.',
};

function isPrefetch(purpose: string | undefined): boolean {
  return purpose !== undefined && /prefetch|prerender/i.test(purpose);
}

function notAnIframe(dest: string): Refusal {
  const how = /^[a-z-]{1,20}$/.test(dest) ? ` ("${dest}")` : '';
  const detail = `This address works in an iframe only, and it was asked for in another way${how}. Paste the HTML of POST /embed/iframe/v1 into a page instead of opening, linking or fetching the address.`;
  return { allowed: false, code: 'embed.not-an-iframe', detail };
}

function notListed(origins: readonly string[], header: string, value: string): Refusal {
  const refusal = { allowed: false, code: 'embed.origin' } as const;
  const seen = refererOrigin(value);
  if (seen !== undefined) {
    const hint = nearMiss(origins, seen);
    const detail = `${seen} is not on this token’s list.${hint ? ` ${hint}` : ''} Add ${seen} to the token’s origins if designs may be shown there.`;
    return { ...refusal, seen, detail };
  }
  if (value === 'null') {
    const detail =
      'The page has no origin of its own: it is in a sandboxed frame, or a file opened from disk. Such a page cannot be listed. Add allow-same-origin to the sandbox, or serve the page from a listed site.';
    return { ...refusal, seen: 'null', detail };
  }
  if (/^https?:\/\/\[/.test(value)) {
    const detail =
      'The page stands on an IPv6 address, and browsers let none of those frame a design. Open it by a host name, and list that.';
    return { ...refusal, detail };
  }
  const detail = `The ${header} header names no web page, so none of the listed sites could be recognised. Serve the page over http or https from a listed site.`;
  return { ...refusal, detail };
}
