import type { FinishedS3Request } from '../blobs/s3-settings.ts';
import type { NamedCaches } from '../cache/cache.ts';
import type { FinishedRequest, FinishedWorker, Metrics } from './metrics.ts';
import { MinuteCacheCounters, type MinuteCacheCounts } from './minute-cache-counters.ts';

/** The upper bounds of the histogram of durations, in milliseconds. The last bucket has none. */
const BOUNDS_MS = [
  1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 800, 1200, 2000, 3000, 5000, 10_000,
  30_000, 60_000,
];

/** The route of the gate. */
const GATE_ROUTE = '/embed/iframe/v1/:designId';
/** For documents from the caches of browsers. */
const REVALIDATION_ROUTE = '/embed/iframe/v1/:designId/:documentVersion';

/**
 * Finds the decision of the gate that a request received: `allowed`, or the code of the problem. Undefined: it was for
 * another route, or received no response.
 */
export function findGateDecision({
  route,
  aborted,
  problemCode = 'allowed',
}: FinishedRequest): string | undefined {
  if (aborted) return undefined;
  // After the refusal of a cached document, the browser requests the document, and the gate decides again.
  const isShownFromCache = route === REVALIDATION_ROUTE && problemCode === 'allowed';
  const isDecision = route === GATE_ROUTE || isShownFromCache;
  return isDecision ? problemCode : undefined;
}

/** Responses of an S3 server that the service expects: the object does not exist, or exists already. */
const EXPECTED_S3_STATUSES = [404, 412];

/** Tells whether a request to an S3 server failed. */
export function isFailedS3Request({ status }: FinishedS3Request): boolean {
  return status === undefined || (status >= 400 && !EXPECTED_S3_STATUSES.includes(status));
}

/** Routes whose requests are counted. There are eighty, and few of them have most requests. */
const MAX_ROUTES = 10;

/** The numbers of one minute, of one node. */
export type MinuteCounts = {
  requests: {
    success: number;
    redirect: number;
    clientError: number;
    serverError: number;
    aborted: number;
  };
  /** The requests of the routes with the most. */
  routes: Record<string, number>;
  gate: { allowed: number; refused: number };
  /** The refusals of the gate, by the code of the problem. */
  refusals: Record<string, number>;
  /** The number of requests in each bucket. */
  durations: number[];
  jobs: { ready: number; failed: number };
  /** Worker processes that ended: their number, their time, and the most of one. 0 bytes: none reported its memory. */
  workers: { ended: number; totalMs: number; longestMs: number; memoryBytes: number };
  /** Requests to the S3 server: those that failed, and the number of all in each bucket, and of each operation. */
  s3: { failed: number; durations: number[]; operations: Record<string, number> };
};

/** Creates counts that are all 0. */
export function createMinuteCounts(): MinuteCounts {
  return {
    requests: { success: 0, redirect: 0, clientError: 0, serverError: 0, aborted: 0 },
    routes: {},
    gate: { allowed: 0, refused: 0 },
    refusals: {},
    durations: createHistogram(),
    jobs: { ready: 0, failed: 0 },
    workers: { ended: 0, totalMs: 0, longestMs: 0, memoryBytes: 0 },
    s3: { failed: 0, durations: createHistogram(), operations: {} },
  };
}

function createHistogram(): number[] {
  return new Array(BOUNDS_MS.length + 1).fill(0);
}

function addDuration(histogram: number[], durationMs: number): void {
  const found = BOUNDS_MS.findIndex((bound) => durationMs <= bound);
  const bucket = found === -1 ? BOUNDS_MS.length : found;
  histogram[bucket] = (histogram[bucket] ?? 0) + 1;
}

/** Counts what this node does, until the counts are taken. */
export class MinuteCounters implements Metrics {
  #counts = createMinuteCounts();
  #cpuUsage = process.cpuUsage();
  readonly #caches = new MinuteCacheCounters();

  countRequest(request: FinishedRequest): void {
    const { route = 'none', status, aborted, durationMs } = request;
    const { requests, routes, gate, refusals, durations } = this.#counts;
    requests[aborted ? 'aborted' : toStatusClass(status)] += 1;
    addOne(routes, route);
    addDuration(durations, durationMs);
    const decision = findGateDecision(request);
    if (decision === undefined) return;
    gate[decision === 'allowed' ? 'allowed' : 'refused'] += 1;
    if (decision !== 'allowed') addOne(refusals, decision);
  }

  countJob(result: 'ready' | 'failed'): void {
    this.#counts.jobs[result] += 1;
  }

  observeWorker({ durationMs, memoryBytes = 0 }: FinishedWorker): void {
    const { workers } = this.#counts;
    workers.ended += 1;
    workers.totalMs += Math.round(durationMs);
    workers.longestMs = Math.max(workers.longestMs, Math.round(durationMs));
    workers.memoryBytes = Math.max(workers.memoryBytes, memoryBytes);
  }

  countS3Request(request: FinishedS3Request): void {
    const { s3 } = this.#counts;
    addDuration(s3.durations, request.durationMs);
    addOne(s3.operations, request.operation);
    if (isFailedS3Request(request)) s3.failed += 1;
  }

  addCaches(caches: NamedCaches): void {
    this.#caches.add(caches);
  }

  /** Returns the counts since the last call. */
  take(): MinuteCounts & MinuteCacheCounts & { cpuMs: number } {
    const counts = this.#counts;
    this.#counts = createMinuteCounts();
    const { user, system } = process.cpuUsage(this.#cpuUsage);
    this.#cpuUsage = process.cpuUsage();
    const cpuMs = Math.round((user + system) / 1000);
    return { ...counts, routes: pickMost(counts.routes), ...this.#caches.take(), cpuMs };
  }
}

function addOne(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function pickMost(counts: Record<string, number>): Record<string, number> {
  const sorted = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return Object.fromEntries(sorted.slice(0, MAX_ROUTES));
}

/** Estimates the duration that a part of the requests did not exceed, in milliseconds. Null: there were none. */
export function estimatePercentile(durations: readonly number[], part: number): number | null {
  const total = durations.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let missing = part * total;
  for (const [bucket, count] of durations.entries()) {
    const start = BOUNDS_MS[bucket - 1] ?? 0;
    const end = BOUNDS_MS[bucket] ?? start;
    if (count >= missing) return Math.round((start + (end - start) * (missing / count)) * 10) / 10;
    missing -= count;
  }
  return BOUNDS_MS.at(-1) ?? null;
}

function toStatusClass(status: number): 'success' | 'redirect' | 'clientError' | 'serverError' {
  if (status >= 500) return 'serverError';
  if (status >= 400) return 'clientError';
  return status >= 300 ? 'redirect' : 'success';
}
