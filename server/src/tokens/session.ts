import { Problem } from '@cloche/contract/problem';
import type { Signer } from '../http/signer.ts';
import type { TokenRecord } from './token.ts';
import { createMalformedTokenError } from './token-string.ts';

/** A page of this service that acts on behalf of an API token. It is signed, not stored. */
export type SessionRecord = {
  tokenId: string;
  /** When the API token was entered. A renewed session keeps it. */
  startedAt: Date;
  expiresAt: Date;
};

/** The purpose of the signer of sessions. */
export const SESSION_PURPOSE = 'session';

const PREFIX = 'cloche_ss_';
const TTL_MS = 60 * 60 * 1000;
/** However often a session is renewed, it ends this long after its start. */
const MAX_DURATION_MS = 12 * TTL_MS;

/** Says whether the text of an Authorization header is a session token, valid or not. */
export function isSessionToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Creates or renews a session of a token. A session does not outlive its token. */
export function createSession(
  { id, expiresAt }: Pick<TokenRecord, 'id' | 'expiresAt'>,
  startedAt: Date,
  now: Date,
): SessionRecord {
  const limits = [now.getTime() + TTL_MS, startedAt.getTime() + MAX_DURATION_MS];
  if (expiresAt !== undefined) limits.push(expiresAt.getTime());
  return { tokenId: id, startedAt, expiresAt: new Date(Math.min(...limits)) };
}

/** Returns the session as a token string. */
export function signSession(
  signer: Signer,
  { tokenId, startedAt, expiresAt }: SessionRecord,
): string {
  const times = [startedAt, expiresAt].map((time) => time.getTime().toString(36));
  return PREFIX + signer.sign([tokenId, ...times].join('.'));
}

/**
 * Verifies a session token. The caller must check the API token.
 *
 * @throws {Problem} token.malformed, token.expired
 */
export function verifySession(signer: Signer, text: string, now: Date): SessionRecord {
  const payload = signer.verify(text.slice(PREFIX.length));
  if (payload === undefined) throw createMalformedTokenError();
  const [tokenId = '', start = '', expiry = ''] = payload.split('.');
  const [startedAt, expiresAt] = [toDate(start), toDate(expiry)];
  if (expiresAt <= now) {
    throw new Problem('token.expired', {
      detail: `This session expired at ${expiresAt.toISOString()}. Enter the API token on the page again.`,
    });
  }
  return { tokenId, startedAt, expiresAt };
}

function toDate(base36: string): Date {
  return new Date(Number.parseInt(base36, 36));
}
