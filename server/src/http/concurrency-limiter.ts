import { Problem } from '@cloche/contract/problem';

const RETRY_AFTER_SECONDS = 1;

/** Limits how many uploads each token has in flight, on this node only. */
export class ConcurrencyLimiter {
  readonly #max: number;
  readonly #counts = new Map<string, number>();

  /** @param max 0: no limit */
  constructor(max: number) {
    this.#max = max;
  }

  /** Starts an upload, which ends when the result is disposed. @throws {Problem} upload.too-many */
  acquire(key: string): Disposable {
    const count = this.#counts.get(key) ?? 0;
    if (this.#max > 0 && count >= this.#max) {
      throw new Problem('upload.too-many', {
        detail: `The token has ${count} uploads in flight, and ${this.#max} are allowed. Retry when one has ended.`,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.#counts.set(key, count + 1);
    return { [Symbol.dispose]: () => this.#release(key) };
  }

  #release(key: string): void {
    const count = (this.#counts.get(key) ?? 0) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}
