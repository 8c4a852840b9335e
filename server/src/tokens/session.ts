import { Problem } from '@cloche/contract/problem';
import type { Signer } from '../http/signer.ts';
import { createMalformedTokenError } from './token-string.ts';

/** A page of this service that acts on behalf of an API token. It is signed, not stored. */
export type SessionRecord = { tokenId: string; expiresAt: Date };

/** The purpose of the signer of sessions. */
export const SESSION_PURPOSE = 'session';

const PREFIX = 'cloche_ss_';
const TTL_MS = 60 * 60 * 1000;

/** Says whether the text of an Authorization header is a session token, valid or not. */
export function isSessionToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Returns the expiry of a session that starts now. A session does not outlive its token. */
export function toSessionExpiry(now: Date, tokenExpiresAt: Date | undefined): Date {
  const expiresAt = new Date(now.getTime() + TTL_MS);
  return tokenExpiresAt !== undefined && tokenExpiresAt < expiresAt ? tokenExpiresAt : expiresAt;
}

/** Returns the session as a token string. */
export function signSession(signer: Signer, { tokenId, expiresAt }: SessionRecord): string {
  return PREFIX + signer.sign(`${tokenId}.${expiresAt.getTime().toString(36)}`);
}

/**
 * Verifies a session token. The caller must check the API token.
 *
 * @throws {Problem} token.malformed, token.expired
 */
export function verifySession(signer: Signer, text: string, now: Date): SessionRecord {
  const payload = signer.verify(text.slice(PREFIX.length));
  if (payload === undefined) throw createMalformedTokenError();
  const [tokenId = '', expiry = ''] = payload.split('.');
  const expiresAt = new Date(Number.parseInt(expiry, 36));
  if (expiresAt <= now) {
    throw new Problem('token.expired', {
      detail: `This session expired at ${expiresAt.toISOString()}. Enter the API token on the page again.`,
    });
  }
  return { tokenId, expiresAt };
}
