import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeBox } from '@cloche/pipeline/testing/models';
import { uploadRevision } from '../../testing/design-requests.ts';
import { createBlockingProcessor } from '../../testing/fake-processing.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { issueToken, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

const WITHOUT_WAIT = { 'content-type': 'model/gltf-binary', prefer: '' };

test('503: POST /v1/designs with a full queue, with Retry-After', async (t) => {
  const blocking = createBlockingProcessor();
  const service = await openTestServer(t, {
    processing: { modelProcessor: blocking.processor, maxQueuedJobs: 4 },
  });
  const create = () => sendRequest(service, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT);
  await create();
  await create();
  const third = await create();
  assert.equal(third.statusCode, 503);
  assert.equal(third.headers['retry-after'], '10');
  assert.equal((await sendRequest(service, 'GET', '/v1/designs')).json().items.length, 2);
  blocking.release();
});

test('503: one user cannot fill the queue, also with uploads at the same time', async (t) => {
  const blocking = createBlockingProcessor();
  const service = await openTestServer(t, {
    processing: { modelProcessor: blocking.processor, maxQueuedJobs: 4 },
  });
  const create = (client: TestServer) =>
    sendRequest(client, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT);
  const responses = await Promise.all(Array.from({ length: 6 }, () => create(service)));
  const statuses = responses.map(({ statusCode }) => statusCode).sort();
  assert.deepEqual(statuses, [201, 201, 503, 503, 503, 503]);
  assert.match(
    responses.find(({ statusCode }) => statusCode === 503)?.json().detail,
    /2 of your files are queued .* The other 2 places of the queue are kept for other users/,
  );
  await connectToServerDatabase(t, service).exec(
    "INSERT INTO \"user\" (id, name, created_at) VALUES ('usr_other', 'other', '2026-01-01T00:00:00.000Z')",
  );
  const { token } = await issueToken(service, {
    capabilities: ['write'],
    origins: [],
    user: 'other',
  });
  const other = { ...service, token };
  assert.equal((await create(other)).statusCode, 201);
  assert.equal((await create(other)).statusCode, 503);
  blocking.release();
  while ((await create(service)).statusCode === 503) await nextTurn();
});

test('503: PUT /v1/designs/{id}/model with a full queue', async (t) => {
  const blocking = createBlockingProcessor();
  const service = await openTestServer(t, {
    processing: { modelProcessor: blocking.processor, maxQueuedJobs: 4 },
  });
  const created = await sendRequest(service, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT);
  const { id } = created.json();
  const replaceModel = () => uploadRevision(service, id, makeBox({ name: 'b' }), WITHOUT_WAIT);
  assert.equal((await replaceModel()).statusCode, 200);
  const refused = await replaceModel();
  assert.equal(refused.statusCode, 503, refused.body);
  assert.equal(refused.json().code, 'server.busy');
  assert.equal(refused.headers['retry-after'], '10');
  const { items } = (await sendRequest(service, 'GET', `/v1/designs/${id}/revisions`)).json();
  assert.equal(items.length, 2, 'the refused file is not a revision');
  blocking.release();
  while ((await replaceModel()).statusCode === 503) await nextTurn();
});

test('503: PATCH with other options of the viewer and a full queue, which changes nothing else', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  const full = await openTestServer(t, {
    processing: { maxQueuedJobs: 1, concurrency: 0 },
    dataDirectory: service.dataDirectory,
  });
  const client = { ...full, token: service.token };
  const other = await uploadTestDesign(service, 'other');
  // Of another node: this one makes its own jobs due when it starts.
  await connectToServerDatabase(t, service).exec(`INSERT INTO job
    (id, revision_id, attempts, due_at, created_at, node)
    SELECT 'job', id, 1, '2999-01-01T00:00:00.000Z', created_at, 'other' FROM revision
    WHERE design_id = '${other.id}'`);
  const patch = (path: string, fields: object) =>
    sendRequest(client, 'PATCH', `/v1/designs/${path}`, fields);
  const viewer = { exposure: 2 };
  const refused = await patch(id, { name: 'new', viewer });
  assert.deepEqual([refused.statusCode, refused.json().code], [503, 'server.busy']);
  const design = (await sendRequest(client, 'GET', `/v1/designs/${id}`)).json();
  assert.deepEqual([design.name === 'new', design.viewer], [false, {}]);
  assert.equal((await patch(id, { name: 'new' })).statusCode, 200);
  assert.equal((await patch(other.id, { viewer })).statusCode, 200, 'it has a job');
});
