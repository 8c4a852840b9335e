import { Problem } from '@cloche/contract/problem';
import type { CreateTokenRequest, UpdateTokenRequest } from '@cloche/contract/token';
import { parseDisplayName } from '../http/display-name.ts';
import { parseOrigins } from './origins.ts';
import { assertWithinScope } from './scope.ts';
import { type NewToken, type TokenRecord, type TokenScope, toTokenKind } from './token.ts';

/**
 * Reads what a client wants of a new token.
 *
 * @throws {Problem} request.invalid, origin.invalid, token.user, token.reach
 */
export function parseCreateTokenRequest(
  wish: CreateTokenRequest,
  parent: TokenRecord,
  now: Date,
): NewToken {
  if (wish.user !== '~' && wish.user !== parent.user) {
    throw new Problem('token.user', {
      field: 'user',
      detail: 'user: tokens are made for oneself. Write "~", or your own id.',
    });
  }
  const reach: TokenScope = {
    capabilities: wish.capabilities,
    origins: parseOrigins(wish.origins ?? []),
    designs: wish.designs ?? undefined,
    expiresAt: parseExpiry(wish.expiresAt, now),
  };
  assertOriginsPresent(reach);
  assertWithinScope(reach, parent);
  const name = wish.name === undefined ? '' : parseDisplayName(wish.name, 'name');
  return { ...reach, user: parent.user, name };
}

/**
 * Reads a change of a token. What it would become is checked like a new one.
 *
 * @throws {Problem} request.invalid, origin.invalid, token.reach
 */
export function applyTokenUpdate(
  change: UpdateTokenRequest,
  token: TokenRecord,
  caller: TokenRecord,
  now: Date,
): TokenRecord {
  const changed: TokenRecord = {
    ...token,
    ...(change.name !== undefined && { name: parseDisplayName(change.name, 'name') }),
    ...(change.origins !== undefined && { origins: parseOrigins(change.origins) }),
    ...(change.designs !== undefined && { designs: change.designs ?? undefined }),
    ...(change.expiresAt !== undefined && { expiresAt: parseExpiry(change.expiresAt, now) }),
  };
  assertOriginsPresent(changed);
  assertWithinScope(changed, caller);
  return changed;
}

function assertOriginsPresent(reach: TokenScope): void {
  if (toTokenKind(reach.capabilities) === 'secret' || reach.origins.length > 0) return;
  throw new Problem('request.invalid', {
    field: 'origins',
    detail:
      'origins: a token that only embeds needs the sites it may embed on, such as ["https://shop.example"]. An empty list never means anywhere.',
  });
}

function parseExpiry(text: string | null | undefined, now: Date): Date | undefined {
  if (text === null || text === undefined) return undefined;
  const time = new Date(text);
  if (Number.isNaN(time.getTime()) || time <= now) {
    throw new Problem('request.invalid', {
      field: 'expiresAt',
      detail: `expiresAt: must be a time to come, such as "${oneYearAfter(now)}".`,
    });
  }
  return time;
}

function oneYearAfter(now: Date): string {
  const time = new Date(now);
  time.setUTCFullYear(time.getUTCFullYear() + 1, time.getUTCMonth(), time.getUTCDate());
  return time.toISOString();
}
