import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeBox } from '@cloche/pipeline/testing/models';
import { uploadRevision } from '../../testing/design-requests.ts';
import { createBlockingProcessor } from '../../testing/fake-processing.ts';
import { openTestServer } from '../../testing/harness.ts';
import { sendRequest } from '../../testing/requests.ts';

const WITHOUT_WAIT = { 'content-type': 'model/gltf-binary', prefer: '' };

test('503: POST /v1/designs with a full queue, with Retry-After', async (t) => {
  const blocking = createBlockingProcessor();
  const service = await openTestServer(t, {
    processing: { modelProcessor: blocking.processor, maxQueuedJobs: 2 },
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

test('503: PUT /v1/designs/{id}/model with a full queue', async (t) => {
  const blocking = createBlockingProcessor();
  const service = await openTestServer(t, {
    processing: { modelProcessor: blocking.processor, maxQueuedJobs: 2 },
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
