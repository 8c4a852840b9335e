import type { MetricSample } from '@cloche/contract/metric-history';
import { operatorTexts } from '../i18n/en/operator.ts';
import { formatBytes } from '../ui/format.ts';
import { createLinesByName } from './create-lines-by-name.ts';
import { COUNTS, PERCENTS, type PlotOfSamples, type SampleLine, TIMES } from './plot-of-samples.ts';

const t = operatorTexts.metrics;
const usesS3 = (samples: readonly MetricSample[]) => samples.some(({ s3 }) => s3 !== null);

/** The plots about the database, the bucket and the caches. */
export const storagePlots: Record<string, PlotOfSamples> = {
  connections: {
    title: t.connections.title,
    unit: t.connections.unit,
    ...COUNTS,
    lines: [
      [t.connections.used, 'first', ({ connections }) => connections?.used ?? null],
      [t.idle, 'third', ({ connections }) => connections?.idle ?? null],
      [t.waiting, 'bad', ({ connections }) => connections?.waiting ?? null],
    ],
    applies: (samples) => samples.some(({ connections }) => connections !== null),
  },
  lag: {
    title: t.lag.title,
    unit: t.milliseconds,
    ...TIMES,
    lines: [[t.lag.line, 'first', ({ lagMs }) => lagMs]],
    applies: (samples) => samples.some(({ lagMs }) => lagMs !== null),
  },
  s3Requests: {
    title: t.s3Requests.title,
    unit: t.perMinute,
    ...COUNTS,
    lines: [
      [t.s3Requests.line, 'first', ({ s3 }) => s3?.requests ?? null],
      [t.failed, 'bad', ({ s3 }) => s3?.failed ?? null],
    ],
    applies: usesS3,
  },
  s3Operations: {
    title: t.s3Operations.title,
    unit: t.s3Operations.unit,
    ...COUNTS,
    lines: (samples) =>
      createLinesByName(samples, ({ s3 }) => s3 && { all: s3.requests, byName: s3.byOperation }),
    applies: usesS3,
  },
  s3Latency: {
    title: t.s3Latency.title,
    unit: t.milliseconds,
    ...TIMES,
    lines: [
      [t.median, 'first', ({ s3 }) => s3?.latencyMs.p50 ?? null],
      [t.p95, 'second', ({ s3 }) => s3?.latencyMs.p95 ?? null],
    ],
    applies: usesS3,
  },
  cacheHits: {
    title: t.cacheHits.title,
    unit: t.cacheHits.unit,
    ...PERCENTS,
    lines: (samples) => {
      const { tokens, designs, documents, files, diskFiles } = t.cacheHits;
      const lines: SampleLine[] = [
        [tokens, 'first', ({ caches }) => toHitShare(caches.tokens)],
        [designs, 'second', ({ caches }) => toHitShare(caches.designs)],
        [documents, 'third', ({ caches }) => toHitShare(caches.documents)],
        [files, 'fourth', ({ caches }) => toHitShare(caches.files)],
      ];
      const isOnDisk = samples.some(({ caches }) => caches.diskFiles !== null);
      if (isOnDisk) lines.push([diskFiles, 'fifth', ({ caches }) => toHitShare(caches.diskFiles)]);
      return lines;
    },
  },
  cacheSize: {
    title: t.cacheSize.title,
    unit: t.cacheSize.unit,
    formatValue: formatBytes,
    lines: (samples) => {
      const { memory, disk } = t.cacheSize;
      const lines: SampleLine[] = [[memory, 'first', ({ cacheBytes }) => cacheBytes.memory]];
      const isOnDisk = samples.some(({ cacheBytes }) => cacheBytes.disk !== null);
      if (isOnDisk) lines.push([disk, 'second', ({ cacheBytes }) => cacheBytes.disk]);
      return lines;
    },
  },
};

/** Returns null if the cache was not read. */
function toHitShare(use: MetricSample['caches']['diskFiles']): number | null {
  if (use === null || use.hits + use.misses === 0) return null;
  return (100 * use.hits) / (use.hits + use.misses);
}
