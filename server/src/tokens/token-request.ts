import { Problem } from '@cloche/contract/problem';
import type { CreateTokenRequest, UpdateTokenRequest } from '@cloche/contract/token';
import { LATEST_TIME, parseDateTime } from '../http/date-time.ts';
import { parseDisplayName } from '../http/display-name.ts';
import { ProblemCollector } from '../http/problem-collector.ts';
import type { UserRecord } from '../users/user.ts';
import { getUserOfNewToken } from './authorize.ts';
import { findUncoveredOrigin, parseOrigins } from './origins.ts';
import { assertWithinScope } from './scope.ts';
import { type NewToken, type TokenRecord, type TokenScope, toTokenKind } from './token.ts';

/** Who creates a token: a token, or the operator on the machine of the service, who has no id. */
export type TokenIssuer = TokenScope &
  Pick<TokenRecord, 'user' | 'operator'> & { id: string | undefined };

/**
 * Checks the request for a new token.
 *
 * @param target the user that `request.user` names, if there is one
 * @throws {Problem} request.invalid, origin.invalid, token.user, token.scope-exceeded
 */
export function parseCreateTokenRequest(
  request: CreateTokenRequest,
  parent: TokenIssuer,
  now: Date,
  target?: UserRecord,
): NewToken {
  const problems = new ProblemCollector();
  const user =
    problems.tryParse(() => getUserOfNewToken(parent, request.user, target)) ?? parent.user;
  const scope: TokenScope = {
    capabilities: request.capabilities,
    origins: parseOrigins(request.origins ?? []),
    designs: parseDesigns(request.designs),
    expiresAt: problems.tryParse(() => parseExpiry(request.expiresAt, now)),
  };
  problems.tryParse(() => assertOriginsPresent(scope));
  problems.throwIfAny();
  assertWithinScope(scope, parent);
  const name = request.name === undefined ? '' : parseDisplayName(request.name, 'name');
  return { ...scope, user, name, issuedBy: parent.id };
}

/**
 * Returns the token with the requested changes. The result is checked like a new token.
 *
 * @throws {Problem} request.invalid, origin.invalid, token.scope-exceeded
 */
export function applyTokenUpdate(
  request: UpdateTokenRequest,
  token: TokenRecord,
  parent: TokenRecord,
  now: Date,
): TokenRecord {
  const problems = new ProblemCollector();
  const updated: TokenRecord = {
    ...token,
    ...(request.name !== undefined && { name: parseName(request.name) }),
    ...(request.origins !== undefined && { origins: parseOrigins(request.origins) }),
    ...(request.designs !== undefined && { designs: parseDesigns(request.designs) }),
    ...(request.expiresAt !== undefined && {
      expiresAt: problems.tryParse(() => parseExpiry(request.expiresAt, now)),
    }),
  };
  problems.tryParse(() => assertOriginsPresent(updated));
  problems.throwIfAny();
  assertWithinScope(updated, parent);
  return {
    ...updated,
    scopeVersion: token.scopeVersion + (removesOrigins(token, updated) ? 1 : 0),
  };
}

const parseName = (name: string | null) => (name === null ? '' : parseDisplayName(name, 'name'));

/** Says whether some page that the token allows would not be allowed by the updated token. */
function removesOrigins(token: TokenScope, updated: TokenScope): boolean {
  return findUncoveredOrigin(token.origins, updated.origins) !== undefined;
}

/** Design ids in lower case, each once. Undefined: all designs. */
function parseDesigns(ids: readonly string[] | null | undefined): string[] | undefined {
  return ids == null ? undefined : [...new Set(ids.map((id) => id.toLowerCase()))];
}

function assertOriginsPresent({ capabilities, origins }: TokenScope): void {
  if (toTokenKind(capabilities) === 'secret' || origins.length > 0) return;
  throw new Problem('request.invalid', {
    field: 'origins',
    detail:
      'origins: a token with only the capability "embed" needs at least one origin, such as ["https://shop.example"]. An empty list does not mean any origin.',
  });
}

function parseExpiry(text: string | null | undefined, now: Date): Date | undefined {
  if (text === null || text === undefined) return undefined;
  const time = parseDateTime(text);
  if (time === undefined || time <= now) {
    throw createExpiryError(`must be in the future, such as "${oneYearAfter(now)}"`);
  }
  if (time > LATEST_TIME) {
    throw createExpiryError(
      `must not be after ${LATEST_TIME.toISOString()}; null means that the token never expires`,
    );
  }
  return time;
}

function createExpiryError(reason: string): Problem {
  return new Problem('request.invalid', { field: 'expiresAt', detail: `expiresAt: ${reason}.` });
}

function oneYearAfter(now: Date): string {
  const time = new Date(now);
  time.setUTCFullYear(time.getUTCFullYear() + 1, time.getUTCMonth(), time.getUTCDate());
  return time.toISOString();
}
