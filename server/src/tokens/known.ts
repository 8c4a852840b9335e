import type { Token } from './token.ts';

/** So many tokens in use are checked without a query. */
const CAPACITY = 10_000;

/**
 * Tokens that were found before. `epoch` guards against a look-up that began before a change and
 * ends after it: what it found is given to the asker, but not remembered.
 */
export class KnownTokens {
  readonly #byHash = new Map<string, Token>();
  readonly #byId = new Map<string, Token>();
  epoch = 0;

  byHash(hash: string): Token | undefined {
    return this.#byHash.get(hash);
  }

  byId(id: string): Token | undefined {
    return this.#byId.get(id);
  }

  remember(token: Token, epoch: number): void {
    if (epoch !== this.epoch) return;
    if (this.#byHash.size >= CAPACITY) this.#drop(this.#byHash.values().next().value);
    this.#byHash.set(token.hash, token);
    this.#byId.set(token.id, token);
  }

  forget(id: string): void {
    this.epoch += 1;
    this.#drop(this.#byId.get(id));
  }

  #drop(token: Token | undefined): void {
    if (token === undefined) return;
    this.#byHash.delete(token.hash);
    this.#byId.delete(token.id);
  }
}
