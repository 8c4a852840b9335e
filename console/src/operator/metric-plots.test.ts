import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createMetricSamples } from '../../../e2e/console/operator-states.ts';
import { createMetricPlots, METRIC_PLOT_GROUPS } from './metric-plots.ts';

/** The plots of each metric that the documentation lists, or the reason why there is none. */
const PLOTS_OF_METRICS: Record<string, readonly string[] | { reason: string }> = {
  cloche_http_requests_total: ['requests', 'routes'],
  cloche_http_request_duration_seconds: ['latency'],
  cloche_gate_decisions_total: ['gate', 'refusals'],
  cloche_jobs_ended_total: ['jobsEnded'],
  cloche_worker_duration_seconds: ['workerTime'],
  cloche_worker_memory_bytes: ['workerMemory'],
  cloche_jobs: ['jobs'],
  cloche_event_lag_seconds: ['lag'],
  cloche_database_connections: ['connections'],
  cloche_s3_request_duration_seconds: ['s3Requests', 's3Operations', 's3Latency'],
  cloche_s3_errors_total: ['s3Requests'],
  cloche_cache_requests_total: ['cacheHits'],
  cloche_cache_entries: { reason: 'The size of the caches is shown, which is what they cost.' },
  cloche_cache_bytes: ['cacheSize'],
  cloche_job_oldest_queued_seconds: ['jobAge'],
  cloche_data_directory_free_bytes: ['disk'],
  cloche_info: { reason: 'The version and the isolation are facts of the same page, not numbers.' },
  'process_…': ['cpu', 'memory', 'openFiles'],
  'nodejs_…': ['eventLoop', 'garbageCollection'],
};

const IDS = Object.values(METRIC_PLOT_GROUPS).flatMap((plots) => Object.keys(plots));
const listPlots = (kind: 'single' | 'several') =>
  createMetricPlots(createMetricSamples(new Date(), kind)).flatMap(({ plots }) => plots);

describe('the plots of operators', () => {
  it('show each metric of the documentation, or there is a reason', async () => {
    const path = join(import.meta.dirname, '../../../docs/configure.md');
    const text = await readFile(path, 'utf8');
    const [, section = ''] = /^## Metrics\n(.*?)^## /ms.exec(text) ?? [];
    const rows = [...section.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell);
    const documented = rows.flatMap((cell) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    );
    assert.ok(documented.length > 15, String(documented));
    assert.deepEqual(Object.keys(PLOTS_OF_METRICS).sort(), documented.sort());
  });

  it('all show a metric', () => {
    const used = Object.values(PLOTS_OF_METRICS).flatMap((plots) =>
      'reason' in plots ? [] : [...plots],
    );
    assert.deepEqual([...new Set(used)].sort(), IDS.toSorted());
  });

  it('leave out what a service without PostgreSQL and S3 does not have', () => {
    assert.deepEqual(
      listPlots('several').map(({ id }) => id),
      IDS,
    );
    const left = ['connections', 'lag', 's3Requests', 's3Operations', 's3Latency'];
    assert.deepEqual(
      listPlots('single').map(({ id }) => id),
      IDS.filter((id) => !left.includes(id)),
    );
    const hits = listPlots('single').find(({ id }) => id === 'cacheHits');
    assert.deepEqual(
      hits?.series.map(({ name, values }) => [name, values.at(-1)]),
      [
        ['tokens', 90],
        ['designs', 80],
        ['framed documents', null],
        ['small files', 50],
      ],
    );
  });

  it('show the routes and operations with the most requests, and the rest as one line', () => {
    const plots = listPlots('several');
    const find = (plotId: string) =>
      plots
        .find(({ id }) => id === plotId)
        ?.series.map(({ name, values }) => [name, values.at(-1)]);
    assert.deepEqual(find('routes'), [
      ['/embed/iframe/v1/:designId', 576],
      ['/embed/assets/v1/:designId/:revision/:file', 432],
      ['/v1/designs', 144],
      ['/v1/designs/:id', 72],
      ['others', 220],
    ]);
    assert.deepEqual(find('s3Operations'), [
      ['GetObject', 250],
      ['PutObject', 50],
    ]);
  });

  it('show the most frequent refusals, and the rest as one line', () => {
    const refusals = listPlots('several').find(({ id }) => id === 'refusals');
    assert.deepEqual(
      refusals?.series.map(({ name, values }) => [name, values.at(-1)]),
      [
        ['token.origin', 9],
        ['token.revoked', 7],
        ['token.expired', 5],
        ['token.unknown', 3],
        ['others', 2],
      ],
    );
  });
});
