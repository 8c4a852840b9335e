import { Counter, Histogram, type Registry } from 'prom-client';
import type { FinishedS3Request } from '../blobs/s3-settings.ts';
import { isFailedS3Request } from './minute-counters.ts';

/** Seconds. A server in the same network responds in milliseconds. */
const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 30, 300];

/** Metrics of the requests to an S3 server. */
export class S3Metrics {
  readonly #durations: Histogram<'operation'>;
  readonly #errors: Counter<'operation' | 'status'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#durations = new Histogram({
      name: 'cloche_s3_request_duration_seconds',
      help: 'Time from a request to the S3 server to the headers of its response, for each attempt.',
      labelNames: ['operation'],
      buckets: LATENCY_BUCKETS,
      registers,
    });
    this.#errors = new Counter({
      name: 'cloche_s3_errors_total',
      help: 'Requests to the S3 server that failed, by status; none: there was no response.',
      labelNames: ['operation', 'status'],
      registers,
    });
  }

  count(request: FinishedS3Request): void {
    const { operation, durationMs, status = 'none' } = request;
    this.#durations.observe({ operation }, durationMs / 1000);
    if (isFailedS3Request(request)) this.#errors.inc({ operation, status });
  }
}
