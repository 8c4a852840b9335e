import { statfs } from 'node:fs/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { FinishedRequest, Metrics } from './metrics.ts';

/** The numbers that are read when a client asks for them. */
export type MetricsSources = {
  version: string;
  sandboxLevel: string;
  dataDirectory: string;
  readJobStatistics(): Promise<JobStatistics>;
  /** With several nodes: see `EventSource`. */
  events?: { getLagMs(): number } | undefined;
};

/** The jobs that are not finished. */
export type JobStatistics = {
  queued: number;
  running: number;
  /** How long the oldest queued job has waited. 0: no job is queued. */
  oldestQueuedSeconds: number;
};

/** Seconds. A framed document takes a millisecond, an upload minutes. */
const DURATION_BUCKETS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];
/** Methods of HTTP that clients send; any other is counted as `other`, so that clients cannot create labels. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Metrics in the text format of Prometheus. No label comes from a request: there are only as many as routes and codes. */
export class PrometheusMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'method' | 'route' | 'status' | 'code'>;
  readonly #durations: Histogram<'route'>;

  constructor(sources: MetricsSources) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Counter({
      name: 'cloche_http_requests_total',
      help: 'Requests by route, status and problem code. The decisions of the gate are those of /embed/iframe/v1/:designId.',
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
    addInfo(this.#registry, sources);
    addJobs(this.#registry, sources);
    addFreeSpace(this.#registry, sources);
    addEventLag(this.#registry, sources);
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
  }

  /** Returns all metrics, and their media type. */
  async render(): Promise<{ text: string; contentType: string }> {
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }
}

function addInfo(registry: Registry, { version, sandboxLevel }: MetricsSources): void {
  new Gauge({
    name: 'cloche_info',
    help: 'Always 1. The labels are the version of the service and the isolation of its workers.',
    labelNames: ['version', 'sandbox'],
    registers: [registry],
  }).set({ version, sandbox: sandboxLevel }, 1);
}

function addJobs(registry: Registry, { readJobStatistics }: MetricsSources): void {
  const registers = [registry];
  new Gauge({
    name: 'cloche_jobs',
    help: 'Files that are queued for processing, and that are being processed.',
    labelNames: ['state'],
    registers,
    async collect() {
      const { queued, running } = await readJobStatistics();
      this.set({ state: 'queued' }, queued);
      this.set({ state: 'running' }, running);
    },
  });
  new Gauge({
    name: 'cloche_job_oldest_queued_seconds',
    help: 'How long the oldest queued job has waited.',
    registers,
    async collect() {
      this.set((await readJobStatistics()).oldestQueuedSeconds);
    },
  });
}

function addEventLag(registry: Registry, { events }: MetricsSources): void {
  if (events === undefined) return;
  new Gauge({
    name: 'cloche_event_lag_seconds',
    help: 'The age of the newest state of which this node knows all changes of other nodes. From 2 on, nothing is cached.',
    registers: [registry],
    collect() {
      this.set(events.getLagMs() / 1000);
    },
  });
}

function addFreeSpace(registry: Registry, { dataDirectory }: MetricsSources): void {
  new Gauge({
    name: 'cloche_data_directory_free_bytes',
    help: 'Free space of the disk with the data directory.',
    registers: [registry],
    async collect() {
      const { bavail, bsize } = await statfs(dataDirectory);
      this.set(bavail * bsize);
    },
  });
}
