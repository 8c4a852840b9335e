import type { Metrics } from './metrics.ts';

/** Passes everything to several metrics. */
export function combineMetrics(all: readonly (Metrics | undefined)[]): Metrics {
  return {
    countRequest: (request) => {
      for (const metrics of all) metrics?.countRequest(request);
    },
    countJob: (result) => {
      for (const metrics of all) metrics?.countJob(result);
    },
    observeWorker: (worker) => {
      for (const metrics of all) metrics?.observeWorker(worker);
    },
    countS3Request: (request) => {
      for (const metrics of all) metrics?.countS3Request(request);
    },
    addCaches: (caches) => {
      for (const metrics of all) metrics?.addCaches(caches);
    },
  };
}
