import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelProcessor, WorkerResult } from '@cloche/pipeline/model-processor';
import { makeBox } from '@cloche/pipeline/testing/models';
import {
  fetchDesign,
  fetchDesignEvents,
  fetchFramedDocument,
  uploadRevision,
} from '../../testing/design-requests.ts';
import { createBlockingProcessor, passthroughProcessor } from '../../testing/fake-processing.ts';
import { openTestServer } from '../../testing/harness.ts';
import { openServerDatabase, sendRequest, uploadTestDesign } from '../../testing/requests.ts';

const UNREADABLE_RESULT: WorkerResult = {
  ok: false,
  code: 'design.unreadable',
  detail: 'Torn.',
  retryable: false,
};

test('200: a new model is shown when it is ready, and not before', async (t) => {
  const held = createBlockingProcessor();
  const wishes = { processing: { modelProcessor: held.maker } };
  const service = await openTestServer(t, wishes);
  held.letGo();
  const { id } = await uploadTestDesign(service, 'chair');
  const first = await fetchFramedDocument(service, id);

  const second = createBlockingProcessor();
  wishes.processing.modelProcessor = second.maker;
  const later = makeBox({ name: 'second' });
  assert.equal((await uploadRevision(service, id, later)).json().revision, 2);
  const now = await fetchFramedDocument(service, id);
  assert.notEqual(now.model.url, first.model.url);

  const { items } = (await sendRequest(service, 'GET', `/v1/designs/${id}/revisions`)).json();
  assert.deepEqual(
    items.map(({ number, status, shown }: never) => [number, status, shown]),
    [
      [2, 'ready', true],
      [1, 'ready', false],
    ],
  );
});

test('200: the old model is shown while the new one is made, and after it failed', async (t) => {
  const outcomes: ModelProcessor[] = [passthroughProcessor];
  const held = createBlockingProcessor();
  const modelProcessor: ModelProcessor = {
    run: (...given) => (outcomes.shift() ?? held.maker).run(...given),
  };
  const service = await openTestServer(t, { processing: { modelProcessor } });
  const { id } = await uploadTestDesign(service, 'chair');
  const first = await fetchFramedDocument(service, id);
  await uploadRevision(service, id, makeBox({ name: 'second' }), { prefer: '' });
  await held.begun;
  assert.deepEqual((await fetchFramedDocument(service, id)).model, first.model);
  assert.equal((await fetchDesign(service, id)).status, 'processing');
  held.letGo();
  await fetchDesignEvents(service, id);
  assert.equal((await fetchDesign(service, id)).revision, 2);

  outcomes.push({ run: async () => UNREADABLE_RESULT });
  const failed = (await uploadRevision(service, id, makeBox({ name: 'third' }))).json();
  assert.equal(failed.status, 'failed');
  assert.equal(failed.revision, 2);
  assert.deepEqual(failed.problem, {
    code: UNREADABLE_RESULT.ok ? '' : UNREADABLE_RESULT.code,
    detail: 'Torn.',
    revision: 3,
  });
});

test('200: rolling back shows an older revision, and going forth the newer', async (t) => {
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
  const none = await show(3);
  assert.equal(none.statusCode, 400);
  assert.equal(none.json().field, 'revision');
});

test('an older upload that takes long does not undo a rollback', async (t) => {
  const slow = createBlockingProcessor();
  const makers = [passthroughProcessor, slow.maker, passthroughProcessor];
  const modelProcessor: ModelProcessor = {
    run: (...given) => (makers.shift() as ModelProcessor).run(...given),
  };
  const service = await openTestServer(t, { processing: { modelProcessor } });
  const { id } = await uploadTestDesign(service, 'chair');
  await uploadRevision(service, id, makeBox({ name: 'second' }), { prefer: '' });
  await slow.begun;
  assert.equal((await uploadRevision(service, id, makeBox({ name: 'third' }))).json().revision, 3);
  await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { revision: 1 });
  slow.letGo();
  const ready = async () =>
    (await sendRequest(service, 'GET', `/v1/designs/${id}/revisions`))
      .json()
      .items.every(({ status }: { status: string }) => status === 'ready');
  while (!(await ready())) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal((await fetchDesign(service, id)).revision, 1);
});

test('404: a new model for a design that is deleted while it is sent', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  // Behind the back of the shelf, which still knows it.
  openServerDatabase(t, service).exec(`DELETE FROM design WHERE id = '${id}'`);
  const answer = await uploadRevision(service, id, makeBox({ name: 'second' }));
  assert.equal(answer.statusCode, 404, answer.body);
  assert.equal(answer.json().code, 'design.unknown');
});

test('a view that began with the old model ends with it', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service, 'chair');
  const { answer, model } = await fetchFramedDocument(service, id);
  const { grant } = JSON.parse(/id="framed">(.*?)<\/script>/.exec(answer.body)?.[1] ?? '');
  await uploadRevision(service, id, makeBox({ name: 'second' }));
  const headers = { host: new URL(service.origin).host, 'cloche-grant': grant };
  assert.equal((await service.app.inject({ url: model.url, headers })).statusCode, 200);
});
