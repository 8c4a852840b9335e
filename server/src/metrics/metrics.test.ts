import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { openTestServer } from '../../testing/harness.ts';
import { formatRequestHead, RawConnection } from '../../testing/raw-connection.ts';
import { GLB_HEADERS, UNKNOWN_DESIGN_ID } from '../../testing/requests.ts';
import { createSilentLogger } from '../http/logger.ts';
import { openMetricsServer } from './metrics-server.ts';
import type { MetricsSources } from './metrics-sources.ts';
import { PrometheusMetrics } from './prometheus-metrics.ts';

const CACHE_NAMES = [
  'assetGrants',
  'designs',
  'documents',
  'documentsWithOptions',
  'pageOrigins',
  'revisions',
  'sessions',
  'tokenStrings',
  'tokens',
];
const JOBS = { queued: 2, running: 1, oldestQueuedSeconds: 7 };

async function openMetrics(t: TestContext, changes: Partial<MetricsSources> = {}) {
  return new PrometheusMetrics({
    version: '1.2.3',
    sandboxLevel: 'reduced',
    dataDirectory: await openTemporaryDirectory(t),
    readJobStatistics: async () => JOBS,
    ...changes,
  });
}

/** The lines of one metric, without the values of labels that a test does not name. */
function findLines(text: string, name: string): string[] {
  return text.split('\n').filter((line) => line.startsWith(name));
}

test('requests are counted by route, status and problem code', async (t) => {
  const metrics = await openMetrics(t);
  const { app, token } = await openTestServer(t, { metrics });
  const headers = { authorization: `Bearer ${token}`, host: 'cloche.test' };
  for (const url of [
    '/v1/designs',
    '/v1/designs/unknown',
    '/v1/designs/other?query',
    '/no/such/route',
    `/embed/iframe/v1/${UNKNOWN_DESIGN_ID}?token=y`,
  ]) {
    await app.inject({ url, headers });
  }
  const { text, contentType } = await metrics.render();
  assert.match(contentType, /^text\/plain; version=0\.0\.4/);
  assert.deepEqual(findLines(text, 'cloche_http_requests_total').sort(), [
    'cloche_http_requests_total{method="GET",route="/embed/iframe/v1/:designId",status="401",code="token.malformed"} 1',
    'cloche_http_requests_total{method="GET",route="/v1/designs",status="200",code=""} 1',
    'cloche_http_requests_total{method="GET",route="/v1/designs/:id",status="400",code="request.invalid"} 2',
    'cloche_http_requests_total{method="GET",route="none",status="404",code="route.unknown"} 1',
  ]);
  const [count] = findLines(
    text,
    'cloche_http_request_duration_seconds_count{route="/v1/designs/:id"}',
  );
  assert.match(count ?? '', / 2$/);
});

test('a request that the client aborts is counted as aborted', async (t) => {
  const metrics = await openMetrics(t);
  const service = await openTestServer(t, { listen: true, metrics });
  const created = await service.app.inject({
    method: 'POST',
    url: '/v1/designs',
    headers: {
      ...GLB_HEADERS,
      host: new URL(service.origin).host,
      authorization: `Bearer ${service.token}`,
    },
    payload: makeBox(),
  });
  const connection = await RawConnection.open(t, service);
  connection.write(formatRequestHead(service, `GET /v1/designs/${created.json().id}/events`));
  await once(connection.socket, 'data');
  connection.socket.destroy();
  await waitUntil('the aborted request to be counted', async () =>
    findLines((await metrics.render()).text, 'cloche_http_requests_total').some(
      (line) => line.includes('/events"') && line.includes('status="aborted"'),
    ),
  );
});

test('a client cannot create labels', async (t) => {
  const metrics = await openMetrics(t);
  const request = { route: undefined, status: 400, problemCode: undefined, aborted: false };
  for (const method of ['BREW', 'PURGE'])
    metrics.countRequest({ ...request, method, durationMs: 1 });
  assert.deepEqual(findLines((await metrics.render()).text, 'cloche_http_requests_total'), [
    'cloche_http_requests_total{method="other",route="none",status="400",code=""} 2',
  ]);
});

test('a design is shown if its document is sent, or revalidated; a refusal of a cached document is no decision', async (t) => {
  const metrics = await openMetrics(t);
  const document = '/embed/iframe/v1/:designId';
  for (const [route, problemCode] of [
    [document, undefined],
    [document, 'embed.origin'],
    [`${document}/:documentVersion`, undefined],
    [`${document}/:documentVersion`, 'embed.grant'],
  ] as const) {
    const request = { method: 'GET', status: 200, aborted: false, durationMs: 1 };
    metrics.countRequest({ ...request, route, problemCode });
  }
  const { text } = await metrics.render();
  assert.deepEqual(findLines(text, 'cloche_gate_decisions_total').sort(), [
    'cloche_gate_decisions_total{code="allowed"} 2',
    'cloche_gate_decisions_total{code="embed.origin"} 1',
  ]);
});

