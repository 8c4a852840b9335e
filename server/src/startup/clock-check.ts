import type { Logger } from '../http/logger.ts';

/** A larger difference between the clocks of this machine and of the database is logged. */
const MAX_DIFFERENCE_MS = 2_000;

/** Compares the clock of this machine with that of the database, and logs when they begin or cease to differ. */
export class ClockCheck {
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  #differs = false;

  constructor(log: Pick<Logger, 'info' | 'warn'>) {
    this.#log = log;
  }

  /** Reads the time of the database with `read`, and compares it. Returns it. */
  async readTime(read: () => Promise<Date>): Promise<Date> {
    const before = Date.now();
    const startMs = performance.now();
    const databaseTime = await read();
    // The clock was read at some time within this duration.
    const durationMs = performance.now() - startMs;
    const differenceMs = Math.round(before + durationMs / 2 - databaseTime.getTime());
    const differs = Math.abs(differenceMs) > MAX_DIFFERENCE_MS + durationMs / 2;
    if (differs && !this.#differs)
      this.#log.warn(
        { differenceMs },
        'the clocks of this machine and of the database differ: synchronize them',
      );
    if (!differs && this.#differs)
      this.#log.info('the clocks of this machine and of the database agree again');
    this.#differs = differs;
    return databaseTime;
  }
}
