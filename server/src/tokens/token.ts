import { Problem } from '@cloche/contract/problem';
import type { Capability } from '@cloche/contract/token';
import {
  generateTokenString,
  hashTokenString,
  randomBase62,
  type TokenKind,
} from './token-string.ts';

/** An API token as stored. Only the hash of the token string is stored, never the string itself. */
export type TokenRecord = {
  id: string;
  user: string;
  name: string;
  /** SHA-256 of the token string, hex. */
  hash: string;
  capabilities: readonly Capability[];
  /** Origins whose pages may use the token. Empty: for servers only. Never empty for a public token. */
  origins: readonly string[];
  /** Ids of the designs the token is limited to. Undefined: all designs of its user. */
  designs: readonly string[] | undefined;
  createdAt: Date;
  expiresAt: Date | undefined;
  revokedAt: Date | undefined;
  lastUsedAt: Date | undefined;
  seenInBrowserAt: Date | undefined;
};

/** What a token may do. A child token may not exceed it. */
export type TokenScope = Pick<TokenRecord, 'capabilities' | 'origins' | 'designs' | 'expiresAt'>;

/** The input of `createToken`. */
export type NewToken = TokenScope & Pick<TokenRecord, 'user' | 'name'>;

/** Creates a token and its token string, which is shown to the caller only once. */
export function createToken(
  newToken: NewToken,
  now: Date,
): { token: TokenRecord; tokenString: string } {
  const tokenString = generateTokenString(toTokenKind(newToken.capabilities));
  const token: TokenRecord = {
    ...newToken,
    id: `tok_${randomBase62(16)}`,
    hash: hashTokenString(tokenString),
    createdAt: now,
    revokedAt: undefined,
    lastUsedAt: undefined,
    seenInBrowserAt: undefined,
  };
  return { token, tokenString };
}

/** Returns the kind of a token: public if it can only embed, so it may be in the source of a page. */
export function toTokenKind(capabilities: readonly Capability[]): TokenKind {
  return capabilities.length === 1 && capabilities[0] === 'embed' ? 'public' : 'secret';
}

/**
 * Asserts that the token is neither revoked nor expired.
 *
 * @throws {Problem} token.revoked, token.expired
 */
export function assertActive(token: TokenRecord, now: Date): void {
  if (token.revokedAt !== undefined) {
    throw new Problem('token.revoked', {
      detail: `This token was revoked at ${token.revokedAt.toISOString()}. Create a new one with POST /v1/tokens.`,
    });
  }
  if (token.expiresAt !== undefined && token.expiresAt <= now) {
    throw new Problem('token.expired', {
      detail: `This token expired at ${token.expiresAt.toISOString()}. Create a new one with POST /v1/tokens.`,
    });
  }
}
