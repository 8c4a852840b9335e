import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Token } from '@cloche/contract/token';
import { openTestServer } from '../../testing/harness.ts';
import {
  CREATE_TOKEN_REQUEST,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
} from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import { generateTokenString } from './token-string.ts';

const HOUR_MS = 60 * 60 * 1000;
const TOKEN_FIELDS = [
  'capabilities',
  'createdAt',
  'designs',
  'expiresAt',
  'id',
  'issuedBy',
  'lastUsedAt',
  'name',
  'origins',
  'replacedBy',
  'replaces',
  'seenInBrowserAt',
  'type',
  'usedFrom',
  'user',
];

test('201: a token with only the required fields has defaults for the other fields', async (t) => {
  const service = await openTestServer(t);
  const response = await sendRequest(service, 'POST', '/v1/tokens', CREATE_TOKEN_REQUEST);
  assert.equal(response.statusCode, 201);
  const issued = response.json();
  assert.equal(response.headers.location, `/v1/tokens/${issued.id}`);
  assert.equal(response.headers['content-type'], 'application/json; charset=utf-8');
  const { id, token, user, createdAt, issuedBy, ...rest } = issued;
  assert.match(id, /^tok_[0-9A-Za-z]{16}$/);
  assert.match(token, /^cloche_pk_[0-9A-Za-z]{38}$/);
  assert.match(user, /^usr_[0-9A-Za-z]{16}$/);
  assert.equal(new Date(createdAt).toISOString(), createdAt);
  assert.deepEqual(rest, {
    capabilities: ['embed'],
    origins: [SHOP_ORIGIN],
    type: 'api',
    name: '',
    designs: null,
    expiresAt: null,
    replaces: null,
  });
  const parent = (await sendRequest(service, 'GET', `/v1/tokens/${issuedBy}`)).json();
  assert.equal(parent.name, 'bootstrap token');
  assert.equal(parent.issuedBy, null);
});

test('201: type and user may be omitted', async (t) => {
  const service = await openTestServer(t);
  const { type, user, ...required } = CREATE_TOKEN_REQUEST;
  const response = await sendRequest(service, 'POST', '/v1/tokens', required);
  assert.equal(response.statusCode, 201, response.body);
  assert.equal(response.json().type, type);
  assert.equal(response.json().user, (await issueToken(service, { user })).user);
});

test('201: the token has the requested scope, name and expiry', async (t) => {
  const service = await openTestServer(t);
  const designs = ['8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'];
  const { user } = await issueToken(service);
  const issued = await issueToken(service, {
    capabilities: ['read', 'write'],
    origins: ['https://BÜCHER.example:443', 'https://xn--bcher-kva.example', 'http://localhost:*'],
    user,
    name: '  Werkstatt ',
    designs,
    expiresAt: '2999-01-01T00:00:00+01:00',
  });
  assert.match(issued.token, /^cloche_sk_/);
  assert.deepEqual(issued.origins, ['https://xn--bcher-kva.example', 'http://localhost:*']);
  assert.deepEqual(issued.capabilities, ['read', 'write']);
  assert.deepEqual(issued.designs, designs);
  assert.equal(issued.name, 'Werkstatt');
  assert.equal(issued.expiresAt, '2998-12-31T23:00:00.000Z');
  assert.equal(issued.user, user);
});

test('200: a token is read and listed with all fields, but without its token string', async (t) => {
  const service = await openTestServer(t);
  const issued = await issueToken(service, { name: 'shop' });
  const read = await sendRequest(service, 'GET', `/v1/tokens/${issued.id}`);
  assert.equal(read.statusCode, 200);
  assert.deepEqual(Object.keys(read.json()).sort(), TOKEN_FIELDS);
  const list = await sendRequest(service, 'GET', '/v1/tokens');
  assert.deepEqual(list.json().items[0], read.json());
  for (const { body } of [read, list]) {
    assert.ok(!body.includes(issued.token.slice(10)));
    assert.ok(!body.includes(service.token.slice(10)));
  }
});

