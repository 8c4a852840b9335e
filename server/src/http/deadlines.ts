/** So many ticks make a deadline; a wait is ended at most one of them late. */
const TICKS = 10;

/**
 * One deadline for many waits that are short as a rule. A timer for each would cost as much as
 * reading a small body does; here one timer ticks for all.
 */
export class Deadlines implements Disposable {
  readonly ms: number;
  /** When each wait began, in ticks; the oldest first. */
  readonly #waits = new Map<() => void, number>();
  readonly #timer: NodeJS.Timeout;
  #now = 0;

  constructor(ms: number) {
    this.ms = ms;
    this.#timer = setInterval(() => this.#tick(), ms / TICKS).unref();
  }

  /** Calls `end` when the deadline is over, unless `met` comes first. */
  watch(end: () => void): void {
    this.#waits.set(end, this.#now);
  }

  met(end: () => void): void {
    this.#waits.delete(end);
  }

  #tick(): void {
    this.#now += 1;
    for (const [end, start] of this.#waits) {
      if (start >= this.#now - TICKS) return;
      this.#waits.delete(end);
      end();
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
