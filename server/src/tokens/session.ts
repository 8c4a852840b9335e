import { Problem } from '@cloche/contract/problem';
import { assertActive, type TokenRecord } from './token.ts';
import { hashTokenString, randomBase62 } from './token-string.ts';

/** A browser that is signed in, as stored. Its cookie has the secret, of which only the hash is stored. */
export type SessionRecord = {
  id: string;
  /** SHA-256 of the secret, hex. */
  hash: string;
  tokenId: string;
  userAgent: string;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
};

const HOUR_MS = 60 * 60 * 1000;
/** A session ends after this time without a request. */
const MAX_IDLE_MS = 12 * HOUR_MS;
/** However often a session is used, it ends this long after the sign-in. */
const MAX_SESSION_MS = 7 * 24 * HOUR_MS;
const PREFIX = 'cloche_ss_';
const SECRET_LENGTH = 32;
const SECRET_PATTERN = /^cloche_ss_[0-9A-Za-z]{32}$/;

/** Generates the secret of a session or of a link: 190 random bits. */
export function generateSecret(): string {
  return PREFIX + randomBase62(SECRET_LENGTH);
}

/** Returns the hash of a secret, or undefined if the text is not one: it is then not worth a query. */
export function hashSecret(text: string): string | undefined {
  return SECRET_PATTERN.test(text) ? hashTokenString(text) : undefined;
}

/** Creates a session of a token, with a new secret. It does not outlive its token. */
export function createSession(
  { id: tokenId, expiresAt }: Pick<TokenRecord, 'id' | 'expiresAt'>,
  userAgent: string | undefined,
  now: Date,
): { session: SessionRecord; secret: string } {
  const secret = generateSecret();
  const end = Math.min(now.getTime() + MAX_SESSION_MS, expiresAt?.getTime() ?? Infinity);
  const session: SessionRecord = {
    id: `ses_${randomBase62(16)}`,
    hash: hashTokenString(secret),
    tokenId,
    userAgent: describeUserAgent(userAgent ?? ''),
    createdAt: now,
    lastUsedAt: now,
    expiresAt: new Date(end),
  };
  return { session, secret };
}

/**
 * Asserts that a session and its token are active. A session also ends when its token is replaced: a successor is for
 * those who get its token string.
 *
 * @throws {Problem} session.ended, token.revoked, token.expired, token.user-disabled
 */
export function assertSessionActive(
  session: SessionRecord | undefined,
  token: TokenRecord | undefined,
  now: Date,
): asserts session is SessionRecord {
  if (session === undefined || token === undefined || !isCurrent(session, now)) {
    throw createEndedError();
  }
  assertActive(token, now);
  if (token.replacedBy !== undefined) throw createEndedError();
}

function createEndedError(): Problem {
  return new Problem('session.ended', { detail: 'Sign in again.' });
}

/** Whether a session was not ended by time. */
export function isCurrent({ lastUsedAt, expiresAt }: SessionRecord, now: Date): boolean {
  return expiresAt > now && lastUsedAt.getTime() + MAX_IDLE_MS > now.getTime();
}

const BROWSERS: readonly [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|HeadlessChrome|CriOS)\//],
  ['Safari', /\bSafari\//],
];
const SYSTEMS: readonly [name: string, pattern: RegExp][] = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad)\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
];

/** Returns the browser and its system, such as `Firefox on Linux`. Nothing else of the header is stored. */
export function describeUserAgent(header: string): string {
  const find = (list: typeof BROWSERS) => list.find(([, pattern]) => pattern.test(header))?.[0];
  return `${find(BROWSERS) ?? 'Unknown browser'} on ${find(SYSTEMS) ?? 'an unknown system'}`;
}
