import { Problem } from '@cloche/contract/problem';

const RETRY_AFTER_SECONDS = 1;

/** Limits how many requests of one kind each client has in flight, on this node only. */
export class ConcurrencyLimiter {
  readonly #max: number;
  readonly #createError: (count: number) => Problem;
  readonly #counts = new Map<string, number>();

  /**
   * @param max 0: no limit
   * @param createError the problem of a client that has `count` requests in flight. Default: upload.too-many
   */
  constructor(max: number, createError: (count: number) => Problem = createTooManyUploadsError) {
    this.#max = max;
    this.#createError = createError;
  }

  /** Starts a request, which ends when the result is disposed. @throws {Problem} */
  acquire(key: string): Disposable {
    const count = this.#counts.get(key) ?? 0;
    if (this.#max > 0 && count >= this.#max) throw this.#createError(count);
    this.#counts.set(key, count + 1);
    return { [Symbol.dispose]: () => this.#release(key) };
  }

  #release(key: string): void {
    const count = (this.#counts.get(key) ?? 0) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}

function createTooManyUploadsError(count: number): Problem {
  return new Problem('upload.too-many', {
    detail: `The token has ${count} uploads in flight, and ${count} are allowed. Retry when one has ended.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
