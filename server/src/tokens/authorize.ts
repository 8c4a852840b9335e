import type { IncomingHttpHeaders } from 'node:http';
import { isOriginAllowed } from '@cloche/contract/origin';
import { Problem } from '@cloche/contract/problem';
import type { Capability } from '@cloche/contract/token';
import type { PublicHost } from '../http/public-host.ts';
import type { UserRecord } from '../users/user.ts';
import { assertWithinScope, isWithinLimits } from './scope.ts';
import {
  isActive,
  isRestricted,
  isUnreadable,
  type StoredToken,
  type TokenRecord,
} from './token.ts';

/** The parts of a request that authorization depends on. */
export type AuthorizationInput = {
  /** One of these capabilities is enough. */
  requiredAnyOf: readonly Capability[];
  /** The header `Origin`. */
  origin: string | undefined;
  /** The header `Sec-Fetch-Site`. */
  secFetchSite: string | undefined;
  publicHost: Pick<PublicHost, 'origin' | 'isSameOrigin'>;
};

type WithDesigns = Pick<TokenRecord, 'designs'>;
type WithUser = Pick<TokenRecord, 'user'>;

/**
 * Asserts that an API request with an active token is allowed.
 *
 * A browser is recognized by `Origin` and `Sec-Fetch-Site`, not by `Sec-Fetch-Mode`: Node's `fetch`
 * sends that header too.
 *
 * @throws {Problem} token.secret-in-browser, token.origin, token.capability, checked in this order: a
 *   secret token in a browser is the most important problem
 */
export function authorize(token: TokenRecord, input: AuthorizationInput): void {
  const { origin, secFetchSite, requiredAnyOf } = input;
  const fromBrowser =
    origin !== undefined || (secFetchSite !== undefined && secFetchSite !== 'none');
  if (fromBrowser) assertBrowserAllowed(token, input);
  assertCapability(token, requiredAnyOf);
}

/** The parts of a request that prove that it comes from a page of this service. */
export type OwnPageInput = {
  origin: string | undefined;
  secFetchSite: string | undefined;
  referer: string | undefined;
  /** The public origin of this service. */
  ownOrigin: string;
};

/**
 * Asserts that a request of a session, or for a session, is allowed: it comes from a page of this
 * service, and the token of the session has one of the capabilities.
 *
 * @throws {Problem} token.origin, token.capability
 */
export function authorizeOwnPage(
  token: TokenRecord,
  input: OwnPageInput,
  requiredAnyOf: readonly Capability[],
): void {
  assertFromOwnPage(input);
  assertCapability(token, requiredAnyOf);
}

/**
 * Asserts that a request comes from a page of this service: the protection of sessions against requests that other pages
 * make. Browsers add the cookie also to requests of other hosts of the same site.
 *
 * @throws {Problem} token.origin
 */
export function assertFromOwnPage(input: OwnPageInput): void {
  if (isFromOwnPage(input)) return;
  throw new Problem('token.origin', {
    detail: `Sessions are for the pages of this service at ${input.ownOrigin}. Other pages and programs use an API token.`,
  });
}

/** Picks the headers that name the page of a request. */
export function toOwnPageInput(
  headers: IncomingHttpHeaders,
  { origin: ownOrigin }: Pick<PublicHost, 'origin'>,
): OwnPageInput {
  return {
    origin: headers.origin,
    secFetchSite: headers['sec-fetch-site'] as string | undefined,
    referer: headers.referer,
    ownOrigin,
  };
}

/**
 * Says whether a request comes from a page of this service. Every header that names the page must name
 * ours, and there must be one: over plain http a GET request has only a Referer.
 */
export function isFromOwnPage({ origin, secFetchSite, referer, ownOrigin }: OwnPageInput): boolean {
  const claims = [
    origin === undefined ? undefined : origin === ownOrigin,
    secFetchSite === undefined ? undefined : secFetchSite === 'same-origin',
    referer === undefined ? undefined : `${referer}/`.startsWith(`${ownOrigin}/`),
  ];
  return claims.includes(true) && !claims.includes(false);
}

/** @throws {Problem} token.capability */
function assertCapability(token: TokenRecord, requiredAnyOf: readonly Capability[]): void {
  if (requiredAnyOf.some((capability) => token.capabilities.includes(capability))) return;
  const required = requiredAnyOf.map((capability) => `"${capability}"`).join(' or ');
  const held = token.capabilities.map((capability) => `"${capability}"`).join(', ');
  throw new Problem('token.capability', {
    detail: `This request needs ${required}, and the token has ${held}. Use a token with the capability ${required}.`,
  });
}

