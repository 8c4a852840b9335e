/** So many ticks make a deadline; a wait is ended at most one of them late. */
const TICKS = 10;

/** Something that is waited for: a link in a chain, the oldest first. */
class Wait {
  readonly start: number;
  readonly end: () => void;
  before: Wait = this;
  after: Wait = this;

  constructor(start: number, end: () => void) {
    this.start = start;
    this.end = end;
  }
}

export type { Wait };

/**
 * One deadline for many waits that are short as a rule. A timer for each would cost as much as
 * reading a small body does, and an entry in a Map half of that; here one timer ticks for all.
 */
export class Deadlines implements Disposable {
  readonly ms: number;
  readonly #chain = new Wait(0, () => {});
  readonly #timer: NodeJS.Timeout;
  #now = 0;

  constructor(ms: number) {
    this.ms = ms;
    this.#timer = setInterval(() => this.#tick(), ms / TICKS).unref();
  }

  /** Calls `end` when the deadline is over, unless the wait is `met` first. */
  watch(end: () => void): Wait {
    const wait = new Wait(this.#now, end);
    const last = this.#chain.before;
    wait.before = last;
    wait.after = this.#chain;
    last.after = wait;
    this.#chain.before = wait;
    return wait;
  }

  /** Ends a wait in peace; a second time changes nothing. */
  met(wait: Wait): void {
    wait.before.after = wait.after;
    wait.after.before = wait.before;
    wait.before = wait;
    wait.after = wait;
  }

  #tick(): void {
    this.#now += 1;
    for (;;) {
      const oldest = this.#chain.after;
      if (oldest === this.#chain || oldest.start >= this.#now - TICKS) return;
      this.met(oldest);
      oldest.end();
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
