import type { FinishedS3Request } from '../blobs/s3-settings.ts';
import type { NamedCaches } from '../cache/cache.ts';

/** One finished request. */
export type FinishedRequest = {
  method: string;
  /** The URL of the route, such as `/v1/designs/:id`. Undefined: no route matched. */
  route: string | undefined;
  status: number;
  /** The code of the problem in the response. */
  problemCode: string | undefined;
  /** The client closed the connection before it had the response. */
  aborted: boolean;
  durationMs: number;
};

/** A worker process that has ended. */
export type FinishedWorker = {
  durationMs: number;
  /** The most memory that it has used. Undefined: it ended before it reported that. */
  memoryBytes: number | undefined;
};

/** Counts what the service does. */
export interface Metrics {
  countRequest(request: FinishedRequest): void;
  /** A revision was processed, or could not be. */
  countJob(result: 'ready' | 'failed'): void;
  observeWorker(worker: FinishedWorker): void;
  countS3Request(request: FinishedS3Request): void;
  /** Reports what these caches do. */
  addCaches(caches: NamedCaches): void;
}