/** Says whether a resource exists and belongs to the user of the token. */
export function isOwnedBy<T extends WithUser>(
  token: WithUser,
  resource: T | undefined,
): resource is T {
  return resource?.user === token.user;
}

/**
 * Asserts that a design is in the token's list of designs, or that the token has no list.
 *
 * @throws {Problem} token.design
 */
export function assertDesignInScope(token: WithDesigns, designId: string): void {
  if (isDesignInScope(token, designId)) return;
  throw new Problem('token.design', {
    detail: `This token is limited to some designs, and ${designId} is not one of them. Add it to the token's designs, or use another token.`,
  });
}

/**
 * Asserts that the token may be used to read a design, to follow its events, or to change it: rename,
 * replace the model, roll back to an older revision, delete.
 *
 * @throws {Problem} design.unknown, also for a design of another user, and token.design
 */
export function assertMayAccessDesign<T extends WithUser>(
  token: WithUser & WithDesigns,
  design: T | undefined,
  designId: string,
): asserts design is T {
  if (!isOwnedBy(token, design)) {
    throw new Problem('design.unknown', {
      detail: `There is no design ${designId} here. GET /v1/designs lists your designs.`,
    });
  }
  assertDesignInScope(token, designId);
}

/** Says whether a token that was allowed to read this design before still is. */
export function mayStillReadDesign(
  token: TokenRecord,
  design: WithUser & { id: string },
  now: Date,
): boolean {
  return (
    isActive(token, now) &&
    token.capabilities.includes('read') &&
    isOwnedBy(token, design) &&
    isDesignInScope(token, design.id)
  );
}

/**
 * Asserts that the token may be used to create designs.
 *
 * @throws {Problem} token.design
 */
export function assertMayCreateDesigns(token: WithDesigns): void {
  if (token.designs === undefined) return;
  throw new Problem('token.design', {
    detail:
      'This token is limited to some designs, so it cannot create new ones. Use a token without that limit.',
  });
}

/**
 * Asserts that the token may be used to share a design with anyone, on any page. To create an embed token for
 * any page, a token needs the capability `embed` and no origins; this is the same permission.
 *
 * @throws {Problem} token.scope-exceeded
 */
export function assertMayShareDesign({
  capabilities,
  origins,
}: Pick<TokenRecord, 'capabilities' | 'origins'>): void {
  if (capabilities.includes('embed') && origins.length === 0) return;
  const reason = capabilities.includes('embed')
    ? 'the token in the Authorization header has a list of origins, and a shared design is shown on any page. Use a token without origins'
    : 'the token in the Authorization header does not have the capability "embed". Use a token that has it';
  throw new Problem('token.scope-exceeded', { field: 'shared', detail: `shared: ${reason}.` });
}

/** Says whether the token may be used for an upload. `designId` is undefined if it creates a design. */
export function mayAccessUpload(
  token: WithUser & WithDesigns,
  upload: WithUser & { designId: string | undefined },
): boolean {
  if (!isOwnedBy(token, upload)) return false;
  if (token.designs === undefined) return true;
  return upload.designId !== undefined && isDesignInScope(token, upload.designId);
}

/**
 * Says whether the token may be used to list, read, check, change, rotate and revoke another token: one of
 * its own user. A token that is limited to origins or designs manages only tokens within these limits.
 */
export function mayManageToken(
  token: TokenRecord,
  target: StoredToken | undefined,
): target is StoredToken {
  if (!isOwnedBy(token, target)) return false;
  // The limits of a damaged token are not known.
  return isUnreadable(target) ? !isRestricted(token) : isWithinLimits(target, token);
}

/**
 * Asserts that the token may be used to manage another token.
 *
 * @throws {Problem} token.not-found: a token that may not be managed looks like one that does not exist
 */
export function assertMayManageToken(
  token: TokenRecord,
  target: StoredToken | undefined,
): asserts target is StoredToken {
  if (mayManageToken(token, target)) return;
  throw new Problem('token.not-found', { field: 'path.id' });
}

/**
 * Asserts that the token may be used to revoke the descendants of a token. A descendant may have got more
 * origins or designs after it was created. It may also be a token of another user.
 *
 * @throws {Problem} token.scope-exceeded
 */
