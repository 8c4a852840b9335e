import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { findFreePort } from '../scripts/find-free-port.ts';
import { skipWithout } from '../scripts/optional-programs.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { ApiClient, sendGet } from './api-client.ts';
import { type SharedServers, startSharedServers } from './nodes-with-bucket.ts';
import { ServiceProcess } from './service-process.ts';

const GRANT_KEY = '0123456789abcdef'.repeat(4);
const MIB = 1024 ** 2;
/** The limit of a worker. */
const MAX_WORKER_BYTES = 4096 * MIB;

/** The value of each metric, by its name and labels. */
type Values = ReadonlyMap<string, number>;

test('a service with SQLite and a folder reports what it has done', async (t) => {
  const { values } = await openUsedService(t, {});
  assertUsed(values);
  for (const name of ['cloche_event_lag_seconds', 'cloche_database_connections'])
    assert.deepEqual(findNames(values, name), [], 'one node alone has none');
  assert.deepEqual(findNames(values, 'cloche_s3_request_duration_seconds_count'), []);
});

describe('with PostgreSQL and a bucket', { skip: skipWithout('radosgw') }, () => {
  let servers: SharedServers;

  before(async () => {
    servers = await startSharedServers('metrics');
  });
  after(() => servers?.[Symbol.asyncDispose]());

  test('a node also reports its pool, the lag of events and requests to S3', async (t) => {
    const settings = { ...(await servers.createSettings('one')), CLOCHE_GRANT_KEY: GRANT_KEY };
    const { values, readValues, api } = await openUsedService(t, settings);
    assertUsed(values);
    const connections = (state: string) =>
      get(values, `cloche_database_connections{state="${state}"}`);
    assert.ok(connections('used') + connections('idle') >= 1, 'the pool has no connection');
    assert.ok(connections('waiting') >= 0);
    const isCurrent = async () => {
      const lag = get(await readValues(), 'cloche_event_lag_seconds');
      return lag >= 0 && lag < 2;
    };
    await waitUntil('all changes to be known', isCurrent);

    const puts = 'cloche_s3_request_duration_seconds_count{operation="PutObject"}';
    assert.ok(get(values, puts) >= 2, 'the source file and the model were stored');
    assert.ok(get(values, toSum(puts)) > 0);
    assert.deepEqual(findNames(values, 'cloche_s3_errors_total{'), []);
    await servers.gateway.kill();
    try {
      const { status } = await api.upload(makeBox({ color: [0, 0, 1] }));
      assert.equal(status, 503);
    } finally {
      await servers.gateway.restart();
    }
    const errors = findNames(await readValues(), 'cloche_s3_errors_total{');
    assert.match(errors.join('\n'), /status="none"/, 'there was no response');
  });
});

/** Starts a service. Uploads one file, shows it on a page and refuses to show it on another page. */
async function openUsedService(t: TestContext, settings: Record<string, string>) {
  const port = await findFreePort();
  const service = await ServiceProcess.open(t, { ...settings, CLOCHE_METRICS_PORT: String(port) });
  const readValues = async (): Promise<Values> => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    assert.equal(response.status, 200);
    return parseMetrics(await response.text());
  };
  assert.deepEqual(findNames(await readValues(), 'cloche_gate_decisions_total{'), []);
  const api = await ApiClient.create(service);
  const { status, body } = await api.upload(makeBox());
  assert.equal(status, 201);
  assert.equal(body.status, 'ready');
  const config = await api.getViewerConfig(body.id);
  assert.equal((await api.getArtifact(config)).length, config.model.bytes);
  const { url, headers } = await api.createDocumentRequest(body.id);
  const refused = await sendGet({ url, headers: { ...headers, referer: 'http://other.test/' } });
  assert.equal(refused.status, 403);
  // A request is counted a moment after its response.
  const values = await waitUntil('both decisions to be counted', async () => {
    const read = await readValues();
    return findNames(read, 'cloche_gate_decisions_total{').length === 2 ? read : undefined;
  });
  return { api, values, readValues };
}

/** Asserts the numbers that any service has after one upload, one embed and one that was refused. */
function assertUsed(values: Values): void {
  const gate = findNames(values, 'cloche_gate_decisions_total{').map((name) => [
    name,
    get(values, name),
  ]);
  assert.deepEqual(gate.sort(), [
    ['cloche_gate_decisions_total{code="allowed"}', 1],
    ['cloche_gate_decisions_total{code="embed.origin"}', 1],
  ]);
  const uploads =
    'cloche_http_requests_total{method="POST",route="/v1/designs",status="201",code=""}';
  assert.equal(get(values, uploads), 1);

  assert.equal(get(values, 'cloche_jobs_ended_total{result="ready"}'), 1);
  assert.ok(!values.has('cloche_jobs_ended_total{result="failed"}'));
  for (const name of [
    'cloche_jobs{state="queued"}',
    'cloche_jobs{state="running"}',
    'cloche_job_oldest_queued_seconds',
  ])
    assert.equal(get(values, name), 0, name);

  assert.equal(get(values, 'cloche_worker_duration_seconds_count'), 1);
  const seconds = get(values, 'cloche_worker_duration_seconds_sum');
  assert.ok(seconds > 0 && seconds < get(values, 'process_start_time_seconds'), `${seconds}`);
  assert.equal(get(values, 'cloche_worker_memory_bytes_count'), 1);
  const bytes = get(values, 'cloche_worker_memory_bytes_sum');
  assert.ok(bytes > 16 * MIB && bytes < MAX_WORKER_BYTES, `${bytes} bytes`);

  const hits = 'cloche_cache_requests_total{cache="tokenStrings",result="hit"}';
  assert.ok(get(values, hits) > 0);
  assert.ok(get(values, 'cloche_data_directory_free_bytes') > 0);
}

/** Reads the text format of Prometheus. */
function parseMetrics(text: string): Values {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

function findNames(values: Values, prefix: string): string[] {
  return [...values.keys()].filter((name) => name.startsWith(prefix));
}

function get(values: Values, name: string): number {
  return values.get(name) ?? assert.fail(`${name} is missing in ${[...values.keys()].join(' ')}`);
}

/** The name of the sum of a histogram, from that of its count. */
function toSum(count: string): string {
  return count.replace('_count{', '_sum{');
}
