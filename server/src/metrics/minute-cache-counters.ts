import assert from 'node:assert/strict';
import type { NamedCaches } from '../cache/cache.ts';

/** What the caches have in common that a plot shows as one line. */
const GROUPS = {
  tokenStrings: 'tokens',
  tokens: 'tokens',
  sessions: 'tokens',
  designs: 'designs',
  revisions: 'designs',
  pageOrigins: 'designs',
  documents: 'documents',
  documentsWithOptions: 'documents',
  assetGrants: 'documents',
  blobs: 'files',
  blobFiles: 'diskFiles',
} as const;

type CacheUse = { hits: number; misses: number };

/** The use of the caches in one minute, and their size at its end. Null: there is no cache on the disk. */
export type MinuteCacheCounts = {
  caches: {
    tokens: CacheUse;
    designs: CacheUse;
    documents: CacheUse;
    files: CacheUse;
    diskFiles: CacheUse | null;
  };
  cacheBytes: { memory: number; disk: number | null };
};

/** Creates counts that are all 0, without a cache on the disk. */
export function createMinuteCacheCounts(): MinuteCacheCounts {
  const unused = () => ({ hits: 0, misses: 0 });
  return {
    caches: {
      tokens: unused(),
      designs: unused(),
      documents: unused(),
      files: unused(),
      diskFiles: null,
    },
    cacheBytes: { memory: 0, disk: null },
  };
}

/** Reads what caches have done since they were read before. */
export class MinuteCacheCounters {
  readonly #caches = new Map<keyof typeof GROUPS, NamedCaches[string] & { last: CacheUse }>();

  add(caches: NamedCaches): void {
    for (const [name, cache] of Object.entries(caches)) {
      assert(isKnown(name), `the cache ${name} has no group`);
      const readStatistics = () => cache.readStatistics();
      this.#caches.set(name, { readStatistics, last: { hits: 0, misses: 0 } });
    }
  }

  /** Returns the counts since the last call. */
  take(): MinuteCacheCounts {
    const { caches, cacheBytes } = createMinuteCacheCounts();
    for (const [name, cache] of this.#caches) {
      const { hits, misses, sizeBytes = 0 } = cache.readStatistics();
      const group = GROUPS[name];
      const use = caches[group] ?? { hits: 0, misses: 0 };
      caches[group] = {
        hits: use.hits + hits - cache.last.hits,
        misses: use.misses + misses - cache.last.misses,
      };
      cache.last = { hits, misses };
      if (group === 'diskFiles') cacheBytes.disk = sizeBytes;
      else cacheBytes.memory += sizeBytes;
    }
    return { caches, cacheBytes };
  }
}

function isKnown(name: string): name is keyof typeof GROUPS {
  return Object.hasOwn(GROUPS, name);
}
