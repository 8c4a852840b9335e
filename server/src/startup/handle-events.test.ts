import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import { makeBox } from '@cloche/pipeline/testing/models';
import { sql } from 'kysely';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { createBlockingProcessor } from '../../testing/fake-processing.ts';
import {
  apiHeaders,
  openTestServer,
  type TestServer,
  type TestServerOptions,
} from '../../testing/harness.ts';
import { openListEvents } from '../../testing/list-events.ts';
import { type PostgresServer, startPostgresServer } from '../../testing/postgres-server.ts';
import { OWN_PAGE, signIn } from '../../testing/sessions.ts';
import { createPostgresDatabase, createTemplate } from '../../testing/test-database.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import type { Database } from '../database/database.ts';
import { openPostgres } from '../database/postgres.ts';
import { PostgresEventReader } from '../events/postgres-event-reader.ts';
import { publishEvent } from '../events/publish-event.ts';
import { JobStore } from '../processing/job-store.ts';
import { UserStore } from '../users/user-store.ts';
import { createInitialUser } from './bootstrap-token.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgresServer();
  await createTemplate(server.url);
});
after(() => server[Symbol.asyncDispose]());

type Nodes = {
  first: TestServer;
  second: TestServer;
  token: string;
  database: Database;
  /** Waits until the second node has received all events so far. */
  waitForEvents(): Promise<void>;
};

type NodeOptions = { first?: TestServerOptions; second?: TestServerOptions };

/** Opens two apps on one database and one blob store, as two nodes would. */
async function openNodes(t: TestContext, options: NodeOptions = {}): Promise<Nodes> {
  const url = await createPostgresDatabase(server.url);
  const folder = await mkdtemp(join(tmpdir(), 'cloche-'));
  const blobs = await DiskBlobStore.open(join(folder, 'blobs'));
  let token = '';
  const openNode = async (nodeId: string, options: TestServerOptions = {}) => {
    const database = openPostgres({ url, onError: () => {}, maxConnections: 4 });
    const events = new PostgresEventReader({ url, onError: () => {} });
    t.after(async () => {
      await events[Symbol.asyncDispose]();
      await database.destroy();
    });
    await createInitialUser(database, new Date(), async (created) => {
      token = created;
    });
    await waitUntil('the first read', async () => events.isCurrent());
    const node = await openTestServer(t, { database, events, nodeId, blobs, ...options });
    return { database, events, node };
  };
  const { database, node: first } = await openNode('first', options.first);
  const { node: second, events } = await openNode('second', options.second);
  // Hooks run in their order: the services, which write to it, are closed before.
  t.after(() => rm(folder, { recursive: true, force: true }));
  const received = new Set<string>();
  events.subscribe('token', ({ ids }) => {
    for (const id of ids) received.add(id);
  });
  const waitForEvents = async () => {
    const marker = randomUUID();
    await publishEvent({ topic: 'token', ids: [marker] }, database);
    await waitUntil('the events', () => received.has(marker));
  };
  return { first, second, token, database, waitForEvents };
}

async function call(
  node: TestServer,
  token: string,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  payload?: object,
) {
  const response = await node.app.inject({
    method,
    url,
    headers: apiHeaders(token),
    ...(payload && { payload }),
  });
  return { status: response.statusCode, body: response.body === '' ? {} : response.json() };
}

async function createToken({ first, token }: Nodes, fields: object = {}) {
  const request = { capabilities: ['read', 'write'], ...fields };
  const { status, body } = await call(first, token, 'POST', '/v1/tokens', request);
  assert.equal(status, 201, JSON.stringify(body));
  return { id: body.id as string, tokenString: body.token as string };
}

async function upload({ first, token }: Nodes): Promise<string> {
  const response = await first.app.inject({
    method: 'POST',
    url: '/v1/designs?name=chair',
    headers: {
      ...apiHeaders(token),
      'content-type': 'model/gltf-binary',
      prefer: 'wait=60',
    },
    payload: Buffer.from(makeBox()),
  });
  assert.equal(response.statusCode, 201, response.body);
  return response.json().id;
}

