import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProcessingProgress } from '@cloche/contract/design';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { createBlockingProcessor } from '../../testing/fake-processing.ts';
import { openTestServer } from '../../testing/harness.ts';
import { deleteDesign, openListEvents } from '../../testing/list-events.ts';
import { sqliteOnly } from '../../testing/postgres-run.ts';
import { issueToken, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { OWN_PAGE, signIn } from '../../testing/sessions.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import { DesignChanges } from './design-changes.ts';
import { MAX_STREAMS_PER_USER } from './list-event-route.ts';
import { PendingChanges } from './pending-changes.ts';

const ALL = { capabilities: ['read', 'write', 'embed'], origins: [] };

test('the changes of all designs of the user are sent, and none of another user', async (t) => {
  const { processor, release } = createBlockingProcessor();
  const service = await openTestServer(t, { processing: { modelProcessor: processor } });
  t.after(release);
  await connectToServerDatabase(t, service).exec(
    `INSERT INTO "user" (id, name, created_at) VALUES ('usr_anna', 'anna', '2026-01-01T00:00:00.000Z')`,
  );
  const anna = { ...service, token: (await issueToken(service, { ...ALL, user: 'anna' })).token };
  const [own, other] = [await openListEvents(t, service), await openListEvents(t, anna)];
  const uploading = uploadTestDesign(service);
  // A design that has not been sent yet is sent with its progress.
  await own.waitFor('the progress', ({ name, data }) => {
    const progress = (name === 'progress' ? data : data.progress) as ProcessingProgress | null;
    return (progress?.percent ?? 0) > 0;
  });
  release();
  const { id } = await uploading;
  await own.waitFor('the end', ({ data }) => data.id === id && data.status === 'ready');
  const rename = { name: 'Stool' };
  await sendRequest(service, 'PATCH', `/v1/designs/${id}`, rename);
  await own.waitFor('the name', ({ name, data }) => name === 'design' && data.name === 'Stool');
  await deleteDesign(service, id);
  await own.waitFor('the deletion', ({ name, data }) => name === 'deleted' && data.id === id);

  const { id: annasId } = await uploadTestDesign(anna);
  await deleteDesign(anna, annasId);
  await other.waitFor(
    'the deletion',
    ({ name, data }) => name === 'deleted' && data.id === annasId,
  );
  const count = ({ events }: typeof own, needle: string) =>
    events.filter((event) => JSON.stringify(event).includes(needle)).length;
  assert.deepEqual([count(own, annasId), count(other, id)], [0, 0]);
  const named = own.events.filter(({ name }) => name === 'design').map(({ data }) => data.status);
  // By then, a worker may have begun with it. It ends when it is released.
  assert.ok(['queued', 'processing'].includes(String(named[0])), `${named}`);
});

test('a token that is limited to designs receives only their changes', async (t) => {
  const service = await openTestServer(t);
  const [first, second] = [
    await uploadTestDesign(service),
    await uploadTestDesign(service, 'Table'),
  ];
  const limited = { capabilities: ['read'], origins: [], designs: [second.id] };
  const { token } = await issueToken(service, limited);
  const stream = await openListEvents(t, { ...service, token });
  await deleteDesign(service, first.id);
  await deleteDesign(service, second.id);
  await stream.waitFor('the deletion', ({ data }) => data.id === second.id);
  assert.ok(!JSON.stringify(stream.events).includes(first.id));
});

test('16 streams of a user receive a change; 429: more streams than allowed, until one is closed', async (t) => {
  const service = await openTestServer(t);
  const streams = [];
  for (let index = 0; index < 16; index += 1) streams.push(await openListEvents(t, service));
  const { id } = await uploadTestDesign(service);
  for (const stream of streams)
    await stream.waitFor('the end', ({ data }) => data.id === id && data.status === 'ready');
  for (let index = 16; index < MAX_STREAMS_PER_USER; index += 1) await openListEvents(t, service);
  const refused = await sendRequest(service, 'GET', '/v1/designs/events');
  assert.equal(refused.statusCode, 429, refused.body);
  assert.equal(refused.json().code, 'request.rate-limited');
  assert.equal(refused.headers['retry-after'], '5');
});

test('a stream ends when its session ends, and not when another one does', async (t) => {
  const service = await openTestServer(t);
  const [browser, other] = [await signIn(service), await signIn(service)];
  const open = ({ cookie }: typeof browser) =>
    openListEvents(t, service, { authorization: '', cookie, ...OWN_PAGE });
  const [stream, otherStream] = [await open(browser), await open(other)];
  await sendRequest(service, 'DELETE', `/v1/sessions/${browser.session.id}`);
  await waitUntil('the end of the stream', stream.hasEnded);
  assert.equal(otherStream.hasEnded(), false);
});

test('401 and 403: without a token, and with a token that may not read', async (t) => {
  const service = await openTestServer(t);
  const missing = await sendRequest(service, 'GET', '/v1/designs/events', undefined, {
    authorization: '',
  });
  assert.equal(missing.json().code, 'token.missing');
  const { token } = await issueToken(service, { capabilities: ['write'], origins: [] });
  const refused = await sendRequest({ ...service, token }, 'GET', '/v1/designs/events');
  assert.equal(refused.json().code, 'token.capability');
});

const OTHER_PROCESS = sqliteOnly('with PostgreSQL, other processes send events');

test(
  'after another process has changed the database, clients receive a reset',
  OTHER_PROCESS,
  async (t) => {
    const service = await openTestServer(t);
    const { id } = await uploadTestDesign(service);
    const stream = await openListEvents(t, service);
    await connectToServerDatabase(t, service).exec(
      `UPDATE design SET name = 'Stool' WHERE id = '${id}'`,
    );
    await stream.waitFor('the reset', ({ name }) => name === 'reset');
  },
);

test('of a client that does not read, only the latest changes are kept', async () => {
  const pending = new PendingChanges();
  const createChange = (id: string, type: 'design' | 'progress' | 'deleted') =>
    ({ type, design: { id, user: 'user' } }) as never;
  pending.add(createChange('a', 'design'));
  pending.add(createChange('a', 'progress'));
  pending.add(createChange('b', 'progress'));
  pending.add(createChange('b', 'deleted'));
  const controller = new AbortController();
  const taken = pending.take(controller.signal);
  const types = [(await taken.next()).value?.type, (await taken.next()).value?.type];
  assert.deepEqual(types, ['design', 'deleted']);
  for (let index = 0; index <= 1_000; index += 1) pending.add(createChange(`${index}`, 'design'));
  assert.equal((await taken.next()).value?.type, 'reset');
  const rest = taken.next();
  controller.abort();
  assert.equal((await rest).done, true);
});

test('a design that cannot be read ends no stream: clients receive a reset', async () => {
  const listeners: { onChange(id: string, deletedFrom?: string): void }[] = [];
  const subscribeToAll = (listener: never) => {
    listeners.push(listener);
    return { [Symbol.dispose]: () => {} };
  };
  const find = () => Promise.reject(new Error('damaged'));
  const changes = new DesignChanges({ find }, { subscribeToAll });
  const received: string[] = [];
  using _subscription = changes.subscribe('user', ({ type }) => void received.push(type));
  listeners[0]?.onChange('design');
  await waitUntil('the reset', () => received.includes('reset'));
  listeners[0]?.onChange('design', 'user');
  await waitUntil('the deletion', () => received.includes('deleted'));
});
