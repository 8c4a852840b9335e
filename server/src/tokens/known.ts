import type { Token } from './token.ts';

/** So many tokens in use are checked without a query. */
const CAPACITY = 10_000;

/**
 * Tokens that were found before. `epoch` guards against a look-up that began before a change and
 * ends after it: what it found is given to the asker, but not remembered.
 *
 * By their texts: to hash one for each request cost a twentieth of an answer. The time a look-up
 * takes tells nothing of a text, for a Map compares what has the same hash, under a seed of this
 * process.
 */
export class KnownTokens {
  readonly #byText = new Map<string, Token>();
  readonly #byId = new Map<string, { token: Token; text: string | undefined }>();
  epoch = 0;

  byText(text: string): Token | undefined {
    return this.#byText.get(text);
  }

  byId(id: string): Token | undefined {
    return this.#byId.get(id)?.token;
  }

  /** @param text absent for a token that was found by its id */
  remember(token: Token, epoch: number, text?: string): void {
    if (epoch !== this.epoch) return;
    const known = this.#byId.get(token.id);
    if (known === undefined && this.#byId.size >= CAPACITY) {
      this.#drop(this.#byId.keys().next().value as string);
    }
    // A copy: a part of a header holds on to the whole of it.
    const own = text === undefined ? known?.text : Buffer.from(text, 'latin1').toString('latin1');
    this.#byId.set(token.id, { token, text: own });
    if (own !== undefined) this.#byText.set(own, token);
  }

  forget(id: string): void {
    this.epoch += 1;
    this.#drop(id);
  }

  #drop(id: string): void {
    const text = this.#byId.get(id)?.text;
    this.#byId.delete(id);
    if (text !== undefined) this.#byText.delete(text);
  }
}