test('a token that was revoked, replaced or changed on one node is on the other one too', async (t) => {
  const nodes = await openNodes(t);
  const { first, second, token, database } = nodes;
  const getStatus = async (tokenString: string) =>
    (await call(second, tokenString, 'GET', '/v1/designs')).status;

  // On a slow machine, a node is sometimes not certain to have all events, and caches nothing.
  await waitUntil('the other node answers from its cache', async () => {
    const cached = await createToken(nodes);
    assert.equal(await getStatus(cached.tokenString), 200);
    // Without an event.
    const change = { revoked_at: new Date().toISOString() };
    await database.updateTable('token').set(change).where('id', '=', cached.id).execute();
    return (await getStatus(cached.tokenString)) === 200;
  });

  const revoked = await createToken(nodes);
  assert.equal(await getStatus(revoked.tokenString), 200);
  await call(first, token, 'DELETE', `/v1/tokens/${revoked.id}`);
  await waitUntil('revoked', async () => (await getStatus(revoked.tokenString)) === 401);

  const rotated = await createToken(nodes);
  assert.equal(await getStatus(rotated.tokenString), 200);
  const rotation = { gracePeriodSeconds: 0 };
  await call(first, token, 'POST', `/v1/tokens/${rotated.id}/rotate`, rotation);
  await waitUntil('replaced', async () => (await getStatus(rotated.tokenString)) === 401);

  const moved = await createToken(nodes, { origins: ['https://a.example'] });
  const getFrom = async (origin: string) => {
    const headers = { ...apiHeaders(moved.tokenString), origin };
    return (await second.app.inject({ url: '/v1/designs', headers })).statusCode;
  };
  assert.equal(await getFrom('https://b.example'), 403);
  await call(first, token, 'PATCH', `/v1/tokens/${moved.id}`, { origins: ['https://b.example'] });
  await waitUntil('changed', async () => (await getFrom('https://b.example')) === 200);

  const { id } = await database.selectFrom('user').select('id').executeTakeFirstOrThrow();
  const users = new UserStore(database);
  await users.setDisabled(id, new Date());
  await waitUntil('disabled', async () => (await getStatus(token)) === 401);
  await users.setDisabled(id, undefined);
  await waitUntil('enabled', async () => (await getStatus(token)) === 200);
});

test('a design that was processed, changed or deleted on one node is on the other one too', async (t) => {
  const nodes = await openNodes(t);
  const { first, second, token, database } = nodes;
  const id = await upload(nodes);
  const get = async () => call(second, token, 'GET', `/v1/designs/${id}`);
  await waitUntil('ready', async () => (await get()).body.status === 'ready');
  await waitUntil('the other node answers from its cache', async () => {
    await nodes.waitForEvents();
    const { name } = (await get()).body;
    const change = { name: `not ${name}` };
    await database.updateTable('design').set(change).where('id', '=', id).execute();
    return (await get()).body.name === name;
  });
  await call(first, token, 'PATCH', `/v1/designs/${id}`, { name: 'stool' });
  await waitUntil('changed', async () => (await get()).body.name === 'stool');
  await call(first, token, 'DELETE', `/v1/designs/${id}`);
  await waitUntil('deleted', async () => (await get()).status === 404);
});

test('a node without current events reads everything from the database', async (t) => {
  const url = await createPostgresDatabase(server.url);
  const database = openPostgres({ url, onError: () => {} });
  t.after(() => database.destroy());
  let token = '';
  await createInitialUser(database, new Date(), async (created) => {
    token = created;
  });
  let isCurrent = true;
  const events = {
    isCurrent: () => isCurrent,
    getLagMs: () => (isCurrent ? 0 : 5_000),
    subscribe() {},
    onMissed() {},
  };
  const node = await openTestServer(t, { database, events });
  const getStatus = async () => (await call(node, token, 'GET', '/v1/designs')).status;
  assert.equal(await getStatus(), 200);
  await database.updateTable('token').set({ revoked_at: new Date().toISOString() }).execute();
  assert.equal(await getStatus(), 200);
  isCurrent = false;
  assert.equal(await getStatus(), 401);
  const { body } = await call(node, token, 'GET', '/readyz');
  assert.deepEqual(body.events, { current: false, lagMs: 5_000 });
});

