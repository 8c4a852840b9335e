import { createEmptySample, type StoredSample } from './sample-store.ts';

/** Adds the samples of several nodes. Jobs in the queue are those of all nodes in each sample, so they are not added. */
export function sumSamples(samples: readonly StoredSample[]): StoredSample {
  const total = createEmptySample();
  total.waiting = Math.max(...samples.map(({ waiting }) => waiting));
  total.running = Math.max(...samples.map(({ running }) => running));
  total.oldestWaitingSeconds = Math.max(...samples.map((sample) => sample.oldestWaitingSeconds));
  total.freeBytes = Math.min(...samples.map(({ freeBytes }) => freeBytes));
  for (const sample of samples) {
    addCounts(total.requests, sample.requests);
    addCounts(total.routes, sample.routes);
    addCounts(total.gate, sample.gate);
    addCounts(total.refusals, sample.refusals);
    addCounts(total.jobs, sample.jobs);
    addHistogram(total.durations, sample.durations);
    addWorkers(total.workers, sample.workers);
    addCaches(total, sample);
    addStorage(total, sample);
    addRuntime(total, sample);
    total.cpuMs += sample.cpuMs;
    total.memoryBytes += sample.memoryBytes;
  }
  return total;
}

function addCounts(total: Record<string, number>, counts: Record<string, number>): void {
  for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + count;
}

function addHistogram(total: number[], counts: readonly number[]): void {
  for (const [bucket, count] of counts.entries()) total[bucket] = (total[bucket] ?? 0) + count;
}

function addWorkers(total: StoredSample['workers'], workers: StoredSample['workers']): void {
  total.ended += workers.ended;
  total.totalMs += workers.totalMs;
  total.longestMs = Math.max(total.longestMs, workers.longestMs);
  total.memoryBytes = Math.max(total.memoryBytes, workers.memoryBytes);
}

function addRuntime(
  total: StoredSample,
  { eventLoop, garbageCollectionMs, openFiles }: StoredSample,
): void {
  if (eventLoop !== null) {
    const { p95Ms, longestMs } = total.eventLoop ?? eventLoop;
    total.eventLoop = {
      p95Ms: Math.max(p95Ms, eventLoop.p95Ms),
      longestMs: Math.max(longestMs, eventLoop.longestMs),
    };
  }
  total.garbageCollectionMs += garbageCollectionMs;
  if (openFiles !== null) total.openFiles = (total.openFiles ?? 0) + openFiles;
}

function addCaches(total: StoredSample, { caches, cacheBytes }: StoredSample): void {
  const { diskFiles, ...inMemory } = caches;
  for (const name of Object.keys(inMemory) as (keyof typeof inMemory)[])
    addCounts(total.caches[name], inMemory[name]);
  if (diskFiles !== null) {
    total.caches.diskFiles ??= { hits: 0, misses: 0 };
    addCounts(total.caches.diskFiles, diskFiles);
  }
  total.cacheBytes.memory += cacheBytes.memory;
  if (cacheBytes.disk !== null)
    total.cacheBytes.disk = (total.cacheBytes.disk ?? 0) + cacheBytes.disk;
}

/** Adds what only installations with PostgreSQL or S3 have. */
function addStorage(total: StoredSample, { connections, lagMs, s3 }: StoredSample): void {
  if (connections !== null) {
    total.connections ??= { used: 0, idle: 0, waiting: 0 };
    addCounts(total.connections, connections);
  }
  if (lagMs !== null) total.lagMs = Math.max(total.lagMs ?? 0, lagMs);
  if (s3 === null) return;
  total.s3 ??= { failed: 0, durations: [], operations: {} };
  total.s3.failed += s3.failed;
  addCounts(total.s3.operations, s3.operations);
  addHistogram(total.s3.durations, s3.durations);
}
