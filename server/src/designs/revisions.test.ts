import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Revision } from '@cloche/contract/design';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import { makeBox } from '@cloche/pipeline/testing/models';
import {
  fetchDesign,
  fetchDesignEvents,
  fetchFramedDocument,
  uploadRevision,
} from '../../testing/design-requests.ts';
import { createBlockingProcessor, passthroughProcessor } from '../../testing/fake-processing.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

const rejectingProcessor: ModelProcessor = {
  run: async () => ({
    ok: false,
    code: 'design.unreadable',
    detail: 'The test file is damaged.',
    retryable: false,
  }),
};

/** Creates a processor that runs the first job with the first of `processors`, and so on. */
function createSequentialProcessor(...processors: ModelProcessor[]): ModelProcessor {
  return {
    run: (directory, options) => {
      const next = processors.shift();
      assert.ok(next, 'more jobs than processors');
      return next.run(directory, options);
    },
  };
}

async function listRevisions(service: TestServer, id: string): Promise<Revision[]> {
  return (await sendRequest(service, 'GET', `/v1/designs/${id}/revisions`)).json().items;
}

test('200: a new model is shown when it is ready, and not before', async (t) => {
  const second = createBlockingProcessor();
  const modelProcessor = createSequentialProcessor(passthroughProcessor, second.processor);
  const service = await openTestServer(t, { processing: { modelProcessor } });
  const { id } = await uploadTestDesign(service, 'chair');
  const before = await fetchFramedDocument(service, id);

  await uploadRevision(service, id, makeBox({ name: 'second' }), { prefer: '' });
  await second.started;
  assert.deepEqual((await fetchFramedDocument(service, id)).model, before.model);
  second.release();
  await fetchDesignEvents(service, id);
  assert.equal(second.runCount(), 1);
  assert.equal((await fetchDesign(service, id)).revision, 2);
  const after = await fetchFramedDocument(service, id);
  assert.notEqual(after.model.url, before.model.url);
  assert.deepEqual(
    (await listRevisions(service, id)).map(({ number, status, shown }) => [number, status, shown]),
    [
      [2, 'ready', true],
      [1, 'ready', false],
    ],
  );
});

test('200: the current model is shown while the next one is processed, and after it failed', async (t) => {
  const blocking = createBlockingProcessor();
  const modelProcessor = createSequentialProcessor(
    passthroughProcessor,
    blocking.processor,
    rejectingProcessor,
  );
  const service = await openTestServer(t, { processing: { modelProcessor } });
  const { id } = await uploadTestDesign(service, 'chair');
  const first = await fetchFramedDocument(service, id);
  await uploadRevision(service, id, makeBox({ name: 'second' }), { prefer: '' });
  await blocking.started;
  assert.deepEqual((await fetchFramedDocument(service, id)).model, first.model);
  assert.equal((await fetchDesign(service, id)).status, 'processing');
  blocking.release();
  await fetchDesignEvents(service, id);
  assert.equal((await fetchDesign(service, id)).revision, 2);
  const second = await fetchFramedDocument(service, id);

  const failed = (await uploadRevision(service, id, makeBox({ name: 'third' }))).json();
  assert.equal(failed.status, 'failed');
  assert.equal(failed.revision, 2);
  assert.deepEqual(failed.problem, {
    code: 'design.unreadable',
    detail: 'The test file is damaged.',
    revision: 3,
  });
  assert.deepEqual((await fetchFramedDocument(service, id)).model, second.model);
});

test('200: PATCH with a revision number rolls back and forward', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service, 'chair');
  const first = await fetchFramedDocument(service, id);
  await uploadRevision(service, id, makeBox({ name: 'second' }));
  const second = await fetchFramedDocument(service, id);
  const show = (revision: number) =>
    sendRequest(service, 'PATCH', `/v1/designs/${id}`, { revision });
  assert.equal((await show(1)).json().revision, 1);
  assert.deepEqual((await fetchFramedDocument(service, id)).model, first.model);
  assert.equal((await show(2)).json().revision, 2);
  assert.deepEqual((await fetchFramedDocument(service, id)).model, second.model);
  const unknown = await show(3);
  assert.equal(unknown.statusCode, 400);
  assert.equal(unknown.json().field, 'revision');
});

test('an older revision that becomes ready after a rollback is not shown', async (t) => {
  const slow = createBlockingProcessor();
  const modelProcessor = createSequentialProcessor(
    passthroughProcessor,
    slow.processor,
    passthroughProcessor,
  );
  const service = await openTestServer(t, { processing: { modelProcessor } });
  const { id } = await uploadTestDesign(service, 'chair');
  await uploadRevision(service, id, makeBox({ name: 'second' }), { prefer: '' });
  await slow.started;
  assert.equal((await uploadRevision(service, id, makeBox({ name: 'third' }))).json().revision, 3);
  await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { revision: 1 });
  slow.release();
  while ((await listRevisions(service, id)).some(({ status }) => status !== 'ready'))
    await sleep(10);
  assert.equal((await fetchDesign(service, id)).revision, 1);
});

test('404: the design was deleted while its new model was uploaded', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  // Deletes only the row: the design is still cached.
  await connectToServerDatabase(t, service).exec(`DELETE FROM design WHERE id = '${id}'`);
  const response = await uploadRevision(service, id, makeBox({ name: 'second' }));
  assert.equal(response.statusCode, 404, response.body);
  assert.equal(response.json().code, 'design.unknown');
});

test('200: a framed document can load the model it was served with after a new one is ready', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service, 'chair');
  const { viewerConfig, model } = await fetchFramedDocument(service, id);
  await uploadRevision(service, id, makeBox({ name: 'second' }));
  const headers = { host: new URL(service.origin).host, 'cloche-grant': viewerConfig.grant };
  assert.equal((await service.app.inject({ url: model.url, headers })).statusCode, 200);
});
