import { isOriginAllowed } from '@cloche/contract/origin';
import { Problem } from '@cloche/contract/problem';
import type { Capability } from '@cloche/contract/token';
import type { TokenRecord } from './token.ts';

/** What a request shows of where it comes from: its headers, and our own origin. */
export type AuthorizationInput = {
  /** One of these is enough. */
  requiredAnyOf: readonly Capability[];
  origin: string | undefined;
  secFetchSite: string | undefined;
  ownOrigin: string;
};

/**
 * Lets an API request of a live token through, or says why not.
 *
 * Not `Sec-Fetch-Mode`: the fetch of Node sends it too.
 *
 * @throws {Problem} token.secret-in-browser, token.origin, token.capability, tried in that order:
 *   a secret that shows itself to a browser is the worse news.
 */
export function authorize(token: TokenRecord, ask: AuthorizationInput): void {
  const { origin, secFetchSite } = ask;
  const fromBrowser =
    origin !== undefined || (secFetchSite !== undefined && secFetchSite !== 'none');
  if (fromBrowser) assertOriginAllowed(token, ask);

  if (!ask.requiredAnyOf.some((one) => token.capabilities.includes(one))) {
    const wanted = ask.requiredAnyOf.map((one) => `"${one}"`).join(' or ');
    const held = token.capabilities.map((one) => `"${one}"`).join(', ');
    throw new Problem('token.capability', {
      detail: `This needs ${wanted}, and the token has ${held}. Use a token with that capability.`,
    });
  }
}

/**
 * Checks that a token may create designs: it must not be limited to a list of designs.
 *
 * @throws {Problem} token.design
 */
export function assertMayCreateDesigns(token: Pick<TokenRecord, 'designs'>): void {
  if (token.designs === undefined) return;
  throw new Problem('token.design', {
    detail:
      'This token is limited to some designs, so it cannot create new ones. Use a token without that limit.',
  });
}

function assertOriginAllowed(
  token: TokenRecord,
  { origin, secFetchSite, ownOrigin }: AuthorizationInput,
): void {
  if (token.origins.length === 0) {
    throw new Problem('token.secret-in-browser', {
      detail:
        'This token is for servers, and the request comes from a browser, where anyone can read it. Revoke it if the page is public; for a page, make a token with capabilities ["embed"] and origins.',
    });
  }
  // A same-origin GET sends no Origin; its page is one of ours.
  const page = origin ?? (secFetchSite === 'same-origin' ? ownOrigin : undefined);
  if (page === undefined || !isOriginAllowed(token.origins, page)) {
    throw new Problem('token.origin', {
      detail: `The request comes from ${formatOrigin(page)}, which is not on the token's list of origins (${token.origins.join(', ')}).`,
    });
  }
}

function formatOrigin(origin: string | undefined): string {
  if (origin === undefined) return 'a page that does not say its origin';
  return /^[\x21-\x7e]{1,300}$/.test(origin) ? origin : 'a page with a malformed origin';
}
