import { Problem } from '@cloche/contract/problem';
import type { Capability } from '@cloche/contract/token';
import {
  generateTokenString,
  hashTokenString,
  randomBase62,
  type TokenKind,
} from './token-string.ts';

/** An API token as we keep it. The string itself is never stored, only its hash. */
export type TokenRecord = {
  id: string;
  user: string;
  name: string;
  /** SHA-256 of the token string, hex. */
  hash: string;
  capabilities: readonly Capability[];
  /** Where it may be used. Empty: servers only. Never empty for a public token. */
  origins: readonly string[];
  /** The only designs it reaches; undefined: all of its user. */
  designs: readonly string[] | undefined;
  createdAt: Date;
  expiresAt: Date | undefined;
  revokedAt: Date | undefined;
  lastUsedAt: Date | undefined;
  seenInBrowserAt: Date | undefined;
};

/** How far a token reaches: what a child may not exceed. */
export type TokenScope = Pick<TokenRecord, 'capabilities' | 'origins' | 'designs' | 'expiresAt'>;

/** What a token is made from: its reach, its owner and its name. */
export type NewToken = TokenScope & Pick<TokenRecord, 'user' | 'name'>;

/** Makes a token, and the one string its holder will ever be shown. */
export function createToken(plan: NewToken, now: Date): { token: TokenRecord; secret: string } {
  const secret = generateTokenString(toTokenKind(plan.capabilities));
  const token: TokenRecord = {
    ...plan,
    id: `tok_${randomBase62(16)}`,
    hash: hashTokenString(secret),
    createdAt: now,
    revokedAt: undefined,
    lastUsedAt: undefined,
    seenInBrowserAt: undefined,
  };
  return { token, secret };
}

/** Public is a token that can embed and nothing else; only that may stand in page source. */
export function toTokenKind(capabilities: readonly Capability[]): TokenKind {
  return capabilities.length === 1 && capabilities[0] === 'embed' ? 'public' : 'secret';
}

/**
 * Stops a token that is over.
 * @throws {Problem} token.revoked, token.expired
 */
export function assertActive(token: TokenRecord, now: Date): void {
  if (token.revokedAt !== undefined) {
    throw new Problem('token.revoked', {
      detail: `This token was revoked at ${token.revokedAt.toISOString()}. Make another with POST /v1/tokens.`,
    });
  }
  if (token.expiresAt !== undefined && token.expiresAt <= now) {
    throw new Problem('token.expired', {
      detail: `This token expired at ${token.expiresAt.toISOString()}. Make another with POST /v1/tokens.`,
    });
  }
}

/**
 * Stops a token that does not reach a design.
 * @throws {Problem} token.design
 */
export function assertDesignInScope(token: Pick<TokenRecord, 'designs'>, design: string): void {
  if (token.designs === undefined || token.designs.includes(design)) return;
  throw new Problem('token.design', {
    detail: `This token reaches only the designs on its list, and ${design} is not one of them. Add it to the token's designs, or use another token.`,
  });
}