test('jobs, the version, free space and the process are reported', async (t) => {
  const { text } = await (await openMetrics(t)).render();
  for (const line of [
    'cloche_jobs{state="queued"} 2',
    'cloche_jobs{state="running"} 1',
    'cloche_job_oldest_queued_seconds 7',
    'cloche_info{version="1.2.3",sandbox="reduced"} 1',
  ]) {
    assert.ok(text.split('\n').includes(line), line);
  }
  assert.match(text, /^cloche_data_directory_free_bytes \d{6,}$/m);
  assert.match(text, /^process_resident_memory_bytes \d{6,}$/m);
});

test('the server sends the metrics at /metrics and nothing else', async (t) => {
  const metrics = await openMetrics(t);
  const address = { port: 0, host: '127.0.0.1', log: createSilentLogger() };
  await using server = await openMetricsServer(metrics, address);
  const ok = await fetch(`${server.origin}/metrics`);
  assert.equal(ok.status, 200);
  assert.match(await ok.text(), /cloche_jobs/);
  assert.equal((await fetch(`${server.origin}/`)).status, 404);
  assert.equal((await fetch(`${server.origin}/metrics`, { method: 'POST' })).status, 404);
});

test('caches are reported by name, with their hits, misses and size', async (t) => {
  const metrics = await openMetrics(t);
  const { app, token } = await openTestServer(t, { metrics });
  const headers = { authorization: `Bearer ${token}`, host: 'cloche.test' };
  for (let count = 0; count < 3; count += 1) await app.inject({ url: '/v1/designs', headers });
  const { text } = await metrics.render();
  const entries = findLines(text, 'cloche_cache_entries');
  const names = entries.map((line) => /cache="(\w+)"/.exec(line)?.[1]);
  assert.deepEqual(names.sort(), CACHE_NAMES);
  for (const line of [
    'cloche_cache_entries{cache="tokenStrings"} 1',
    'cloche_cache_bytes{cache="pageOrigins"} 0',
    'cloche_cache_requests_total{cache="sessions",result="hit"} 0',
  ])
    assert.ok(text.split('\n').includes(line), line);
  assert.match(text, /^cloche_cache_requests_total\{cache="tokenStrings",result="hit"\} [1-9]/m);
  assert.match(text, /^cloche_cache_requests_total\{cache="tokenStrings",result="miss"\} [1-9]/m);
});

test('the lag, the connections to PostgreSQL and the memory of workers are reported', async (t) => {
  const metrics = await openMetrics(t, {
    events: { getLagMs: () => 1500 },
    readPoolUse: () => ({ total: 5, idle: 3, waiting: 1 }),
  });
  metrics.observeWorker({ durationMs: 700, memoryBytes: 200 * 1024 ** 2 });
  metrics.observeWorker({ durationMs: 700, memoryBytes: undefined });
  const { text } = await metrics.render();
  for (const line of [
    'cloche_event_lag_seconds 1.5',
    'cloche_database_connections{state="used"} 2',
    'cloche_database_connections{state="idle"} 3',
    'cloche_database_connections{state="waiting"} 1',
    'cloche_worker_duration_seconds_count 2',
    'cloche_worker_memory_bytes_count 1',
    `cloche_worker_memory_bytes_sum ${200 * 1024 ** 2}`,
  ])
    assert.ok(text.split('\n').includes(line), line);
});

test('while the jobs cannot be read, their metrics have no value, and the others do', async (t) => {
  let isDown = false;
  const metrics = await openMetrics(t, {
    events: { getLagMs: () => 1500 },
    readJobStatistics: async () => {
      if (isDown) throw new Problem('server.unavailable');
      return JOBS;
    },
  });
  const readJobs = async () => {
    const { text } = await metrics.render();
    assert.deepEqual(findLines(text, 'cloche_event_lag_seconds'), ['cloche_event_lag_seconds 1.5']);
    return findLines(text, 'cloche_job').filter((line) => !line.startsWith('cloche_jobs_ended'));
  };
  const before = await readJobs();
  assert.equal(before.length, 3);
  isDown = true;
  assert.deepEqual(await readJobs(), []);
  isDown = false;
  assert.deepEqual(await readJobs(), before);
});

test('requests to S3 are measured by operation, and errors that are not expected are counted', async (t) => {
  const metrics = await openMetrics(t);
  for (const status of [200, 404, 412, 503, undefined])
    metrics.countS3Request({ operation: 'GetObject', durationMs: 20, status });
  const { text } = await metrics.render();
  assert.deepEqual(findLines(text, 'cloche_s3_errors_total').sort(), [
    'cloche_s3_errors_total{operation="GetObject",status="503"} 1',
    'cloche_s3_errors_total{operation="GetObject",status="none"} 1',
  ]);
  const [count] = findLines(text, 'cloche_s3_request_duration_seconds_count');
  assert.equal(count, 'cloche_s3_request_duration_seconds_count{operation="GetObject"} 5');
});

test('the documentation lists every metric', async (t) => {
  const metrics = await openMetrics(t, {
    events: { getLagMs: () => 0 },
    readPoolUse: () => ({ total: 0, idle: 0, waiting: 0 }),
  });
  const { text } = await metrics.render();
  const rendered = [...text.matchAll(/^# TYPE (cloche_\w+)/gm)].map(([, name]) => name);
  const docs = await readFile(join(import.meta.dirname, '../../../docs/configure.md'), 'utf8');
  const documented = [...docs.matchAll(/^\| `(cloche_\w+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(rendered.sort(), documented.sort());
});
