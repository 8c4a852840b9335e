import type { ProcessingProgress } from '@cloche/contract/design';

/** What is going on with designs that are processed, for those who watch. In memory: it is gone with the process. */
export class ProgressHub {
  readonly #progress = new Map<string, ProcessingProgress>();
  readonly #subscribers = new Map<string, Set<() => void>>();

  /** Tells how far a design is; undefined when nothing runs for it. */
  publish(designId: string, progress: ProcessingProgress | undefined): void {
    if (progress === undefined) this.#progress.delete(designId);
    else this.#progress.set(designId, progress);
    for (const listener of [...(this.#subscribers.get(designId) ?? [])]) listener();
  }

  findProgress(designId: string): ProcessingProgress | undefined {
    return this.#progress.get(designId);
  }

  /** Calls `listener` at each news of a design, until disposed. */
  subscribe(designId: string, listener: () => void): Disposable {
    const all = this.#subscribers.get(designId) ?? new Set();
    this.#subscribers.set(designId, all.add(listener));
    return {
      [Symbol.dispose]: () => {
        all.delete(listener);
        if (all.size === 0) this.#subscribers.delete(designId);
      },
    };
  }

  /** Resolves at the next news of a design, after `ms`, or when `signal` says so. */
  async waitForChange(designId: string, ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    const stop = () => resolve();
    signal?.addEventListener('abort', stop);
    using _heard = this.subscribe(designId, resolve);
    if (!signal?.aborted) await promise;
    signal?.removeEventListener('abort', stop);
    clearTimeout(timer);
  }
}
