/** What an embed was opened with, and where. */
export type EmbedUse = { tokenId: string; designId: string; origin: string | undefined };

/** The views of a design on one day, in the pages of one origin, with one token. Times are ISO 8601 UTC. */
export type EmbedUsageCount = {
  tokenId: string;
  /** An origin, UNKNOWN_ORIGIN or OTHER_ORIGIN. */
  origin: string;
  day: string;
  designId: string;
  views: number;
  bytes: number;
  firstSeenAt: string;
  lastSeenAt: string;
};

/** In place of the origin, if the request for the framed document does not name the page. */
const UNKNOWN_ORIGIN = 'unknown';
/** In place of the origin, if the token has MAX_COUNTED_ORIGINS others. */
export const OTHER_ORIGIN = 'other';
/** Maximum number of origins of a token that are counted separately. */
export const MAX_COUNTED_ORIGINS = 1000;

/** Returns the day of a time, in UTC: `2026-05-04`. */
export function toDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** Whether a value of `origin` is an origin. */
export function isPageOrigin(origin: string): boolean {
  return origin !== UNKNOWN_ORIGIN && origin !== OTHER_ORIGIN;
}

/** Counts in memory, until they are written. */
export class EmbedUsageCounts {
  readonly #counts = new Map<string, EmbedUsageCount>();
  readonly #origins = new Map<string, Set<string>>();

  /** The number of rows to write, at most. */
  get size(): number {
    return this.#counts.size;
  }

  /** Counts views or bytes of an embed. */
  count({ tokenId, designId, origin }: EmbedUse, views: number, bytes: number, time: Date): void {
    const seenAt = time.toISOString();
    this.add({
      tokenId,
      origin: origin ?? UNKNOWN_ORIGIN,
      day: seenAt.slice(0, 10),
      designId,
      views,
      bytes,
      firstSeenAt: seenAt,
      lastSeenAt: seenAt,
    });
  }

  /** Adds counts. Origins after the first MAX_COUNTED_ORIGINS of a token are counted together, so memory is limited. */
  add(added: EmbedUsageCount): void {
    const origin = this.#toCountedOrigin(added);
    const key = `${added.tokenId} ${origin} ${added.day} ${added.designId}`;
    const known = this.#counts.get(key);
    if (known === undefined) {
      this.#counts.set(key, { ...added, origin });
      return;
    }
    known.views += added.views;
    known.bytes += added.bytes;
    if (added.firstSeenAt < known.firstSeenAt) known.firstSeenAt = added.firstSeenAt;
    if (added.lastSeenAt > known.lastSeenAt) known.lastSeenAt = added.lastSeenAt;
  }

  /** The origins of each token. */
  get origins(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#origins;
  }

  /** What to write, sorted by their key: two nodes that write the same rows then never wait for each other. */
  list(): EmbedUsageCount[] {
    return [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, counted]) => counted);
  }

  #toCountedOrigin({ tokenId, origin }: EmbedUsageCount): string {
    if (!isPageOrigin(origin)) return origin;
    const origins = this.#origins.get(tokenId) ?? new Set();
    if (origins.size === MAX_COUNTED_ORIGINS && !origins.has(origin)) return OTHER_ORIGIN;
    this.#origins.set(tokenId, origins.add(origin));
    return origin;
  }
}
