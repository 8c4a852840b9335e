import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import { makeBox } from '@cloche/pipeline/testing/models';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { createBlockingProcessor, passthroughProcessor } from '../../testing/fake-processing.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { failingProcessor } from '../../testing/problem-fixture.ts';
import { GLB_HEADERS, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

const list = async (service: TestServer, query = '') =>
  (await sendRequest(service, 'GET', `/v1/jobs${query}`)).json();

/** Uploads a file without waiting until it is processed. */
const startUpload = (service: TestServer) =>
  sendRequest(service, 'POST', '/v1/designs', makeBox(), { ...GLB_HEADERS, prefer: '' });

test('a design that fails is listed, queued again, and then ready', async (t) => {
  let isFixed = false;
  const modelProcessor: ModelProcessor = {
    run: (...parameters) => (isFixed ? passthroughProcessor : failingProcessor).run(...parameters),
  };
  const service = await openTestServer(t, { processing: { modelProcessor } });
  const design = (
    await sendRequest(service, 'POST', '/v1/designs?name=Chair', makeBox(), GLB_HEADERS)
  ).json();
  assert.equal(design.status, 'failed');
  const { items, counts, nextCursor } = await list(service, '?state=failed');
  assert.deepEqual(counts, { waiting: 0, running: 0, failed: 1 });
  assert.equal(nextCursor, null);
  const [{ id, createdAt, failedAt, owner, ...job }] = items;
  assert.deepEqual(job, {
    state: 'failed',
    purpose: 'process',
    design: { id: design.id, name: 'Chair' },
    revision: 1,
    attempts: 1,
    dueAt: null,
    node: 'node',
    problem: { code: 'design.failed', detail: 'Failed.' },
  });
  assert.equal(owner.name, 'operator');
  assert.ok(failedAt >= createdAt);
  isFixed = true;
  const retried = await sendRequest(service, 'POST', `/v1/jobs/${id}/retry`);
  assert.equal(retried.statusCode, 200, retried.body);
  assert.equal(retried.json().problem, null);
  await waitUntil('the design to be ready', async () => {
    const { status } = (await sendRequest(service, 'GET', `/v1/designs/${design.id}`)).json();
    return status === 'ready';
  });
  assert.deepEqual((await list(service, '?state=failed')).items, []);
  const again = await sendRequest(service, 'POST', `/v1/jobs/${id}/retry`);
  assert.deepEqual([again.statusCode, again.json().code], [409, 'job.not-failed']);
});

test('a running job and a waiting one are listed and cancelled, and their workers stop', async (t) => {
  const { processor, started, runCount } = createBlockingProcessor();
  const processing = { modelProcessor: processor, concurrency: 1 };
  const service = await openTestServer(t, { processing });
  const first = (await startUpload(service)).json();
  await started;
  const second = (await startUpload(service)).json();
  const { items, counts } = await list(service);
  assert.deepEqual(counts, { waiting: 1, running: 1, failed: 0 });
  assert.deepEqual(
    items.map((job: { design: { id: string }; state: string }) => [job.design.id, job.state]),
    [
      [first.id, 'running'],
      [second.id, 'waiting'],
    ],
  );
  for (const state of ['waiting', 'running'])
    assert.equal((await list(service, `?state=${state}`)).items.length, 1);
  for (const { id } of items.toReversed()) {
    const cancelled = await sendRequest(service, 'POST', `/v1/jobs/${id}/cancel`);
    assert.deepEqual([cancelled.statusCode, cancelled.json().state], [200, 'cancelled']);
  }
  assert.deepEqual((await list(service)).counts, { waiting: 0, running: 0, failed: 0 });
  for (const { id } of [first, second]) {
    const { status } = (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();
    assert.equal(status, 'cancelled');
  }
  assert.equal(runCount(), 1, 'the waiting one never ran');
});

test('failed jobs are listed in pages, newest first', async (t) => {
  const processing = { modelProcessor: failingProcessor };
  const service = await openTestServer(t, { processing });
  for (let count = 0; count < 3; count += 1) {
    await sendRequest(service, 'POST', '/v1/designs', makeBox(), GLB_HEADERS);
    service.advanceTime(1000);
  }
  const first = await list(service, '?state=failed&limit=2');
  const second = await list(service, `?state=failed&limit=2&cursor=${first.nextCursor}`);
  const times = [...first.items, ...second.items].map(({ createdAt }) => createdAt);
  assert.equal(new Set(times).size, 3);
  assert.deepEqual(times, times.toSorted().reverse());
  const other = await sendRequest(service, 'GET', `/v1/jobs?cursor=${first.nextCursor}`);
  assert.equal(other.json().code, 'request.cursor', 'of another list');
});

test('503: a failed job is not queued again if the queue is full', async (t) => {
  const processing = { modelProcessor: failingProcessor, maxQueuedJobs: 1 };
  const service = await openTestServer(t, { processing });
  await sendRequest(service, 'POST', '/v1/designs', makeBox(), GLB_HEADERS);
  const [{ id }] = (await list(service, '?state=failed')).items;
  const { processor } = createBlockingProcessor();
  const other = await openTestServer(t, {
    processing: { modelProcessor: processor, maxQueuedJobs: 0 },
    dataDirectory: service.dataDirectory,
  });
  const busy = await sendRequest(
    { ...other, token: service.token },
    'POST',
    `/v1/jobs/${id}/retry`,
  );
  assert.deepEqual([busy.statusCode, busy.json().code], [503, 'server.busy']);
});

test('cancelling the job of a poster keeps the revision ready', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const database = connectToServerDatabase(t, service);
  // Not due, so that it keeps waiting.
  await database.exec(`INSERT INTO job (id, revision_id, attempts, due_at, created_at)
    SELECT 'job', id, 1, '2999-01-01T00:00:00.000Z', created_at FROM revision`);
  const [{ id, purpose, state, dueAt }] = (await list(service)).items;
  assert.deepEqual([purpose, state, dueAt], ['poster', 'waiting', '2999-01-01T00:00:00.000Z']);
  const response = await sendRequest(service, 'POST', `/v1/jobs/${id}/cancel`);
  assert.equal(response.statusCode, 200, response.body);
  const cancelled = response.json();
  assert.deepEqual(
    [cancelled.purpose, cancelled.state, cancelled.attempts, cancelled.dueAt],
    ['poster', 'cancelled', 1, null],
  );
  assert.deepEqual((await list(service)).items, []);
  const { status } = (await sendRequest(service, 'GET', `/v1/designs/${design.id}`)).json();
  assert.equal(status, 'ready');
});
