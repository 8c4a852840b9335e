import type { ProcessingProgress } from '@cloche/contract/design';
import { Cache } from '../cache/cache.ts';

/** Number of designs that other nodes are processing. Of a node that was killed, the last progress remains until the job runs again. */
const MAX_REMOTE_DESIGNS = 10_000;

/** Receives the progress of the jobs of this node. Undefined: no job of the design runs. */
export type LocalProgressListener = (
  designId: string,
  progress: ProcessingProgress | undefined,
) => void;

/** Receives the changes of all designs. */
export type DesignChangeListener = {
  /** A design was added, changed or, with the user whom it belonged to, deleted. */
  onChange(designId: string, deletedFrom: string | undefined): void;
  onProgress(designId: string): void;
  /** Changes may have been missed. */
  onMissed(): void;
};

/** The progress of the designs being processed, with subscriptions. In memory only. */
export class ProgressHub {
  readonly #onPublish: LocalProgressListener;
  readonly #local = new Map<string, ProcessingProgress>();
  readonly #remote = new Cache<ProcessingProgress>({ maxEntries: MAX_REMOTE_DESIGNS });
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #changeListeners = new Set<DesignChangeListener>();

  /** @param onPublish called with the progress that this node publishes */
  constructor(onPublish: LocalProgressListener = () => {}) {
    this.#onPublish = onPublish;
  }

  /** Sets the progress of a design, or removes it when no job of the design runs. Calls the listeners. */
  publish(designId: string, progress: ProcessingProgress | undefined): void {
    // It may be that of a node that was killed.
    this.#remote.invalidate(designId);
    if (progress === undefined) this.#local.delete(designId);
    else this.#local.set(designId, progress);
    this.#notifyProgress(designId);
    this.#onPublish(designId, progress);
  }

  /** Sets the progress of a design that another node is processing, or removes it. Calls the listeners. */
  receive(designId: string, progress: ProcessingProgress | null): void {
    if (progress === null) this.#remote.invalidate(designId);
    else this.#remote.set(designId, progress);
    this.#notifyProgress(designId);
  }

  /** Forgets the progress of other nodes, and calls all listeners: events may have been missed. */
  forgetReceived(): void {
    this.#remote.clear();
    for (const designId of [...this.#listeners.keys()]) this.#callListeners(designId);
    for (const listener of [...this.#changeListeners]) listener.onMissed();
  }

  /**
   * Calls the listeners of a design that changed in another way.
   *
   * @param deletedFrom the user of the design, if it was deleted
   */
  notify(designId: string, deletedFrom?: string): void {
    this.#callListeners(designId);
    for (const listener of [...this.#changeListeners]) listener.onChange(designId, deletedFrom);
  }

  findProgress(designId: string): ProcessingProgress | undefined {
    return this.#local.get(designId) ?? this.#remote.get(designId);
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

  /** Calls `listener` on the changes of all designs, until disposed. */
  subscribeToAll(listener: DesignChangeListener): Disposable {
    this.#changeListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#changeListeners.delete(listener) };
  }

  #notifyProgress(designId: string): void {
    this.#callListeners(designId);
    for (const listener of [...this.#changeListeners]) listener.onProgress(designId);
  }

  #callListeners(designId: string): void {
    for (const listener of [...(this.#listeners.get(designId) ?? [])]) listener();
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