test('200: the pages of a list contain every token once, whatever their size', async (t) => {
  const service = await openTestServer(t);
  for (let i = 0; i < 11; i += 1) await issueToken(service, { name: `token ${i}` });
  // Several tokens have the same creation time, so only the id orders them.
  const database = connectToServerDatabase(t, service);
  await database.exec(
    "UPDATE token SET created_at = '2026-01-01T00:00:00.000Z' WHERE name LIKE '%5%'",
  );
  await database.exec(
    "UPDATE token SET created_at = '2026-02-01T00:00:00.000Z' WHERE name LIKE 'to%'",
  );
  const allTokens: Token[] = (await sendRequest(service, 'GET', '/v1/tokens?limit=200')).json()
    .items;
  assert.equal(allTokens.length, 12);
  for (const limit of [1, 2, 3, 4, 6, 11, 12, 13]) {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const url: string = `/v1/tokens?limit=${limit}${cursor && `&cursor=${cursor}`}`;
      const page = (await sendRequest(service, 'GET', url)).json();
      assert.ok(page.items.length <= limit);
      seen.push(...page.items.map(({ id }: Token) => id));
      cursor = page.nextCursor;
    }
    assert.deepEqual(
      seen,
      allTokens.map(({ id }) => id),
    );
  }
});

test('200: a list continues after a token that was revoked meanwhile', async (t) => {
  const service = await openTestServer(t);
  for (let i = 0; i < 5; i += 1) {
    service.advanceTime(1);
    await issueToken(service, { name: `token ${i}` });
  }
  const first = (await sendRequest(service, 'GET', '/v1/tokens?limit=2')).json();
  await sendRequest(service, 'DELETE', `/v1/tokens/${first.items[1].id}`);
  const second = (
    await sendRequest(service, 'GET', `/v1/tokens?limit=2&cursor=${first.nextCursor}`)
  ).json();
  assert.deepEqual(
    second.items.map(({ name }: Token) => name),
    ['token 2', 'token 1'],
  );
});

const invalidQueries: [query: string, code: string, field: string][] = [
  ['limit=0', 'request.invalid', 'query.limit'],
  ['limit=201', 'request.invalid', 'query.limit'],
  ['limit=-1', 'request.invalid', 'query.limit'],
  ['limit=1.5', 'request.invalid', 'query.limit'],
  ['limit=ten', 'request.invalid', 'query.limit'],
  ['limit=', 'request.invalid', 'query.limit'],
  ['limit=1&limit=2', 'request.invalid', 'query.limit'],
  ['page=2', 'request.invalid', 'query.page'],
  ['cursor=', 'request.cursor', 'query.cursor'],
  ['cursor=abc', 'request.cursor', 'query.cursor'],
  [
    `cursor=${Buffer.from('yesterday tok_1').toString('base64url')}`,
    'request.cursor',
    'query.cursor',
  ],
  [`cursor=${'a'.repeat(1001)}`, 'request.invalid', 'query.cursor'],
];

test('400: the problem of an invalid query names the parameter', async (t) => {
  const service = await openTestServer(t);
  for (const [query, code, field] of invalidQueries) {
    const response = await sendRequest(service, 'GET', `/v1/tokens?${query}`);
    assert.equal(response.statusCode, 400, query);
    assert.equal(response.json().code, code, query);
    assert.equal(response.json().field, field, query);
    assert.ok(response.json().detail.startsWith(field), response.json().detail);
  }
});

test('200: a change takes effect at once, and leaves the other fields unchanged', async (t) => {
  const service = await openTestServer(t);
  const { token, ...issued } = await issueToken(service, { name: 'shop' });
  const url = `/v1/tokens/${issued.id}`;
  const designs = ['8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'];
  for (const change of [
    { name: 'fair' },
    { origins: ['https://fair.example'] },
    { designs },
    { designs: null },
    { expiresAt: '2999-01-01T00:00:00.000Z' },
    { expiresAt: null },
  ]) {
    const before = (await sendRequest(service, 'GET', url)).json();
    const response = await sendRequest(service, 'PATCH', url, change);
    assert.equal(response.statusCode, 200);
    assert.deepEqual(response.json(), { ...before, ...change });
    assert.deepEqual((await sendRequest(service, 'GET', url)).json(), response.json());
  }
});

