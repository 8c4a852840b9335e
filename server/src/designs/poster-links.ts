import type { Design } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import type { BlobRef } from '../blobs/blob-store.ts';
import type { Signer } from '../http/signer.ts';
import { toRoundedExpiry } from '../http/to-rounded-expiry.ts';
import type { TokenRecord } from '../tokens/token.ts';
import type { Artifact, DesignRecord } from './design.ts';

type PosterKind = Extract<Artifact['kind'], 'poster' | 'poster-small'>;

/** What a poster link allows: to load one poster of a design, on behalf of a token. */
export type PosterPermission = {
  tokenId: string;
  designId: string;
  revisionId: string;
  kind: PosterKind;
};

/** The purpose of the signer of poster links. */
export const POSTER_LINK_PURPOSE = 'poster link';

/** Maximum lifetime of a link. The minimum is half of it. */
const TTL_MS = 60 * 60 * 1000;

/** Characters of the SHA-256 of a poster in its URL. */
const VERSION_LENGTH = 12;

export type PosterLinksOptions = {
  /** The signer for POSTER_LINK_PURPOSE. */
  signer: Signer;
  publicOrigin: string;
  now: () => Date;
};

/**
 * Signs and verifies the URLs of posters. They are signed because `<img>` cannot send a token, and expire
 * because everybody who has such a URL can load the poster.
 */
export class PosterLinks {
  readonly #options: PosterLinksOptions;

  constructor(options: PosterLinksOptions) {
    this.#options = options;
  }

  /** Returns the poster of the revision that embeds show. Null if it has none. */
  toPoster({ id: designId, revision }: DesignRecord, token: TokenRecord): Design['poster'] {
    const poster = revision?.artifacts.find(({ kind }) => kind === 'poster');
    const small = revision?.artifacts.find(({ kind }) => kind === 'poster-small') ?? poster;
    if (revision === undefined || poster?.width === undefined || small === undefined) return null;
    // The URL stays the same for a while, so that browsers can cache the poster.
    const expiresAt = toRoundedExpiry(this.#options.now(), TTL_MS);
    const permission = { tokenId: token.id, designId, revisionId: revision.id };
    const toUrl = ({ kind, blob }: Artifact) =>
      this.#toUrl({ ...permission, kind: kind as PosterKind }, expiresAt, blob);
    return {
      url: toUrl(poster),
      width: poster.width,
      height: poster.height ?? 0,
      smallUrl: toUrl(small),
      expiresAt: expiresAt.toISOString(),
    };
  }

  /**
   * Verifies the permission in a link for a design. The caller must check the token.
   *
   * @throws {Problem} design.poster-link, with the reason missing, forged, expired or design
   */
  verify(link: string | undefined, designId: string): PosterPermission {
    if (link === undefined) throw createLinkError('missing', 'The URL has no signed permission.');
    const payload = this.#options.signer.verify(link);
    if (payload === undefined) {
      throw createLinkError('forged', 'The signature of the URL is invalid.');
    }
    const [tokenId = '', signedDesignId, revisionId = '', kind, expiry = ''] = payload.split('.');
    if (Number.parseInt(expiry, 36) <= this.#options.now().getTime()) {
      throw createLinkError('expired', 'The URL has expired.');
    }
    if (signedDesignId !== designId) {
      throw createLinkError('design', 'The URL was signed for another design.');
    }
    return { tokenId, designId, revisionId, kind: kind as PosterKind };
  }

  #toUrl(
    { tokenId, designId, revisionId, kind }: PosterPermission,
    expiresAt: Date,
    blob: BlobRef,
  ): string {
    const expiry = expiresAt.getTime().toString(36);
    // A poster that is rendered again has another URL: browsers keep the image of the previous one.
    const version = blob.slice(0, VERSION_LENGTH);
    const parts = [tokenId, designId, revisionId, kind, expiry, version];
    const link = this.#options.signer.sign(parts.join('.'));
    return `${this.#options.publicOrigin}/v1/designs/${designId}/poster?link=${link}`;
  }
}

function createLinkError(reason: string, explanation: string): Problem {
  return new Problem('design.poster-link', {
    field: 'query.link',
    reason,
    detail: `${explanation} Read the design again for a new URL: GET /v1/designs/{id}.`,
  });
}
