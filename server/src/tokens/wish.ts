import { Problem } from '@cloche/contract/problem';
import type { TokenChange, TokenWish } from '@cloche/contract/token';
import { cleanText } from '../http/text.ts';
import { readOrigins } from './origins.ts';
import { checkReach } from './reach.ts';
import { kindFor, type Plan, type Reach, type Token } from './token.ts';

/**
 * Reads what a client wants of a new token.
 *
 * @throws {Problem} request.invalid, origin.invalid, token.user, token.reach
 */
export function readWish(wish: TokenWish, parent: Token, now: Date): Plan {
  if (wish.user !== '~' && wish.user !== parent.user) {
    throw new Problem('token.user', {
      field: 'user',
      detail: 'user: tokens are made for oneself. Write "~", or your own id.',
    });
  }
  const reach: Reach = {
    capabilities: wish.capabilities,
    origins: readOrigins(wish.origins ?? []),
    designs: wish.designs ?? undefined,
    expiresAt: readExpiry(wish.expiresAt, now),
  };
  checkOriginsPresent(reach);
  checkReach(reach, parent);
  const name = wish.name === undefined ? '' : cleanText(wish.name, 'name');
  return { ...reach, user: parent.user, name };
}

/**
 * Reads a change of a token. What it would become is checked like a new one.
 *
 * @throws {Problem} request.invalid, origin.invalid, token.reach
 */
export function readChange(change: TokenChange, token: Token, caller: Token, now: Date): Token {
  const changed: Token = {
    ...token,
    ...(change.name !== undefined && { name: cleanText(change.name, 'name') }),
    ...(change.origins !== undefined && { origins: readOrigins(change.origins) }),
    ...(change.designs !== undefined && { designs: change.designs ?? undefined }),
    ...(change.expiresAt !== undefined && { expiresAt: readExpiry(change.expiresAt, now) }),
  };
  checkOriginsPresent(changed);
  checkReach(changed, caller);
  return changed;
}

function checkOriginsPresent(reach: Reach): void {
  if (kindFor(reach.capabilities) === 'secret' || reach.origins.length > 0) return;
  throw new Problem('request.invalid', {
    field: 'origins',
    detail:
      'origins: a token that only embeds needs the sites it may embed on, such as ["https://shop.example"]. An empty list never means anywhere.',
  });
}

function readExpiry(text: string | null | undefined, now: Date): Date | undefined {
  if (text === null || text === undefined) return undefined;
  const time = new Date(text);
  if (Number.isNaN(time.getTime()) || time <= now) {
    throw new Problem('request.invalid', {
      field: 'expiresAt',
      detail: `expiresAt: must be a time to come, such as "${inOneYear(now)}".`,
    });
  }
  return time;
}

function inOneYear(now: Date): string {
  const time = new Date(now);
  time.setUTCFullYear(time.getUTCFullYear() + 1, time.getUTCMonth(), time.getUTCDate());
  return time.toISOString();
}
