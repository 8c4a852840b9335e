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
  /** The id of the parent: the token of the request that created this one. Undefined: created on the machine of the service. */
  issuedBy: string | undefined;
  /** The id of the token that this one replaces, if it was created by a rotation. */
  replaces: string | undefined;
  /** The id of the token that replaces this one, since `replacedAt`. */
  replacedBy: string | undefined;
  replacedAt: Date | undefined;
  /** Incremented when origins are removed: asset grants of an older version are refused. */
  scopeVersion: number;
  /** Whether the user of the token is an operator. */
  operator: boolean;
  /** Since then, the user of the token is disabled. */
  userDisabledAt: Date | undefined;
  /** Incremented by each change, except by recording its use. */
  version: number;
};

/**
 * A token whose row is damaged, so that its scope is not known. It cannot be used, but it is listed, and
 * can be revoked.
 */
export type UnreadableToken = Pick<TokenRecord, 'id' | 'user' | 'name' | 'version'> & {
  /** Which column is damaged. */
  damage: string;
};

/** A row of the token table. */
export type StoredToken = TokenRecord | UnreadableToken;

/** What a token may do. A child token may not exceed it. */
export type TokenScope = Pick<TokenRecord, 'capabilities' | 'origins' | 'designs' | 'expiresAt'>;

/** The input of `createToken`. */
export type NewToken = TokenScope &
  Pick<TokenRecord, 'user' | 'name'> &
  Partial<Pick<TokenRecord, 'issuedBy' | 'replaces'>>;

/** Creates a token and its token string, which is shown to the caller only once. */
export function createToken(
  newToken: NewToken,
  now: Date,
): { token: TokenRecord; tokenString: string } {
  const tokenString = generateTokenString(toTokenKind(newToken.capabilities));
  const token: TokenRecord = {
    issuedBy: undefined,
    replaces: undefined,
    ...newToken,
    id: `tok_${randomBase62(16)}`,
    hash: hashTokenString(tokenString),
    createdAt: now,
    revokedAt: undefined,
    lastUsedAt: undefined,
    seenInBrowserAt: undefined,
    replacedBy: undefined,
    replacedAt: undefined,
    scopeVersion: 0,
    // Properties of the user. The store reads them; here they are not known.
    operator: false,
    userDisabledAt: undefined,
    version: 1,
  };
  return { token, tokenString };
}

/** Returns the kind of a token: public if it can only embed, so it may be in the source of a page. */
export function toTokenKind(capabilities: readonly Capability[]): TokenKind {
  return capabilities.length === 1 && capabilities[0] === 'embed' ? 'public' : 'secret';
}

export function isUnreadable(token: StoredToken): token is UnreadableToken {
  return 'damage' in token;
}

export function isReadable(token: StoredToken): token is TokenRecord {
  return !isUnreadable(token);
}

/** Says whether a token is limited to origins or designs. */
export function isRestricted({ origins, designs }: Pick<TokenRecord, 'origins' | 'designs'>) {
  return origins.length > 0 || designs !== undefined;
}

/** Says whether a token is known to be revoked. */
export function isRevoked(token: StoredToken): boolean {
  return !isUnreadable(token) && token.revokedAt !== undefined;
}

/** Says whether a token is active and can create any other token, within its own capabilities. */
export function canIssueTokens(token: TokenRecord, now: Date): boolean {
  return isActive(token, now) && token.capabilities.includes('write') && !isRestricted(token);
}

/** Says whether the token is neither revoked nor expired, and its user is not disabled. */
export function isActive(
  { revokedAt, expiresAt, userDisabledAt }: TokenRecord,
  now: Date,
): boolean {
  if (revokedAt !== undefined || userDisabledAt !== undefined) return false;
  return expiresAt === undefined || expiresAt > now;
}

/**
 * Asserts that the token is neither revoked nor expired, and that its user is not disabled.
 *
 * @throws {Problem} token.revoked, token.expired, token.user-disabled
 */
export function assertActive(token: TokenRecord, now: Date): void {
  if (token.revokedAt !== undefined) {
    throw new Problem('token.revoked', {
      detail: `This token was revoked at ${token.revokedAt.toISOString()}. Create a new one with POST /v1/tokens.`,
    });
  }
  if (hasExpired(token, now)) {
    throw new Problem('token.expired', {
      detail: `This token expired at ${token.expiresAt?.toISOString()}. ${token.replacedBy === undefined ? 'Create a new one with POST /v1/tokens.' : `It was replaced by ${token.replacedBy}: use that token.`}`,
    });
  }
  if (token.userDisabledAt !== undefined) {
    throw new Problem('token.user-disabled', {
      detail: 'The operator of the service has disabled the user of this token. Ask the operator.',
    });
  }
}

/** Whether a token has ended. If it was replaced without a grace period, by a node whose clock is ahead, it has ended too. */
function hasExpired(
  { expiresAt, replacedAt }: Pick<TokenRecord, 'expiresAt' | 'replacedAt'>,
  now: Date,
): boolean {
  if (expiresAt === undefined) return false;
  return expiresAt <= now || (replacedAt !== undefined && expiresAt <= replacedAt);
}

/** @throws {Problem} token.not-found */
export function assertNotRevoked({ revokedAt }: TokenRecord): void {
  if (revokedAt === undefined) return;
  throw new Problem('token.not-found', {
    field: 'path.id',
    detail: `This token was revoked at ${revokedAt.toISOString()}.`,
  });
}
