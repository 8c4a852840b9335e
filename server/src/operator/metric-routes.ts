import {
  MetricHistory,
  MetricHistoryQuery,
  type MetricSample,
} from '@cloche/contract/metric-history';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { estimatePercentile } from '../metrics/minute-counters.ts';
import { FOR_OPERATORS, OPERATOR_TAGS } from './route-description.ts';
import { SAMPLE_INTERVAL_MS, type SampleStore, type StoredSample } from './sample-store.ts';
import { sumSamples } from './sum-samples.ts';

export type MetricRouteDependencies = { samples: Pick<SampleStore, 'list'>; now: () => Date };

/** GET /v1/metrics: what each minute of the last day was like. */
export const metricRoutes: FastifyPluginAsyncTypebox<MetricRouteDependencies> = async (
  app,
  { samples, now },
) => {
  app.get('/', { config: { auth: 'read' }, schema: SCHEMA }, async ({ query }) => {
    const found = await samples.list(now());
    const each = query.nodes === 'each';
    return {
      intervalSeconds: SAMPLE_INTERVAL_MS / 1000,
      nodes: [...new Set(found.map(({ node }) => node))].sort(),
      samples: each
        ? found.map(({ at, node, sample }) => toSample(at, node, sample))
        : [...Map.groupBy(found, ({ at }) => at)].map(([at, group]) =>
            toSample(at, null, sumSamples(group.map(({ sample }) => sample))),
          ),
    };
  });
};

function toSample(at: string, node: string | null, stored: StoredSample): MetricSample {
  const { durations, gate, refusals, waiting, running, oldestWaitingSeconds } = stored;
  const { jobs, workers, s3, routes, ...sample } = stored;
  return {
    at,
    node,
    requests: { ...sample.requests, byRoute: routes },
    gate: { ...gate, refusedByCode: refusals },
    latencyMs: toLatency(durations),
    jobs: { waiting, running, oldestWaitingSeconds, ...jobs },
    workers: toWorkers(workers),
    cpuMs: sample.cpuMs,
    eventLoop: sample.eventLoop,
    garbageCollectionMs: sample.garbageCollectionMs,
    openFiles: sample.openFiles,
    memoryBytes: sample.memoryBytes,
    freeBytes: sample.freeBytes,
    lagMs: sample.lagMs,
    connections: sample.connections,
    s3: s3 && {
      requests: s3.durations.reduce((sum, count) => sum + count, 0),
      failed: s3.failed,
      byOperation: s3.operations,
      latencyMs: toLatency(s3.durations),
    },
    caches: sample.caches,
    cacheBytes: sample.cacheBytes,
  };
}

function toLatency(durations: readonly number[]): MetricSample['latencyMs'] {
  return { p50: estimatePercentile(durations, 0.5), p95: estimatePercentile(durations, 0.95) };
}

function toWorkers(workers: StoredSample['workers']): MetricSample['workers'] {
  const { ended, totalMs, longestMs, memoryBytes } = workers;
  if (ended === 0) return { ended, meanMs: null, longestMs: null, memoryBytes: null };
  const meanMs = Math.round(totalMs / ended);
  return { ended, meanMs, longestMs, memoryBytes: memoryBytes === 0 ? null : memoryBytes };
}

const SCHEMA = {
  tags: OPERATOR_TAGS,
  summary: 'Read the metrics of the last day',
  description: `One sample for each minute. A minute in which no node ran has none. ${FOR_OPERATORS}`,
  querystring: MetricHistoryQuery,
  response: { 200: MetricHistory },
};
