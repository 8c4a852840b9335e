import type { Progress } from '@cloche/contract/design';

/** What is going on with designs that are processed, for those who watch. In memory: it is gone with the process. */
export class News {
  readonly #progress = new Map<string, Progress>();
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Tells how far a design is; undefined when nothing runs for it. */
  tell(designId: string, progress: Progress | undefined): void {
    if (progress === undefined) this.#progress.delete(designId);
    else this.#progress.set(designId, progress);
    for (const listener of [...(this.#listeners.get(designId) ?? [])]) listener();
  }

  progressOf(designId: string): Progress | undefined {
    return this.#progress.get(designId);
  }

  /** Calls `listener` at each news of a design, until disposed. */
  listen(designId: string, listener: () => void): Disposable {
    const all = this.#listeners.get(designId) ?? new Set();
    this.#listeners.set(designId, all.add(listener));
    return {
      [Symbol.dispose]: () => {
        all.delete(listener);
        if (all.size === 0) this.#listeners.delete(designId);
      },
    };
  }

  /** Resolves at the next news of a design, after `ms`, or when `signal` says so. */
  async next(designId: string, ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    const stop = () => resolve();
    signal?.addEventListener('abort', stop);
    using _heard = this.listen(designId, resolve);
    if (!signal?.aborted) await promise;
    signal?.removeEventListener('abort', stop);
    clearTimeout(timer);
  }
}
