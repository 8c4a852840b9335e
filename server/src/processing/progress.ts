import type { ProcessingProgress } from '@cloche/contract/design';

/** The progress of the designs being processed, with subscriptions. In memory only. */
export class ProgressHub {
  readonly #progress = new Map<string, ProcessingProgress>();
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Sets the progress of a design, or removes it when no job of the design runs. Calls the listeners. */
  publish(designId: string, progress: ProcessingProgress | undefined): void {
    if (progress === undefined) this.#progress.delete(designId);
    else this.#progress.set(designId, progress);
    this.notify(designId);
  }

  /** Calls the listeners of a design that changed in another way. */
  notify(designId: string): void {
    for (const listener of [...(this.#listeners.get(designId) ?? [])]) listener();
  }

  findProgress(designId: string): ProcessingProgress | undefined {
    return this.#progress.get(designId);
  }

  /** Calls `listener` on each change to a design's progress, until disposed. */
  subscribe(designId: string, listener: () => void): Disposable {
    const listeners = this.#listeners.get(designId) ?? new Set();
    this.#listeners.set(designId, listeners.add(listener));
    return {
      [Symbol.dispose]: () => {
        listeners.delete(listener);
        if (listeners.size === 0) this.#listeners.delete(designId);
      },
    };
  }

  /** Resolves at the next change to a design's progress, after `timeoutMs`, or when `signal` aborts. */
  async waitForChange(designId: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    const onAbort = () => resolve();
    signal?.addEventListener('abort', onAbort);
    using _subscription = this.subscribe(designId, resolve);
    if (!signal?.aborted) await promise;
    signal?.removeEventListener('abort', onAbort);
    clearTimeout(timer);
  }
}