test('200: null removes the name', async (t) => {
  const service = await openTestServer(t);
  const { id } = await issueToken(service, { name: 'shop' });
  const response = await sendRequest(service, 'PATCH', `/v1/tokens/${id}`, { name: null });
  assert.deepEqual([response.statusCode, response.json().name], [200, '']);
});

test('204: a revoked token is refused at the next request, even if it was cached', async (t) => {
  const service = await openTestServer(t);
  const reader = await issueToken(service, { capabilities: ['read'], origins: [] });
  const asReader = { app: service.app, token: reader.token };
  assert.equal((await sendRequest(asReader, 'GET', '/v1/tokens')).statusCode, 200);
  const url = `/v1/tokens/${reader.id}`;
  assert.equal((await sendRequest(service, 'DELETE', url)).statusCode, 204);
  const refused = await sendRequest(asReader, 'GET', '/v1/tokens');
  assert.equal(refused.statusCode, 401);
  assert.equal(refused.json().code, 'token.revoked');

  assert.equal((await sendRequest(service, 'DELETE', url)).statusCode, 204, 'revoking twice');
  const list = (await sendRequest(service, 'GET', '/v1/tokens')).json();
  assert.ok(!list.items.some(({ id }: Token) => id === reader.id));
  for (const method of ['GET', 'PATCH'] as const) {
    const body = method === 'PATCH' ? { name: 'again' } : undefined;
    const revoked = await sendRequest(service, method, url, body);
    assert.equal(revoked.statusCode, 404);
    assert.match(revoked.json().detail, /was revoked at 20/);
  }
});

test('204: a DELETE may have a content type without a body', async (t) => {
  const service = await openTestServer(t);
  const { id } = await issueToken(service);
  const response = await sendRequest(service, 'DELETE', `/v1/tokens/${id}`, '');
  assert.equal(response.statusCode, 204);
});

test('401: a token expires, and works again after a later expiry is set', async (t) => {
  const service = await openTestServer(t);
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  const reader = await issueToken(service, { capabilities: ['read'], origins: [], expiresAt });
  const asReader = { app: service.app, token: reader.token };
  assert.equal((await sendRequest(asReader, 'GET', '/v1/tokens')).statusCode, 200);
  service.advanceTime(HOUR_MS + 1);
  const expired = await sendRequest(asReader, 'GET', '/v1/tokens');
  assert.equal(expired.statusCode, 401);
  assert.equal(expired.json().code, 'token.expired');
  assert.ok(expired.json().detail.includes(expiresAt));

  const { items } = (await sendRequest(service, 'GET', '/v1/tokens')).json();
  assert.ok(items.some(({ id }: Token) => id === reader.id));

  const later = new Date(Date.now() + 3 * HOUR_MS).toISOString();
  const change = { expiresAt: later };
  assert.equal(
    (await sendRequest(service, 'PATCH', `/v1/tokens/${reader.id}`, change)).statusCode,
    200,
  );
  assert.equal((await sendRequest(asReader, 'GET', '/v1/tokens')).statusCode, 200);
});

