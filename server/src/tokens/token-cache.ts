import { Cache, type NamedCaches } from '../cache/cache.ts';
import type { TokenRecord } from './token.ts';

/** Cache size, in tokens. */
const MAX_TOKENS = 10_000;

/**
 * Tokens in memory, by id and by token string.
 *
 * Keys are token strings and not their hashes, which would have to be computed for each request. The
 * time of a lookup reveals nothing about a token string: the seed of V8's hash table is random.
 */
export class TokenCache {
  /** The id of a token string never changes, so these entries are never stale. */
  readonly #idsByTokenString: Cache<{ id: string }>;
  readonly #tokensById: Cache<TokenRecord>;

  /** @param isUsable while it returns false, each token is loaded */
  constructor({
    maxTokens = MAX_TOKENS,
    isUsable,
  }: { maxTokens?: number; isUsable?: (() => boolean) | undefined } = {}) {
    this.#idsByTokenString = new Cache({ maxEntries: maxTokens });
    this.#tokensById = new Cache({ maxEntries: maxTokens, isUsable });
  }

  /** Its caches, for metrics. */
  get caches(): NamedCaches {
    return { tokenStrings: this.#idsByTokenString, tokens: this.#tokensById };
  }

  /** Returns a token by its token string, if it is cached. */
  get(tokenString: string): TokenRecord | undefined {
    const entry = this.#idsByTokenString.get(tokenString);
    return entry && this.#tokensById.get(entry.id);
  }

  /** Returns the id of a token string, from the cache or from `load`. */
  async getOrLoadId(
    tokenString: string,
    load: () => Promise<string | undefined>,
  ): Promise<string | undefined> {
    const entry = await this.#idsByTokenString.getOrLoad(copyString(tokenString), async () => {
      const id = await load();
      return id === undefined ? undefined : { id };
    });
    return entry?.id;
  }

  /** Returns a token, from the cache or from `load`. */
  getOrLoad(
    id: string,
    load: () => Promise<TokenRecord | undefined>,
  ): Promise<TokenRecord | undefined> {
    return this.#tokensById.getOrLoad(id, load);
  }

  /** Removes a token. A load that began before is returned, but not cached. */
  invalidate(id: string): void {
    this.#tokensById.invalidate(id);
  }

  /** Removes all tokens. */
  invalidateAll(): void {
    this.#tokensById.clear();
  }
}

/** In V8, a substring keeps the whole string in memory: here, the request header. */
function copyString(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
