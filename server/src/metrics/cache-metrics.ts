import { Counter, Gauge, type Registry } from 'prom-client';
import type { NamedCaches } from '../cache/cache.ts';

/** Adds the metrics of caches, which are read when a client asks for them. There may be more caches later. */
export function addCacheMetrics(
  registry: Registry,
  caches: ReadonlyMap<string, NamedCaches[string]>,
): void {
  const registers = [registry];
  new Counter({
    name: 'cloche_cache_requests_total',
    help: 'Reads of a cache, by result: hit or miss. blobFiles is on the disk, the others are in memory.',
    labelNames: ['cache', 'result'],
    registers,
    collect() {
      this.reset();
      for (const [cache, source] of caches) {
        const { hits, misses } = source.readStatistics();
        this.inc({ cache, result: 'hit' }, hits);
        this.inc({ cache, result: 'miss' }, misses);
      }
    },
  });
  new Gauge({
    name: 'cloche_cache_entries',
    help: 'The entries of a cache.',
    labelNames: ['cache'],
    registers,
    collect() {
      for (const [cache, source] of caches) this.set({ cache }, source.readStatistics().entries);
    },
  });
  new Gauge({
    name: 'cloche_cache_bytes',
    help: 'The size of a cache, if its limit is in bytes.',
    labelNames: ['cache'],
    registers,
    collect() {
      for (const [cache, source] of caches) {
        const { sizeBytes } = source.readStatistics();
        if (sizeBytes !== undefined) this.set({ cache }, sizeBytes);
      }
    },
  });
}
