import type { DesignChange } from './design-changes.ts';

/** With more changes than this waiting for a slow client, it receives a reset instead. */
const MAX_PENDING_CHANGES = 1_000;

/** The key of a change that concerns all designs. */
const ALL = '';

/** The changes that a client has not received: of each design only the latest. */
export class PendingChanges {
  readonly #changes = new Map<string, DesignChange>();
  #wake: () => void = () => {};

  add(change: DesignChange): void {
    if (change.type === 'reset' || this.#changes.size >= MAX_PENDING_CHANGES) {
      this.#changes.clear();
      this.#changes.set(ALL, { type: 'reset' });
    } else {
      const { id } = change.design;
      // The design is sent with its progress.
      const includesProgress =
        change.type === 'progress' && this.#changes.get(id)?.type === 'design';
      this.#changes.set(id, includesProgress ? { ...change, type: 'design' } : change);
    }
    this.#wake();
  }

  /** Yields the changes until `signal` aborts. */
  async *take(signal: AbortSignal): AsyncGenerator<DesignChange> {
    const onAbort = () => this.#wake();
    signal.addEventListener('abort', onAbort);
    try {
      while (!signal.aborted) {
        for (const [id, change] of this.#changes) {
          this.#changes.delete(id);
          yield change;
          if (signal.aborted) return;
        }
        await this.#waitForChange(signal);
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #waitForChange(signal: AbortSignal): Promise<void> {
    if (this.#changes.size > 0 || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await promise;
  }
}