test('403: a token cannot create or change a token beyond its own scope', async (t) => {
  const service = await openTestServer(t);
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  const parent = await issueToken(service, {
    capabilities: ['write', 'embed'],
    origins: [SHOP_ORIGIN],
    expiresAt,
  });
  const asParent = { app: service.app, token: parent.token };
  const withinScope = { ...CREATE_TOKEN_REQUEST, expiresAt };
  assert.equal((await sendRequest(asParent, 'POST', '/v1/tokens', withinScope)).statusCode, 201);
  const rows: [change: object, field: string][] = [
    [{ capabilities: ['read'] }, 'capabilities'],
    [{ origins: ['https://evil.example'] }, 'origins'],
    [{ capabilities: ['write'], origins: [] }, 'origins'],
    [{ expiresAt: null }, 'expiresAt'],
  ];
  for (const [change, field] of rows) {
    const response = await sendRequest(asParent, 'POST', '/v1/tokens', {
      ...withinScope,
      ...change,
    });
    assert.equal(response.statusCode, 403, JSON.stringify(change));
    assert.equal(response.json().code, 'token.scope-exceeded');
    assert.equal(response.json().field, field);
  }
  const self = await sendRequest(asParent, 'PATCH', `/v1/tokens/${parent.id}`, { expiresAt: null });
  assert.equal(self.json().code, 'token.scope-exceeded');
  const { items } = (await sendRequest(service, 'GET', '/v1/tokens')).json();
  const bootstrap = items.find(({ name }: Token) => name === 'bootstrap token');
  const url = `/v1/tokens/${bootstrap.id}`;
  const other = await sendRequest(asParent, 'PATCH', url, { name: 'mine' });
  assert.equal(other.json().code, 'token.not-found');
});

test('403: each route requires its capability', async (t) => {
  const service = await openTestServer(t);
  const { id } = await issueToken(service);
  const routes = [
    ['POST', '/v1/tokens', 'write'],
    ['GET', '/v1/tokens', 'read'],
    ['GET', `/v1/tokens/${id}`, 'read'],
    ['PATCH', `/v1/tokens/${id}`, 'write'],
    ['POST', `/v1/tokens/${id}/rotate`, 'write'],
    ['DELETE', `/v1/tokens/${id}`, 'write'],
    ['POST', '/v1/tokens/check', 'read'],
  ] as const;
  for (const held of ['read', 'write', 'embed']) {
    const { token } = await issueToken(service, { capabilities: [held], origins: [SHOP_ORIGIN] });
    for (const [method, url, required] of routes) {
      if (held === required) continue;
      const body = method === 'POST' || method === 'PATCH' ? {} : undefined;
      const response = await sendRequest({ app: service.app, token }, method, url, body);
      assert.equal(response.statusCode, 403, `${method} ${url} with ${held}`);
      assert.equal(response.json().code, 'token.capability');
      assert.ok(response.json().detail.includes(`"${required}"`));
    }
  }
});

test('404: a token of another user looks like one that does not exist', async (t) => {
  const service = await openTestServer(t);
  const database = connectToServerDatabase(t, service);
  await database.exec(
    `INSERT INTO "user" (id, created_at) VALUES ('usr_other', '2026-01-01T00:00:00.000Z')`,
  );
  const hash = 'f'.repeat(64);
  await database.exec(
    `INSERT INTO token (id, user_id, name, hash, capabilities, origins, created_at)
     VALUES ('tok_other', 'usr_other', 'secret plans', '${hash}', '["read"]', '[]', '2026-01-01T00:00:00.000Z')`,
  );
  const rows = [
    ['GET', '', undefined],
    ['PATCH', '', { name: 'mine' }],
    ['POST', '/rotate', undefined],
    ['DELETE', '', undefined],
    ['DELETE', '?descendants=true&force=true', undefined],
  ] as const;
  for (const [method, path, body] of rows) {
    const other = await sendRequest(service, method, `/v1/tokens/tok_other${path}`, body);
    const none = await sendRequest(service, method, `/v1/tokens/tok_none${path}`, body);
    assert.equal(other.statusCode, 404);
    assert.deepEqual(other.json(), none.json());
  }
  const list = await sendRequest(service, 'GET', '/v1/tokens');
  assert.ok(!list.body.includes('secret plans'));
  const row = await database.get("SELECT * FROM token WHERE id = 'tok_other'");
  assert.equal(row?.revoked_at, null);
  const withUnknownToken = { app: service.app, token: generateTokenString('secret') };
  assert.equal(
    (await sendRequest(withUnknownToken, 'GET', '/v1/tokens')).json().code,
    'token.unknown',
  );
});
