import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MetricHistory, MetricSample } from '@cloche/contract/metric-history';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { getFramedDocument } from '../../testing/get-framed-document.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { issueToken, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { openDatabaseAgain } from '../../testing/test-database.ts';
import {
  createMinuteCounts,
  estimatePercentile,
  MinuteCounters,
} from '../metrics/minute-counters.ts';
import {
  createEmptySample,
  SAMPLE_INTERVAL_MS,
  SampleStore,
  type StoredSample,
} from './sample-store.ts';

const read = async (service: TestServer, query = ''): Promise<MetricHistory> =>
  (await sendRequest(service, 'GET', `/v1/metrics${query}`)).json();

test('the sums of a minute are those of the requests that were made', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const counters = new MinuteCounters();
  const service = await openTestServer(t, {
    counters,
    storageKind: 's3',
    readPoolUse: () => ({ total: 5, idle: 3, waiting: 1 }),
  });
  const diskFiles = { hits: 7, misses: 3, entries: 4, sizeBytes: 500 };
  counters.addCaches({ blobFiles: { readStatistics: () => diskFiles } });
  for (const status of [200, 404, 503, undefined])
    counters.countS3Request({ operation: 'GetObject', durationMs: 20, status });
  counters.observeWorker({ durationMs: 700, memoryBytes: 3e8 });
  counters.observeWorker({ durationMs: 300, memoryBytes: undefined });
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  for (let count = 0; count < 3; count += 1) await sendRequest(service, 'GET', '/v1/designs');
  for (let count = 0; count < 4; count += 1) await sendRequest(service, 'GET', '/v1/unknown');
  await getFramedDocument(service, design.id, token);
  await getFramedDocument(service, design.id, 'wrong');
  await nextTurn();
  t.mock.timers.tick(SAMPLE_INTERVAL_MS);
  await waitUntil('the sample', async () => (await read(service)).samples.length === 1);
  const [sample] = (await read(service)).samples;
  // The upload, the token, 3 lists and one framed document; 4 unknown routes and one refusal.
  assert.deepEqual(sample?.requests, {
    success: 6,
    redirect: 0,
    clientError: 5,
    serverError: 0,
    aborted: 0,
    byRoute: {
      none: 4,
      '/v1/designs': 4,
      '/embed/iframe/v1/:designId': 2,
      '/v1/tokens': 1,
    },
  });
  assertMeasuresRuntime(sample);
  const refusedByCode = { 'token.malformed': 1 };
  assert.deepEqual(sample?.gate, { allowed: 1, refused: 1, refusedByCode });
  const queue = { waiting: 0, running: 0, oldestWaitingSeconds: 0 };
  assert.deepEqual(sample?.jobs, { ...queue, ready: 1, failed: 0 });
  // The upload has a worker as well.
  assert.deepEqual([sample?.workers.ended, sample?.workers.longestMs], [3, 700]);
  assert.equal(sample?.workers.memoryBytes, 3e8);
  assert.deepEqual(sample?.connections, { used: 2, idle: 3, waiting: 1 });
  assert.deepEqual([sample?.s3?.requests, sample?.s3?.failed], [4, 2]);
  assert.deepEqual(sample?.s3?.byOperation, { GetObject: 4 });
  assert.deepEqual(sample?.caches.diskFiles, { hits: 7, misses: 3 });
  assert.equal(sample?.cacheBytes.disk, 500);
  const { tokens, documents } = sample?.caches ?? {};
  assert.ok((tokens?.hits ?? 0) > 0 && (documents?.misses ?? 0) > 0, JSON.stringify(sample));
  assert.ok((sample?.cpuMs ?? 0) > 0);
  const { p50, p95 } = sample?.latencyMs ?? {};
  assert.ok((p50 ?? 0) > 0 && (p95 ?? 0) >= (p50 ?? 0), `${p50} ${p95}`);
  assert.ok((sample?.memoryBytes ?? 0) > 1e6);
});

function assertMeasuresRuntime(sample: MetricSample | undefined): void {
  assert.ok(sample?.eventLoop);
  const { p95Ms, longestMs } = sample.eventLoop;
  assert.ok(p95Ms >= 0 && longestMs >= p95Ms, JSON.stringify(sample.eventLoop));
  if (process.platform === 'linux') assert.ok((sample.openFiles ?? 0) > 0);
}

test('the samples of two nodes are added, or listed each, for a day', async (t) => {
  const service = await openTestServer(t);
  const database = openDatabaseAgain(t, service.dataDirectory);
  const now = new Date();
  for (const [node, success] of [
    ['b', 2],
    ['a', 3],
  ] as const) {
    await new SampleStore(database, node).add(createSample(success), now);
  }
  const sum = await read(service);
  assert.deepEqual(sum.nodes, ['a', 'b']);
  assert.equal(sum.samples.length, 1);
  const [sample] = sum.samples;
  assert.deepEqual(
    [sample?.node, sample?.requests.success, sample?.jobs.waiting, sample?.memoryBytes],
    [null, 5, 4, 2],
  );
  assert.deepEqual(sample?.gate.refusedByCode, {
    'token.revoked': 5,
    'origin.2': 1,
    'origin.3': 1,
  });
  assert.deepEqual(sample?.workers, { ended: 5, meanMs: 100, longestMs: 300, memoryBytes: 30 });
  assert.deepEqual(sample?.connections, { used: 5, idle: 0, waiting: 0 });
  assert.deepEqual([sample?.s3?.requests, sample?.s3?.failed, sample?.lagMs], [5, 5, 3]);
  assert.deepEqual(sample?.caches.tokens, { hits: 5, misses: 0 });
  assert.deepEqual(sample?.caches.diskFiles, { hits: 0, misses: 5 });
  assert.deepEqual(sample?.cacheBytes, { memory: 5, disk: 5 });
  assert.equal(sample?.cpuMs, 5);
  assert.deepEqual(sample?.requests.byRoute, { '/v1/designs': 5, '/v1/2': 1, '/v1/3': 1 });
  assert.deepEqual(sample?.s3?.byOperation, { GetObject: 5 });
  assert.deepEqual(sample?.eventLoop, { p95Ms: 3, longestMs: 8 });
  assert.deepEqual([sample?.garbageCollectionMs, sample?.openFiles], [5, 5]);
  const each = (await read(service, '?nodes=each')).samples;
  assert.deepEqual(
    each.map(({ node, requests }) => [node, requests.success]),
    [
      ['a', 3],
      ['b', 2],
    ],
  );
  service.advanceTime(24 * 60 * SAMPLE_INTERVAL_MS);
  assert.deepEqual((await read(service)).samples, []);
  const later = new Date(now.getTime() + 24 * 60 * SAMPLE_INTERVAL_MS);
  await new SampleStore(database, 'a').add(createEmptySample(), later);
  const rows = await database.selectFrom('metric_sample').select('node').execute();
  assert.equal(rows.length, 1, 'the old rows are deleted');
});

