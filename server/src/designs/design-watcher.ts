import type { Design } from '@cloche/contract/design';
import { toDesignUri } from '@cloche/contract/id';
import type { ProgressHub } from '../processing/progress.ts';
import type { DesignRecord } from './design.ts';
import type { DesignStore } from './design-store.ts';

/** Designs as the API shows them, with how far they are. */
export class DesignWatcher {
  readonly #designs: DesignStore;
  readonly #progress: ProgressHub;

  constructor(designs: DesignStore, news: ProgressHub) {
    this.#designs = designs;
    this.#progress = news;
  }

  toDesign(design: DesignRecord): Design {
    const { id, name, description, status, revision, problem } = design;
    const isUnderWay = status === 'queued' || status === 'processing';
    return {
      id,
      uri: toDesignUri(id),
      name,
      description,
      status,
      revision: revision?.number ?? null,
      stats: revision?.stats ?? null,
      report: revision?.report ?? null,
      progress: (isUnderWay && this.#progress.findProgress(id)) || null,
      problem: problem ?? null,
      createdAt: design.createdAt.toISOString(),
      updatedAt: design.updatedAt.toISOString(),
    };
  }

  /**
   * The design when its processing has ended, or as it is when `signal` says so; undefined when it is
   * gone.
   */
  async waitUntilSettled(id: string, signal: AbortSignal): Promise<Design | undefined> {
    let last: DesignRecord | undefined;
    for await (const design of this.watch(id, signal)) {
      last = design;
      if (isSettled(design)) break;
    }
    return last && this.toDesign(last);
  }

  /** The design as it is, and again at each news of it, until `signal` or until it is deleted. */
  async *watch(id: string, signal: AbortSignal): AsyncGenerator<DesignRecord> {
    while (true) {
      // Listening before looking: what happens between the two is not missed.
      const news = this.#progress.waitForChange(id, POLL_INTERVAL_MS, signal);
      const design = await this.#designs.find(id);
      if (design === undefined) return;
      yield design;
      if (signal.aborted) return;
      await news;
    }
  }
}

/** News of another node come by the database alone, so one has to look. */
const POLL_INTERVAL_MS = 2_000;

export function isSettled({ status }: DesignRecord): boolean {
  return status === 'ready' || status === 'failed';
}
