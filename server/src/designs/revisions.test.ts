import assert from 'node:assert/strict';
import { test } from 'node:test';
import { events, read, replace, shown } from '../../testing/designs.ts';
import { openService } from '../../testing/harness.ts';
import { makeBox } from '../../testing/models.ts';
import { ask, openDatabase, upload } from '../../testing/requests.ts';
import { heldMaker, leaveAsItIs } from '../../testing/workshop.ts';
import type { Maker, Outcome } from '../pipeline/maker.ts';

const BROKEN: Outcome = { ok: false, code: 'design.unreadable', detail: 'Torn.', retry: false };

test('200: a new model is shown when it is ready, and not before', async (t) => {
  const held = heldMaker();
  const wishes = { workshop: { maker: held.maker } };
  const service = await openService(t, wishes);
  held.letGo();
  const { id } = await upload(service, 'chair');
  const first = await shown(service, id);

  const second = heldMaker();
  wishes.workshop.maker = second.maker;
  const later = makeBox({ name: 'second' });
  assert.equal((await replace(service, id, later)).json().revision, 2);
  const now = await shown(service, id);
  assert.notEqual(now.model.url, first.model.url);

  const { items } = (await ask(service, 'GET', `/v1/designs/${id}/revisions`)).json();
  assert.deepEqual(
    items.map(({ number, status, shown }: never) => [number, status, shown]),
    [
      [2, 'ready', true],
      [1, 'ready', false],
    ],
  );
});

test('200: the old model is shown while the new one is made, and after it failed', async (t) => {
  const outcomes: Maker[] = [leaveAsItIs];
  const held = heldMaker();
  const maker: Maker = { run: (...given) => (outcomes.shift() ?? held.maker).run(...given) };
  const service = await openService(t, { workshop: { maker } });
  const { id } = await upload(service, 'chair');
  const first = await shown(service, id);
  await replace(service, id, makeBox({ name: 'second' }), { prefer: '' });
  await held.begun;
  assert.deepEqual((await shown(service, id)).model, first.model);
  assert.equal((await read(service, id)).status, 'processing');
  held.letGo();
  await events(service, id);
  assert.equal((await read(service, id)).revision, 2);

  outcomes.push({ run: async () => BROKEN });
  const failed = (await replace(service, id, makeBox({ name: 'third' }))).json();
  assert.equal(failed.status, 'failed');
  assert.equal(failed.revision, 2);
  assert.deepEqual(failed.problem, {
    code: BROKEN.ok ? '' : BROKEN.code,
    detail: 'Torn.',
    revision: 3,
  });
});

test('200: rolling back shows an older revision, and going forth the newer', async (t) => {
  const service = await openService(t);
  const { id } = await upload(service, 'chair');
  const first = await shown(service, id);
  await replace(service, id, makeBox({ name: 'second' }));
  const second = await shown(service, id);
  const show = (revision: number) => ask(service, 'PATCH', `/v1/designs/${id}`, { revision });
  assert.equal((await show(1)).json().revision, 1);
  assert.deepEqual((await shown(service, id)).model, first.model);
  assert.equal((await show(2)).json().revision, 2);
  assert.deepEqual((await shown(service, id)).model, second.model);
  const none = await show(3);
  assert.equal(none.statusCode, 400);
  assert.equal(none.json().field, 'revision');
});

test('an older upload that takes long does not undo a rollback', async (t) => {
  const slow = heldMaker();
  const makers = [leaveAsItIs, slow.maker, leaveAsItIs];
  const maker: Maker = { run: (...given) => (makers.shift() as Maker).run(...given) };
  const service = await openService(t, { workshop: { maker } });
  const { id } = await upload(service, 'chair');
  await replace(service, id, makeBox({ name: 'second' }), { prefer: '' });
  await slow.begun;
  assert.equal((await replace(service, id, makeBox({ name: 'third' }))).json().revision, 3);
  await ask(service, 'PATCH', `/v1/designs/${id}`, { revision: 1 });
  slow.letGo();
  const ready = async () =>
    (await ask(service, 'GET', `/v1/designs/${id}/revisions`))
      .json()
      .items.every(({ status }: { status: string }) => status === 'ready');
  while (!(await ready())) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal((await read(service, id)).revision, 1);
});

test('404: a new model for a design that is deleted while it is sent', async (t) => {
  const service = await openService(t);
  const { id } = await upload(service);
  // Behind the back of the shelf, which still knows it.
  openDatabase(t, service).exec(`DELETE FROM design WHERE id = '${id}'`);
  const answer = await replace(service, id, makeBox({ name: 'second' }));
  assert.equal(answer.statusCode, 404, answer.body);
  assert.equal(answer.json().code, 'design.unknown');
});

test('a view that began with the old model ends with it', async (t) => {
  const service = await openService(t);
  const { id } = await upload(service, 'chair');
  const { answer, model } = await shown(service, id);
  const { grant } = JSON.parse(/id="framed">(.*?)<\/script>/.exec(answer.body)?.[1] ?? '');
  await replace(service, id, makeBox({ name: 'second' }));
  const headers = { host: new URL(service.origin).host, 'cloche-grant': grant };
  assert.equal((await service.app.inject({ url: model.url, headers })).statusCode, 200);
});
