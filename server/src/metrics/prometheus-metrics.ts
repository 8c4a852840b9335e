import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { FinishedS3Request } from '../blobs/s3-settings.ts';
import type { NamedCaches } from '../cache/cache.ts';
import { addCacheMetrics } from './cache-metrics.ts';
import type { FinishedRequest, FinishedWorker, Metrics } from './metrics.ts';
import { addSourceMetrics, type MetricsSources } from './metrics-sources.ts';
import { findGateDecision } from './minute-counters.ts';
import { S3Metrics } from './s3-metrics.ts';

/** Seconds. A framed document takes a millisecond, an upload minutes. */
const DURATION_BUCKETS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];
/** Seconds. A small file takes half a second. */
const WORKER_BUCKETS = [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600];
/** Bytes. A worker uses 115 MB for a small file, and 4 GiB at most by default. */
const MEMORY_BUCKETS = [128, 192, 256, 384, 512, 1024, 2048, 4096].map((size) => size * 1024 ** 2);
/** Methods of HTTP that clients send; any other is counted as `other`, so that clients cannot create labels. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Metrics in the text format of Prometheus. No label comes from a request: there are only as many as routes and codes. */
export class PrometheusMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'method' | 'route' | 'status' | 'code'>;
  readonly #durations: Histogram<'route'>;
  readonly #gate: Counter<'code'>;
  readonly #jobs: Counter<'result'>;
  readonly #workers: Histogram;
  readonly #workerMemory: Histogram;
  readonly #s3: S3Metrics;
  readonly #caches = new Map<string, NamedCaches[string]>();

  constructor(sources: MetricsSources) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Counter({
      name: 'cloche_http_requests_total',
      help: 'Requests by route, status and problem code. The gate has the routes /embed/iframe/v1/:designId and, for documents from the caches of browsers, /embed/iframe/v1/:designId/:documentVersion.',
      labelNames: ['method', 'route', 'status', 'code'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'cloche_http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its response.',
      labelNames: ['route'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#gate = new Counter({
      name: 'cloche_gate_decisions_total',
      help: 'Decisions whether a page may show a design, by the code of the problem; allowed: none.',
      labelNames: ['code'],
      registers,
    });
    this.#jobs = new Counter({
      name: 'cloche_jobs_ended_total',
      help: 'Files that were processed, by result.',
      labelNames: ['result'],
      registers,
    });
    this.#workers = new Histogram({
      name: 'cloche_worker_duration_seconds',
      help: 'How long worker processes ran, one for each attempt.',
      buckets: WORKER_BUCKETS,
      registers,
    });
    this.#workerMemory = new Histogram({
      name: 'cloche_worker_memory_bytes',
      help: 'The most memory that each worker process has used, as it reported.',
      buckets: MEMORY_BUCKETS,
      registers,
    });
    this.#s3 = new S3Metrics(this.#registry);
    addCacheMetrics(this.#registry, this.#caches);
    addSourceMetrics(this.#registry, sources);
  }

  countRequest(request: FinishedRequest): void {
    const { method, route = 'none', status, problemCode = '', aborted, durationMs } = request;
    this.#requests.inc({
      method: METHODS.includes(method) ? method : 'other',
      route,
      status: aborted ? 'aborted' : status,
      code: problemCode,
    });
    this.#durations.observe({ route }, durationMs / 1000);
    const decision = findGateDecision(request);
    if (decision !== undefined) this.#gate.inc({ code: decision });
  }

  countJob(result: 'ready' | 'failed'): void {
    this.#jobs.inc({ result });
  }

  observeWorker({ durationMs, memoryBytes }: FinishedWorker): void {
    this.#workers.observe(durationMs / 1000);
    if (memoryBytes !== undefined) this.#workerMemory.observe(memoryBytes);
  }

  addCaches(caches: NamedCaches): void {
    for (const [name, cache] of Object.entries(caches)) this.#caches.set(name, cache);
  }

  countS3Request(request: FinishedS3Request): void {
    this.#s3.count(request);
  }

  /** Returns all metrics, and their media type. */
  async render(): Promise<{ text: string; contentType: string }> {
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }
}