export function assertMayRevokeDescendants(
  token: TokenRecord,
  descendants: readonly StoredToken[],
): void {
  if (!isRestricted(token)) return;
  if (descendants.every((descendant) => mayManageToken(token, descendant))) return;
  throw new Problem('token.scope-exceeded', {
    field: 'query.descendants',
    detail:
      'query.descendants: some descendants of this token are outside the scope of the token in the Authorization header. Nothing was revoked. Use a token without limits.',
  });
}

/**
 * Asserts that the token may be used to rotate another token. The caller gets the token string of the
 * successor, so the whole scope must be within its own.
 *
 * @throws {Problem} token.not-found, token.scope-exceeded
 */
export function assertMayRotateToken(
  token: TokenRecord,
  target: StoredToken | undefined,
): asserts target is StoredToken {
  assertMayManageToken(token, target);
  if (!isUnreadable(target)) assertWithinScope(target, token);
}

/**
 * Returns the user of a token that is created. `~` is the user of the token in the Authorization header.
 * Only the token of an operator, without limits, may create tokens for other users.
 *
 * @param target the user that `requested` names, if there is one
 * @throws {Problem} token.user: the same for a user that exists and for one that does not, unless the
 *   token may create tokens for other users
 */
export function getUserOfNewToken(
  token: WithUser & Pick<TokenRecord, 'operator' | 'origins' | 'designs'>,
  requested = '~',
  target?: Pick<UserRecord, 'id' | 'name' | 'disabledAt'>,
): string {
  if (requested === '~' || target?.id === token.user) return token.user;
  if (!token.operator || isRestricted(token)) {
    throw createUserError(
      'a token can be created for your own user only. Write "~" or your own user id',
    );
  }
  if (target === undefined) {
    throw createUserError(
      'there is no such user. Write "~", or the name or id of a user: the command "cloche-server users list" lists them',
    );
  }
  if (target.disabledAt === undefined) return target.id;
  throw createUserError(
    `this user is disabled. The command "cloche-server users enable ${target.name}" enables it`,
  );
}

function createUserError(reason: string): Problem {
  return new Problem('token.user', { field: 'user', detail: `user: ${reason}.` });
}

function isDesignInScope(token: WithDesigns, designId: string): boolean {
  return token.designs === undefined || token.designs.includes(designId);
}

function assertBrowserAllowed(token: TokenRecord, input: AuthorizationInput): void {
  if (token.origins.length === 0) {
    throw new Problem('token.secret-in-browser', {
      detail:
        'This token is for servers, and the request comes from a browser, where anyone can read the token. Revoke it if the page is public. For a page, create a token with capabilities ["embed"] and origins.',
    });
  }
  if (isPageListed(token, input)) return;
  // Without the list: everyone who has a copy of the page's token can read this problem.
  throw new Problem('token.origin', {
    detail: `The request comes from ${formatOrigin(input)}, which is not in the token's list of origins. Add it with PATCH /v1/tokens/{id}, or use a token that lists it.`,
  });
}

/** Says whether the request comes from a page that is in the token's list of origins. */
function isPageListed(
  { origins }: TokenRecord,
  { origin, secFetchSite, publicHost }: AuthorizationInput,
): boolean {
  if (secFetchSite === 'same-origin') {
    // From a page of this service, which may have sent no Origin header: a GET request has none.
    const listsOwnOrigin =
      isOriginAllowed(origins, publicHost.origin) ||
      origins.some(publicHost.isSameOrigin, publicHost);
    if (listsOwnOrigin) return true;
  }
  return origin !== undefined && isOriginAllowed(origins, origin);
}

function formatOrigin({ origin, secFetchSite, publicHost }: AuthorizationInput): string {
  const pageOrigin = origin ?? (secFetchSite === 'same-origin' ? publicHost.origin : undefined);
  if (pageOrigin === undefined) return 'a page that sends no origin';
  return /^[\x21-\x7e]{1,300}$/.test(pageOrigin) ? pageOrigin : 'a page with a malformed origin';
}

/**
 * Asserts that a token may read about the service as a whole, or manage it: it belongs to an operator and is not limited.
 *
 * @throws {Problem} token.operator
 */
export function assertOperator(token: Pick<TokenRecord, 'operator' | 'origins' | 'designs'>): void {
  if (token.operator && !isRestricted(token)) return;
  throw new Problem('token.operator', {
    detail:
      'Only a token of an operator, without origins and designs, may read about the service as a whole, or manage it.',
  });
}
