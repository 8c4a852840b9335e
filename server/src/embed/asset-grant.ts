import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { Problem } from '@cloche/contract/problem';
import { Cache, type NamedCaches } from '../cache/cache.ts';
import { toRoundedExpiry } from '../http/to-rounded-expiry.ts';

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
  /** The origin of the page that shows the design, if it is known: bytes are counted for it. */
  pageOrigin?: string | undefined;
};

const MINUTE_MS = 60_000;
/**
 * Maximum lifetime of a grant. The minimum is half of it: see toGrantExpiry. Each request also checks the token and the design, so a
 * grant may last for as long as visitors leave a page open: docs/decisions/0104.
 */
const GRANT_TTL_MS = 24 * 60 * MINUTE_MS;
/** The minimum. A document that a browser has cached needs a valid grant: docs/decisions/0105. */
export const MIN_GRANT_TTL_MS = GRANT_TTL_MS / 2;
/** In a preview: anyone who has its link gets a grant, and a link ends after ten minutes. */
export const PREVIEW_GRANT_TTL_MS = 30 * MINUTE_MS;

const MAX_CACHED_GRANTS = 5000;

/** 128 bits: the whole HMAC would make the framed document 20 bytes larger. */
const HMAC_BYTES = 16;

/**
 * Returns the expiry of a grant that is signed now: rounded, so that views of a design share one grant and one
 * cached framed document for half of its lifetime.
 */
export function toGrantExpiry(now: Date, ttlMs = GRANT_TTL_MS): Date {
  return toRoundedExpiry(now, ttlMs);
}

/**
 * Signs and verifies grants:
 * `<grantee id>.<design id>.<revision id>.<expiry>.<scope version>.<page origin>.<HMAC-SHA-256>`. The origin has dots too,
 * or is empty. The framed document has it in its list of origins, so its compressed size is almost the same.
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

  /** Its caches, for metrics. */
  get caches(): NamedCaches {
    return { assetGrants: this.#verified };
  }

  /** Returns a grant as text. */
  sign(grant: AssetGrant): string {
    const { granteeId, designId, revisionId, expiresAt, scopeVersion, pageOrigin = '' } = grant;
    const expiry = expiresAt.getTime().toString(36);
    const ids = `${granteeId}.${designId}.${revisionId}`;
    const payload = `${ids}.${expiry}.${scopeVersion}.${pageOrigin}`;
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
    const grant = parsePayload(payload);
    this.#verified.set(text, grant);
    return grant;
  }

  #hmac(payload: string): string {
    const hmac = createHmac('sha256', this.#key).update(payload).digest();
    return hmac.subarray(0, HMAC_BYTES).toString('base64url');
  }
}

function parsePayload(payload: string): AssetGrant {
  const [granteeId = '', designId = '', revisionId = '', expiry = '', version, ...origin] =
    payload.split('.');
  return {
    granteeId,
    designId,
    revisionId,
    expiresAt: new Date(Number.parseInt(expiry, 36)),
    scopeVersion: Number(version),
    pageOrigin: origin.join('.') || undefined,
  };
}

/** Creates the problem of an unusable grant: `reason` is missing, forged, expired or outdated. */
export function createGrantError(reason: string, explanation: string): Problem {
  return new Problem('embed.grant', {
    reason,
    detail: `${explanation} Reload the page: the framed document then has a new grant.`,
  });
}
