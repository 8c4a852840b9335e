import type { DesignView } from '@cloche/contract/design';
import { designUri } from '@cloche/contract/id';
import type { News } from '../pipeline/news.ts';
import type { Design } from './design.ts';
import type { Designs } from './designs.ts';

/** Designs as the API shows them, with how far they are. */
export class Views {
  readonly #designs: Designs;
  readonly #news: News;

  constructor(designs: Designs, news: News) {
    this.#designs = designs;
    this.#news = news;
  }

  of(design: Design): DesignView {
    const { id, name, description, status, revision, problem } = design;
    const isUnderWay = status === 'queued' || status === 'processing';
    return {
      id,
      uri: designUri(id),
      name,
      description,
      status,
      revision: revision?.number ?? null,
      stats: revision?.stats ?? null,
      report: revision?.report ?? null,
      progress: (isUnderWay && this.#news.progressOf(id)) || null,
      problem: problem ?? null,
      createdAt: design.createdAt.toISOString(),
      updatedAt: design.updatedAt.toISOString(),
    };
  }

  /**
   * The design when its processing has ended, or as it is when `signal` says so; undefined when it is
   * gone.
   */
  async afterWaiting(id: string, signal: AbortSignal): Promise<DesignView | undefined> {
    let last: Design | undefined;
    for await (const design of this.follow(id, signal)) {
      last = design;
      if (isSettled(design)) break;
    }
    return last && this.of(last);
  }

  /** The design as it is, and again at each news of it, until `signal` or until it is deleted. */
  async *follow(id: string, signal: AbortSignal): AsyncGenerator<Design> {
    while (true) {
      // Listening before looking: what happens between the two is not missed.
      const news = this.#news.next(id, LOOK_MS, signal);
      const design = await this.#designs.find(id);
      if (design === undefined) return;
      yield design;
      if (signal.aborted) return;
      await news;
    }
  }
}

/** News of another node come by the database alone, so one has to look. */
const LOOK_MS = 2_000;

export function isSettled({ status }: Design): boolean {
  return status === 'ready' || status === 'failed';
}
