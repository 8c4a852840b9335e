import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { Problem } from '@cloche/contract/problem';
import { Cache } from '../cache/cache.ts';

/** Who a grant is for: a token, or SHARED_GRANTEE. */
export type Grantee = {
  id: string;
  /** The version of the token's scope: the grant ends when origins are removed from the token. */
  scopeVersion: number;
};

/** In place of a token: everyone, while the owner shares the design. */
export const SHARED_GRANTEE: Grantee = { id: 'shared', scopeVersion: 0 };

/** Allows the framed documents of one token, or of a shared design, to load the artifacts of one revision. */
export type AssetGrant = {
  /** The id of a token, or that of SHARED_GRANTEE. */
  granteeId: string;
  designId: string;
  revisionId: string;
  expiresAt: Date;
  /** That of the grantee. */
  scopeVersion: number;
};

/** Maximum lifetime of a grant. The minimum is half of it: see toGrantExpiry. */
const GRANT_TTL_MS = 30 * 60 * 1000;

const MAX_CACHED_GRANTS = 5000;

/**
 * Returns the expiry of a grant that is signed now. It is rounded to 15 minutes, so that views of a design
 * within that time share one grant and one cached framed document.
 */
export function toGrantExpiry(now: Date): Date {
  const halfTtlMs = GRANT_TTL_MS / 2;
  return new Date((Math.floor(now.getTime() / halfTtlMs) + 2) * halfTtlMs);
}

/**
 * Signs and verifies grants:
 * `<grantee id>.<design id>.<revision id>.<expiry>.<scope version>.<HMAC-SHA-256>`.
 */
export class GrantSigner {
  /** A KeyObject: with a Buffer, Node creates one for every HMAC, which takes 8 times as long. */
  readonly #key: KeyObject;
  /** Verified grants by their text. An HMAC takes a fifth of the time of a request for an asset. */
  readonly #verified = new Cache<AssetGrant>({
    maxEntries: MAX_CACHED_GRANTS,
    ttlMs: GRANT_TTL_MS,
  });

  /** @param key at least 32 random bytes, stored for longer than a grant is valid */
  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
  }

  /** Returns a grant as text. */
  sign({ granteeId, designId, revisionId, expiresAt, scopeVersion }: AssetGrant): string {
    const expiry = expiresAt.getTime().toString(36);
    const payload = `${granteeId}.${designId}.${revisionId}.${expiry}.${scopeVersion}`;
    return `${payload}.${this.#hmac(payload)}`;
  }

  /** @throws {Problem} embed.grant, with the reason missing, forged or expired */
  verify(text: string | undefined, now: Date): AssetGrant {
    if (text === undefined) throw createGrantError('missing', 'The request has no grant.');
    const grant = this.#verified.get(text) ?? this.#verifySignature(text);
    if (grant.expiresAt <= now) throw createGrantError('expired', 'The grant has expired.');
    return grant;
  }

  #verifySignature(text: string): AssetGrant {
    const separator = text.lastIndexOf('.');
    const payload = text.slice(0, Math.max(0, separator));
    // Compared as text: several base64url texts decode to the same bytes.
    const signature = Buffer.from(text.slice(separator + 1));
    const expected = Buffer.from(this.#hmac(payload));
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) {
      throw createGrantError('forged', 'The signature of the grant is invalid.');
    }
    const [granteeId = '', designId = '', revisionId = '', expiry = '', version] =
      payload.split('.');
    const expiresAt = new Date(Number.parseInt(expiry, 36));
    const grant = { granteeId, designId, revisionId, expiresAt, scopeVersion: Number(version) };
    this.#verified.set(text, grant);
    return grant;
  }

  #hmac(payload: string): string {
    return createHmac('sha256', this.#key).update(payload).digest('base64url');
  }
}

/** Creates the problem of an unusable grant: `reason` is missing, forged, expired or outdated. */
export function createGrantError(reason: string, explanation: string): Problem {
  return new Problem('embed.grant', {
    reason,
    detail: `${explanation} Reload the page: the framed document then has a new grant.`,
  });
}