/** A sample whose numbers have the factor `count`. */
function createSample(count: number): StoredSample {
  const sample = { ...createEmptySample(), waiting: 4, memoryBytes: 1, cpuMs: count, lagMs: count };
  sample.requests.success = count;
  sample.durations[3] = count;
  sample.refusals = { 'token.revoked': count, [`origin.${count}`]: 1 };
  const memoryBytes = 10 * count;
  sample.workers = { ended: count, totalMs: 100 * count, longestMs: memoryBytes * 10, memoryBytes };
  sample.connections = { used: count, idle: 0, waiting: 0 };
  sample.s3 = { failed: count, durations: [count], operations: { GetObject: count } };
  sample.routes = { '/v1/designs': count, [`/v1/${count}`]: 1 };
  sample.eventLoop = { p95Ms: count, longestMs: 10 - count };
  sample.garbageCollectionMs = count;
  sample.openFiles = count;
  sample.caches.tokens.hits = count;
  sample.caches.diskFiles = { hits: 0, misses: count };
  sample.cacheBytes = { memory: count, disk: count };
  return sample;
}

test('what does not apply is null, and samples of older versions can be read', async (t) => {
  const service = await openTestServer(t);
  const database = openDatabaseAgain(t, service.dataDirectory);
  const { connections, caches, refusals, workers, routes, ...sampleOfOld } = createEmptySample();
  const { eventLoop, garbageCollectionMs, openFiles, ...old } = {
    ...sampleOfOld,
    s3: { failed: 1, durations: [2] },
  };
  const taken_at = new Date().toISOString();
  await database
    .insertInto('metric_sample')
    .values({ taken_at, node: 'old', sample: JSON.stringify(old) })
    .execute();
  const [sample] = (await read(service, '?nodes=each')).samples;
  assert.deepEqual(
    [sample?.connections, sample?.caches.diskFiles, sample?.cacheBytes.disk],
    [null, null, null],
  );
  assert.deepEqual([sample?.requests.byRoute, sample?.s3?.byOperation], [{}, {}]);
  assert.deepEqual(
    [sample?.eventLoop, sample?.garbageCollectionMs, sample?.openFiles],
    [null, 0, null],
  );
  assert.deepEqual(sample?.workers, { ended: 0, meanMs: null, longestMs: null, memoryBytes: null });
});

test('only the routes with the most requests are stored', () => {
  const counters = new MinuteCounters();
  const request = { method: 'GET', status: 200, problemCode: undefined, aborted: false };
  for (let route = 1; route <= 20; route += 1)
    for (let count = 0; count < route; count += 1)
      counters.countRequest({ ...request, route: `/${route}`, durationMs: 1 });
  const { routes } = counters.take();
  assert.deepEqual(Object.keys(routes).length, 10);
  assert.deepEqual([routes['/20'], routes['/11'], routes['/10']], [20, 11, undefined]);
});

test('a day of samples of a busy node is smaller than three megabytes', () => {
  const sample = createEmptySample();
  for (let route = 0; route < 10; route += 1)
    sample.routes[`/v1/designs/:id/revisions/:revision/artifacts/${route}`] = 1234;
  sample.eventLoop = { p95Ms: 123.4, longestMs: 1234.5 };
  sample.durations.fill(1234);
  sample.refusals = { 'origin.not-allowed': 123, 'token.malformed': 123, 'token.revoked': 123 };
  const use = { hits: 123_456, misses: 1234 };
  sample.caches = { tokens: use, designs: use, documents: use, files: use, diskFiles: use };
  sample.connections = { used: 10, idle: 10, waiting: 0 };
  const operations = { GetObject: 123, PutObject: 123, HeadObject: 123, DeleteObject: 123 };
  sample.s3 = { failed: 0, durations: sample.durations, operations };
  const size = JSON.stringify(sample).length;
  assert.ok(size * 1440 < 3e6, `${size} bytes`);
});

test('percentiles are within the bucket of the request', () => {
  const { durations } = createMinuteCounts();
  assert.equal(estimatePercentile(durations, 0.5), null);
  // 90 requests of 3 to 5 ms, 10 of 80 to 120 ms.
  durations[3] = 90;
  durations[9] = 5;
  durations[10] = 5;
  const p50 = estimatePercentile(durations, 0.5) ?? 0;
  const p95 = estimatePercentile(durations, 0.95) ?? 0;
  assert.ok(p50 > 3 && p50 <= 5, String(p50));
  assert.ok(p95 > 50 && p95 <= 80, String(p95));
});
