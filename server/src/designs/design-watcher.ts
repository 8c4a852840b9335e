import type { Design } from '@cloche/contract/design';
import type { ProgressHub } from '../processing/progress.ts';
import type { TokenRecord } from '../tokens/token.ts';
import { type DesignRecord, isSettled } from './design.ts';
import type { DesignStore } from './design-store.ts';
import type { PosterLinks } from './poster-links.ts';
import { toDesign } from './serialize.ts';

/** Poll interval: a change that was not published, such as one of another process, is seen too. */
const POLL_INTERVAL_MS = 2_000;

/** Follows designs while they are processed. */
export class DesignWatcher {
  readonly #designs: DesignStore;
  readonly #progress: ProgressHub;
  readonly #posterLinks: PosterLinks;

  constructor(designs: DesignStore, progress: ProgressHub, posterLinks: PosterLinks) {
    this.#posterLinks = posterLinks;
    this.#designs = designs;
    this.#progress = progress;
  }

  /** Converts a design to its API representation, with its progress and links for the token. */
  toDesign(design: DesignRecord, token: TokenRecord): Design {
    const progress = this.#progress.findProgress(design.id);
    return toDesign(design, progress, this.#posterLinks.toPoster(design, token));
  }

  /**
   * Returns the design when its processing has ended, or its current state when `signal` aborts.
   * Undefined if there is no such design.
   */
  async waitUntilSettled(id: string, signal: AbortSignal): Promise<DesignRecord | undefined> {
    let latest: DesignRecord | undefined;
    for await (const design of this.watch(id, signal)) {
      latest = design;
      if (isSettled(design)) break;
    }
    return latest;
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
