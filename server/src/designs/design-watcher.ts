import type { Design } from '@cloche/contract/design';
import type { ProgressHub } from '../processing/progress.ts';
import { type DesignRecord, isSettled } from './design.ts';
import type { DesignStore } from './design-store.ts';
import { toDesign } from './serialize.ts';

/** Poll interval. ProgressHub publishes progress, but not updates and deletions of designs. */
const POLL_INTERVAL_MS = 2_000;

/** Follows designs while they are processed. */
export class DesignWatcher {
  readonly #designs: DesignStore;
  readonly #progress: ProgressHub;

  constructor(designs: DesignStore, progress: ProgressHub) {
    this.#designs = designs;
    this.#progress = progress;
  }

  /** Converts a design to its API representation, with its current progress. */
  toDesign(design: DesignRecord): Design {
    return toDesign(design, this.#progress.findProgress(design.id));
  }

  /**
   * Returns the design when its processing has ended, or its current state when `signal` aborts.
   * Undefined if there is no such design.
   */
  async waitUntilSettled(id: string, signal: AbortSignal): Promise<Design | undefined> {
    let latest: DesignRecord | undefined;
    for await (const design of this.watch(id, signal)) {
      latest = design;
      if (isSettled(design)) break;
    }
    return latest && this.toDesign(latest);
  }

  /** Yields the design now and after each change, until `signal` aborts or the design is deleted. */
  async *watch(id: string, signal: AbortSignal): AsyncGenerator<DesignRecord> {
    while (true) {
      // Subscribe before reading, so that no change in between is missed.
      const changed = this.#progress.waitForChange(id, POLL_INTERVAL_MS, signal);
      const design = await this.#designs.find(id);
      if (design === undefined) return;
      yield design;
      if (signal.aborted) return;
      await changed;
    }
  }
}