test('a session that is ended on one node is refused by the other one, which has cached it', async (t) => {
  const { first, second, token, waitForEvents } = await openNodes(t);
  const browser = await signIn({ ...first, token });
  const url = '/v1/designs';
  const headers = { host: 'cloche.test', cookie: browser.cookie, ...OWN_PAGE };
  const read = (node: TestServer) => node.app.inject({ url, headers });
  assert.equal((await read(second)).statusCode, 200);
  assert.equal((await browser.call('DELETE', '/v1/sessions/current')).statusCode, 204);
  assert.equal((await read(first)).json().code, 'session.ended');
  await waitForEvents();
  assert.equal((await read(second)).json().code, 'session.ended');
});

test('the stream of all designs on one node has the changes of the other one, and says when some may be missing', async (t) => {
  const nodes = await openNodes(t);
  const { first, second, token, database } = nodes;
  const stream = await openListEvents(t, { ...second, token });
  const id = await upload(nodes);
  await stream.waitFor('the end', ({ data }) => data.id === id && data.status === 'ready');
  await call(first, token, 'DELETE', `/v1/designs/${id}`);
  await stream.waitFor('the deletion', ({ name, data }) => name === 'deleted' && data.id === id);
  assert.ok(!stream.events.some(({ name }) => name === 'reset'));
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'cloche events' AND datname = current_database()`.execute(database);
  await stream.waitFor('the reset', ({ name }) => name === 'reset');
});

test('a job of an operator that is cancelled on one node ends on the node that runs it', async (t) => {
  // Otherwise the next renewal of the lease would end the job, too.
  t.mock.method(JobStore.prototype, 'renewLease', async () => true);
  const { processor, started } = createBlockingProcessor();
  const ended = Promise.withResolvers<unknown>();
  const modelProcessor: ModelProcessor = {
    async run(...parameters) {
      return processor.run(...parameters).catch((error) => {
        ended.resolve(error);
        throw error;
      });
    },
  };
  const { first, second, token } = await openNodes(t, {
    first: { processing: { modelProcessor } },
    second: { role: 'web' },
  });
  const payload = Buffer.from(makeBox());
  const headers = { ...apiHeaders(token), 'content-type': 'model/gltf-binary' };
  const created = await first.app.inject({ method: 'POST', url: '/v1/designs', headers, payload });
  await started;
  const { items } = (await call(second, token, 'GET', '/v1/jobs')).body;
  assert.deepEqual([items[0].state, items[0].node], ['running', 'first']);
  const cancelled = await call(second, token, 'POST', `/v1/jobs/${items[0].id}/cancel`);
  assert.deepEqual([cancelled.status, cancelled.body.state], [200, 'cancelled']);
  // By the event only.
  await ended.promise;
  const design = await call(second, token, 'GET', `/v1/designs/${created.json().id}`);
  assert.equal(design.body.status, 'cancelled');
});

test('the log level that is set on one node applies to the log of the other one', async (t) => {
  const { first, second, token, waitForEvents } = await openNodes(t);
  const countRequests = async () => {
    await call(second, token, 'GET', '/v1/designs');
    return second.logLines.filter((line) => line.includes('"request"')).length;
  };
  const set = async (level: string | null) => {
    const { status } = await call(first, token, 'PUT', '/v1/log-level', { level });
    assert.equal(status, 200);
    await waitForEvents();
    const { body } = await call(second, token, 'GET', '/v1/log-level');
    assert.deepEqual(body, { level: level ?? 'info', configured: 'info' });
  };
  const before = await countRequests();
  assert.ok(before > 0);
  await set('silent');
  const silent = second.logLines.length;
  await countRequests();
  assert.equal(second.logLines.length, silent);
  await set(null);
  assert.ok((await countRequests()) > before);
});
