import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import Fastify from 'fastify';
import Type from 'typebox';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import {
  CREATE_TOKEN_REQUEST,
  GLB_HEADERS,
  issueToken,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { OWN_PAGE, signIn } from '../../testing/sessions.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import { TUS_HEADERS } from '../../testing/tus-requests.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import { registerIdempotency } from './request-idempotency.ts';
import { SessionCookie } from './session-cookie.ts';

const KEY = { 'idempotency-key': 'order-66' };
const DEPENDENCIES = {
  idempotency: {} as IdempotencyStore,
  cookie: new SessionCookie('http://cloche.test'),
  now: () => new Date(),
};
const BYTES = makeBox({ name: 'a' });
const OTHER_BYTES = makeBox({ name: 'b' });

/** A request that creates something, and how many things there are. */
type CreatingRequest = {
  method: 'POST' | 'PUT';
  url: (designId: string, tokenId: string) => string;
  body: object | undefined;
  headers?: Record<string, string>;
  /** The same request with another body. */
  changed: { body?: object; headers?: Record<string, string> };
};

const cases: Record<string, CreatingRequest> = {
  'POST /v1/tokens': {
    method: 'POST',
    url: () => '/v1/tokens',
    body: CREATE_TOKEN_REQUEST,
    changed: { body: { ...CREATE_TOKEN_REQUEST, name: 'other' } },
  },
  'POST /v1/users': {
    method: 'POST',
    url: () => '/v1/users',
    body: { name: 'anna' },
    changed: { body: { name: 'bert' } },
  },
  'POST /v1/tokens/{id}/rotate': {
    method: 'POST',
    url: (_, tokenId) => `/v1/tokens/${tokenId}/rotate`,
    body: undefined,
    changed: { body: { gracePeriodSeconds: 60 } },
  },
  'POST /v1/designs': {
    method: 'POST',
    url: () => '/v1/designs',
    body: BYTES,
    headers: GLB_HEADERS,
    changed: { body: OTHER_BYTES },
  },
  'PUT /v1/designs/{id}/model': {
    method: 'PUT',
    url: (id) => `/v1/designs/${id}/model`,
    body: BYTES,
    headers: GLB_HEADERS,
    changed: { body: OTHER_BYTES },
  },
  'POST /v1/designs/{id}/preview-links': {
    method: 'POST',
    url: (id) => `/v1/designs/${id}/preview-links`,
    body: undefined,
    changed: { body: {} },
  },
  'POST /v1/uploads': {
    method: 'POST',
    url: () => '/v1/uploads',
    body: undefined,
    headers: { ...TUS_HEADERS, 'upload-length': '8' },
    changed: { headers: { 'upload-length': '9' } },
  },
};

const countRows = (t: TestContext, service: TestServer) => {
  const database = connectToServerDatabase(t, service);
  return Promise.all(
    ['"user"', 'token', 'sign_in_link', 'design', 'revision', 'job'].map(async (table) => {
      const row = await database.get(`SELECT count(*) AS n FROM ${table}`);
      return Number(row?.n);
    }),
  );
};

for (const [name, { method, url, body, headers = {}, changed }] of Object.entries(cases)) {
  test(`${name}: a retry creates nothing, also after a restart; 422 with another body`, async (t) => {
    const service = await openTestServer(t);
    const { id } = await uploadTestDesign(service);
    const token = await issueToken(service);
    const send = (client: Pick<TestServer, 'app' | 'token'>, change: typeof changed = {}) =>
      sendRequest(client, method, url(id, token.id), change.body ?? body, {
        ...headers,
        ...KEY,
        ...change.headers,
      });
    const first = await send(service);
    assert.ok(first.statusCode < 300, first.body);
    const rows = await countRows(t, service);

    service.advanceTime(60_000);
    const retry = await send(service);
    assert.equal(retry.statusCode, first.statusCode);
    assert.equal(retry.body, first.body);
    assert.equal(retry.headers.location, first.headers.location);

    const reused = await send(service, changed);
    assert.equal(reused.statusCode, 422, reused.body);
    assert.equal(reused.json().code, 'idempotency.reused');
    assert.deepEqual(await countRows(t, service), rows);

    await service.app.close();
    const { app } = await openTestServer(t, { dataDirectory: service.dataDirectory });
    const restarted = { app, token: service.token };
    assert.equal((await send(restarted)).body, first.body);
    assert.equal((await send(restarted)).headers.location, first.headers.location);
    assert.equal((await send(restarted, changed)).statusCode, 422);
    assert.deepEqual(await countRows(t, service), rows);
  });
}

test('every route that declares the header is tested above, and no creating route is missing', async (t) => {
  const { app } = await openTestServer(t);
  type Operation = { parameters?: { name: string }[] };
  const document = app.swagger() as unknown as {
    paths: Record<string, Record<string, Operation>>;
  };
  const declared = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { parameters = [] }]) =>
        parameters.some(({ name }) => name === 'Idempotency-Key'),
      )
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(declared.sort(), Object.keys(cases).sort());
});

test('two sessions with the same key get responses of their own', async (t) => {
  const service = await openTestServer(t);
  const headers = { ...OWN_PAGE, ...KEY };
  const [first, second] = [await signIn(service), await signIn(service)];
  const create = async (browser: typeof first) =>
    (await browser.call('POST', '/v1/tokens', CREATE_TOKEN_REQUEST, headers)).json();
  const created = await create(first);
  assert.deepEqual(await create(first), created);
  assert.notEqual((await create(second)).token, created.token);
});

test('422: a key cannot be used for another design', async (t) => {
  const service = await openTestServer(t);
  const designs = [await uploadTestDesign(service), await uploadTestDesign(service)];
  const statuses = [];
  for (const { id } of designs) {
    const headers = { ...GLB_HEADERS, ...KEY };
    const url = `/v1/designs/${id}/model`;
    statuses.push((await sendRequest(service, 'PUT', url, BYTES, headers)).statusCode);
  }
  assert.deepEqual(statuses, [200, 422]);
});

test('of ten retries at the same time, at most one adds a revision', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  const responses = await Promise.all(
    Array.from({ length: 10 }, () =>
      sendRequest(service, 'PUT', `/v1/designs/${id}/model`, BYTES, { ...GLB_HEADERS, ...KEY }),
    ),
  );
  const statuses = new Set(responses.map(({ statusCode }) => statusCode));
  assert.ok(statuses.isSubsetOf(new Set([200, 409])), [...statuses].join());
  const { items } = (await sendRequest(service, 'GET', `/v1/designs/${id}/revisions`)).json();
  assert.equal(items.length, 2);
});

test('a POST or PUT route must declare whether it creates something', async () => {
  const app = Fastify();
  registerIdempotency(app, DEPENDENCIES);
  for (const method of ['POST', 'PUT'])
    assert.throws(
      () => app.route({ method, url: '/', handler: () => '' }),
      /no config\.idempotencyKey/,
    );
  app.get('/', () => '');
});

test('500: a route that declares the header and ignores it', async (t) => {
  const app = Fastify();
  t.after(() => app.close());
  registerIdempotency(app, DEPENDENCIES);
  const config = { idempotencyKey: true };
  app.post('/', { config, schema: { response: { 201: Type.Null() } } }, async (_, reply) =>
    reply.code(201).send(null),
  );
  const response = await app.inject({ method: 'POST', url: '/' });
  assert.equal(response.statusCode, 500);
  assert.match(response.body, /ignores the Idempotency-Key/);
});
