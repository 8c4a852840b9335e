import type { TokenRecord } from './token.ts';

/** So many tokens in use are checked without a query. */
const MAX_TOKENS = 10_000;

/**
 * Tokens that were found before. `epoch` guards against a look-up that began before a change and
 * ends after it: what it found is given to the asker, but not remembered.
 *
 * By their texts: to hash one for each request cost a twentieth of an answer. The time a look-up
 * takes tells nothing of a text, for a Map compares what has the same hash, under a seed of this
 * process.
 */
export class TokenCache {
  readonly #byTokenString = new Map<string, TokenRecord>();
  readonly #byId = new Map<string, { token: TokenRecord; text: string | undefined }>();
  version = 0;

  getByTokenString(text: string): TokenRecord | undefined {
    return this.#byTokenString.get(text);
  }

  getById(id: string): TokenRecord | undefined {
    return this.#byId.get(id)?.token;
  }

  /** @param text absent for a token that was found by its id */
  set(token: TokenRecord, epoch: number, text?: string): void {
    if (epoch !== this.version) return;
    const known = this.#byId.get(token.id);
    if (known === undefined && this.#byId.size >= MAX_TOKENS) {
      this.#delete(this.#byId.keys().next().value as string);
    }
    // A copy: a part of a header holds on to the whole of it.
    const own = text === undefined ? known?.text : Buffer.from(text, 'latin1').toString('latin1');
    this.#byId.set(token.id, { token, text: own });
    if (own !== undefined) this.#byTokenString.set(own, token);
  }

  invalidate(id: string): void {
    this.version += 1;
    this.#delete(id);
  }

  #delete(id: string): void {
    const text = this.#byId.get(id)?.text;
    this.#byId.delete(id);
    if (text !== undefined) this.#byTokenString.delete(text);
  }
}
