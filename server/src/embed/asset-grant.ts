import { createHmac, timingSafeEqual } from 'node:crypto';
import { Problem } from '@cloche/contract/problem';

/** What a grant opens: the files of one revision, for those who were let in with one token. */
export type AssetGrant = { tokenId: string; designId: string; revisionId: string; expiresAt: Date };

/** A grant as text. Good for a quarter of an hour past `renewAt`, in milliseconds since 1970. */
export type SignedGrant = { value: string; renewAtMs: number };

/** So many grants are checked without computing. */
const MAX_CACHED_GRANTS = 5000;

/** How long a grant is good for: between half of this and all of it. */
const GRANT_TTL_MS = 30 * 60 * 1000;

/**
 * Makes and reads grants: `<token id>.<design id>.<revision id>.<expiry>.<HMAC-SHA-256>`.
 *
 * The expiry is rounded to a quarter of an hour, so that many views of one design share a grant, and
 * with it a document.
 */
export class GrantSigner {
  readonly #key: Buffer;
  /** What grants in use say, by their texts. */
  readonly #cache = new Map<string, AssetGrant>();

  /** @param key at least 32 random bytes, kept for longer than a grant lives */
  constructor(key: Buffer) {
    this.#key = key;
  }

  /** Makes a grant, and says until when another view should be given the same one. */
  sign(tokenId: string, designId: string, revisionId: string, now: Date): SignedGrant {
    const half = GRANT_TTL_MS / 2;
    const renewAtMs = (Math.floor(now.getTime() / half) + 1) * half;
    const facts = `${tokenId}.${designId}.${revisionId}.${(renewAtMs + half).toString(36)}`;
    return { value: `${facts}.${this.#hmac(facts)}`, renewAtMs };
  }

  /** @throws {Problem} embed.grant, with the reason missing, forged or expired */
  verify(text: string | undefined, now: Date): AssetGrant {
    if (text === undefined) throw grantError('missing', 'The request brings no grant.');
    const grant = this.#cache.get(text) ?? this.#verifySignature(text);
    if (grant.expiresAt <= now) throw grantError('expired', 'The grant has expired.');
    return grant;
  }

  #verifySignature(text: string): AssetGrant {
    const end = text.lastIndexOf('.');
    const facts = text.slice(0, Math.max(0, end));
    // Compared as text: read as base64url, one signature could be written in many ways.
    const signature = Buffer.from(text.slice(end + 1));
    const right = Buffer.from(this.#hmac(facts));
    if (signature.length !== right.length || !timingSafeEqual(signature, right)) {
      throw grantError('forged', 'The grant is not one of ours.');
    }
    const [tokenId = '', designId = '', revisionId = '', expiry = ''] = facts.split('.');
    const expiresAt = new Date(Number.parseInt(expiry, 36));
    const grant = { tokenId, designId, revisionId, expiresAt };
    if (this.#cache.size >= MAX_CACHED_GRANTS) this.#cache.clear();
    this.#cache.set(text, grant);
    return grant;
  }

  #hmac(facts: string): string {
    return createHmac('sha256', this.#key).update(facts).digest('base64url');
  }
}

/** A grant that opens nothing: `reason` is missing, forged, expired or outdated. */
export function grantError(reason: string, what: string): Problem {
  return new Problem('embed.grant', {
    reason,
    detail: `${what} The framed document carries a fresh one: reload the page.`,
  });
}
