import { LRUCache } from 'lru-cache';

/** The limits of a cache: `maxEntries`, `maxBytes` or both. */
type CacheOptions<V extends object> = {
  /** Maximum number of entries. */
  maxEntries?: number;
  /** Maximum total size. Needs `sizeOf`. */
  maxBytes?: number;
  sizeOf?: (value: V) => number;
  /** Time to live. Without it, entries stay until they are evicted or invalidated. */
  ttlMs?: number;
  /** While it returns false, each value is loaded. Default: always true. */
  isUsable?: (() => boolean) | undefined;
};

/** What a cache has done, and how large it is. */
export type CacheStatistics = {
  hits: number;
  misses: number;
  entries: number;
  /** Undefined: the cache has no limit in bytes. */
  sizeBytes: number | undefined;
};

/** Caches by name. */
export type NamedCaches = Readonly<Record<string, { readStatistics(): CacheStatistics }>>;

/** Values in memory, by key. The least recently used entry is evicted first. */
export class Cache<V extends object> {
  readonly #entries: LRUCache<string, V>;
  /** Incremented by each invalidation, so that a load that began before it is not cached. */
  #version = 0;
  readonly #isUsable: () => boolean;
  readonly #hasMaxBytes: boolean;
  #hits = 0;
  #misses = 0;

  constructor({ maxEntries, maxBytes, sizeOf, ttlMs, isUsable = () => true }: CacheOptions<V>) {
    this.#isUsable = isUsable;
    this.#hasMaxBytes = maxBytes !== undefined;
    this.#entries = new LRUCache<string, V>({
      ...(maxBytes === undefined
        ? // Not `max`: the cache would allocate memory for all entries at once.
          { maxSize: maxEntries, sizeCalculation: () => 1 }
        : { max: maxEntries, maxSize: maxBytes, sizeCalculation: sizeOf }),
      ...(ttlMs !== undefined && { ttl: ttlMs }),
    } as LRUCache.Options<string, V, unknown>);
  }

  get(key: string): V | undefined {
    const value = this.#isUsable() ? this.#entries.get(key) : undefined;
    if (value === undefined) this.#misses += 1;
    else this.#hits += 1;
    return value;
  }

  set(key: string, value: V): void {
    this.#entries.set(key, value);
  }

  /**
   * Returns the cached value, or loads it and caches it. `undefined` is not cached.
   *
   * A value whose load began before an invalidation is returned, but not cached: it may be stale.
   */
  getOrLoad(key: string, load: () => Promise<V | undefined>): Promise<V | undefined> {
    const cached = this.get(key);
    return cached === undefined ? this.#load(key, load) : Promise.resolve(cached);
  }

  /** Removes the entry. Values that are being loaded will not be cached. */
  invalidate(key: string): void {
    this.#version += 1;
    this.#entries.delete(key);
  }

  /** Removes all entries. Values that are being loaded will not be cached. */
  clear(): void {
    this.#version += 1;
    this.#entries.clear();
  }

  readStatistics(): CacheStatistics {
    const { size: entries, calculatedSize } = this.#entries;
    const sizeBytes = this.#hasMaxBytes ? calculatedSize : undefined;
    return { hits: this.#hits, misses: this.#misses, entries, sizeBytes };
  }

  async #load(key: string, load: () => Promise<V | undefined>): Promise<V | undefined> {
    const version = this.#version;
    const value = await load();
    if (value !== undefined && version === this.#version && this.#isUsable())
      this.#entries.set(key, value);
    return value;
  }
}
