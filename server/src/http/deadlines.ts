/** So many ticks make a deadline; a wait is ended at most one of them late, while the process keeps up. */
const TICKS = 10;

/** Something that is waited for: a link in a ring, between the one before and the one after. */
export type Wait = { start: number; end: () => void; before: Wait; after: Wait };

/**
 * One deadline for many waits that are short as a rule. A timer for each would cost as much as
 * reading a small body does, and an entry in a Map half of that; here one timer ticks for all.
 */
export class Deadlines implements Disposable {
  readonly ms: number;
  /** Closes the ring: after it comes the oldest wait, before it the newest. */
  readonly #knot: Wait = makeKnot();
  readonly #timer: NodeJS.Timeout;
  #now = 0;

  /** @param ms a multiple of ten */
  constructor(ms: number) {
    this.ms = ms;
    this.#timer = setInterval(() => this.#tick(), ms / TICKS).unref();
  }

  /** Calls `end` when the deadline is over, unless the wait is settled first. */
  watch(end: () => void): Wait {
    const before = this.#knot.before;
    const wait: Wait = { start: this.#now, end, before, after: this.#knot };
    before.after = wait;
    this.#knot.before = wait;
    return wait;
  }

  /** Ends a wait in peace; a second time changes nothing. */
  settle(wait: Wait): void {
    wait.before.after = wait.after;
    wait.after.before = wait.before;
    wait.before = wait;
    wait.after = wait;
  }

  #tick(): void {
    this.#now += 1;
    for (;;) {
      const oldest = this.#knot.after;
      if (oldest === this.#knot || oldest.start >= this.#now - TICKS) return;
      this.settle(oldest);
      oldest.end();
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

function makeKnot(): Wait {
  const knot = { start: Infinity, end: () => {} } as Wait;
  knot.before = knot;
  knot.after = knot;
  return knot;
}
