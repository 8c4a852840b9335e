import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Token } from '@cloche/contract/token';
import { openTestServer } from '../../testing/harness.ts';
import {
  issueToken,
  openServerDatabase,
  SHOP_ORIGIN,
  sendRequest,
} from '../../testing/requests.ts';
import { generateTokenString } from './token-string.ts';

const HOUR_MS = 60 * 60 * 1000;
const CREATE_TOKEN_REQUEST = {
  capabilities: ['embed'],
  origins: [SHOP_ORIGIN],
  type: 'api',
  user: '~',
};
const TOKEN_FIELDS = [
  ...['capabilities', 'createdAt', 'designs', 'expiresAt', 'id', 'lastUsedAt', 'name'],
  ...['origins', 'seenInBrowserAt', 'type', 'user'],
];

test('201: the wish of the first embed, answered with these fields and no others', async (t) => {
  const service = await openTestServer(t);
  const answer = await sendRequest(service, 'POST', '/v1/tokens', CREATE_TOKEN_REQUEST);
  assert.equal(answer.statusCode, 201);
  const issued = answer.json();
  assert.equal(answer.headers.location, `/v1/tokens/${issued.id}`);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  const { id, token, user, createdAt, ...rest } = issued;
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
  });
});

test('201: what was wished is what is issued', async (t) => {
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

test('200: a token is read and listed with its facts, never with its string', async (t) => {
  const service = await openTestServer(t);
  const issued = await issueToken(service, { name: 'shop' });
  const one = await sendRequest(service, 'GET', `/v1/tokens/${issued.id}`);
  assert.equal(one.statusCode, 200);
  assert.deepEqual(Object.keys(one.json()).sort(), TOKEN_FIELDS);
  const all = await sendRequest(service, 'GET', '/v1/tokens');
  assert.deepEqual(all.json().items[0], one.json());
  for (const { body } of [one, all]) {
    assert.ok(!body.includes(issued.token.slice(10)));
    assert.ok(!body.includes(service.token.slice(10)));
  }
});

test('200: a list is read to its end without gaps or repeats', async (t) => {
  const service = await openTestServer(t);
  for (let i = 0; i < 11; i += 1) await issueToken(service, { name: `token ${i}` });
  // Many made in one instant: only the id tells them apart.
  const database = openServerDatabase(t, service);
  database.exec("UPDATE token SET created_at = '2026-01-01T00:00:00.000Z' WHERE name LIKE '%5%'");
  database.exec("UPDATE token SET created_at = '2026-02-01T00:00:00.000Z' WHERE name LIKE 'to%'");
  const whole: Token[] = (await sendRequest(service, 'GET', '/v1/tokens?limit=200')).json().items;
  assert.equal(whole.length, 12);
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
      whole.map(({ id }) => id),
    );
  }
});

test('200: a list goes on in place when what the cursor names is gone', async (t) => {
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

const badQueries: [query: string, code: string, field: string][] = [
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
  [`cursor=${'a'.repeat(201)}`, 'request.invalid', 'query.cursor'],
];

test('400: a list asked for wrongly says which word was wrong', async (t) => {
  const service = await openTestServer(t);
  for (const [query, code, field] of badQueries) {
    const answer = await sendRequest(service, 'GET', `/v1/tokens?${query}`);
    assert.equal(answer.statusCode, 400, query);
    assert.equal(answer.json().code, code, query);
    assert.equal(answer.json().field, field, query);
    assert.ok(answer.json().detail.startsWith(field), answer.json().detail);
  }
});

test('200: a change shows at once, and leaves the rest as it was', async (t) => {
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
    const answer = await sendRequest(service, 'PATCH', url, change);
    assert.equal(answer.statusCode, 200);
    assert.deepEqual(answer.json(), { ...before, ...change });
    assert.deepEqual((await sendRequest(service, 'GET', url)).json(), answer.json());
  }
});

test('204: a revoked token is refused at the next request, though it was known', async (t) => {
  const service = await openTestServer(t);
  const reader = await issueToken(service, { capabilities: ['read'], origins: [] });
  const asReader = { app: service.app, token: reader.token };
  assert.equal((await sendRequest(asReader, 'GET', '/v1/tokens')).statusCode, 200);
  const url = `/v1/tokens/${reader.id}`;
  assert.equal((await sendRequest(service, 'DELETE', url)).statusCode, 204);
  const refused = await sendRequest(asReader, 'GET', '/v1/tokens');
  assert.equal(refused.statusCode, 401);
  assert.equal(refused.json().code, 'token.revoked');

  assert.equal(
    (await sendRequest(service, 'DELETE', url)).statusCode,
    204,
    'revoking twice is fine',
  );
  const list = (await sendRequest(service, 'GET', '/v1/tokens')).json();
  assert.ok(!list.items.some(({ id }: Token) => id === reader.id));
  for (const method of ['GET', 'PATCH'] as const) {
    const body = method === 'PATCH' ? { name: 'again' } : undefined;
    const gone = await sendRequest(service, method, url, body);
    assert.equal(gone.statusCode, 404);
    assert.match(gone.json().detail, /was revoked at 20/);
  }
});

test('204: a DELETE that names a body type but has no body is understood', async (t) => {
  const service = await openTestServer(t);
  const { id } = await issueToken(service);
  const answer = await sendRequest(service, 'DELETE', `/v1/tokens/${id}`, '');
  assert.equal(answer.statusCode, 204);
});

test('401: a token ends on its hour, and a later end revives it', async (t) => {
  const service = await openTestServer(t);
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  const reader = await issueToken(service, { capabilities: ['read'], origins: [], expiresAt });
  const asReader = { app: service.app, token: reader.token };
  assert.equal((await sendRequest(asReader, 'GET', '/v1/tokens')).statusCode, 200);
  service.advanceTime(HOUR_MS + 1);
  const over = await sendRequest(asReader, 'GET', '/v1/tokens');
  assert.equal(over.statusCode, 401);
  assert.equal(over.json().code, 'token.expired');
  assert.ok(over.json().detail.includes(expiresAt));

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

test('403: what a token lacks it does not lend, new or changed', async (t) => {
  const service = await openTestServer(t);
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  const parent = await issueToken(service, {
    capabilities: ['write', 'embed'],
    origins: [SHOP_ORIGIN],
    expiresAt,
  });
  const child = { app: service.app, token: parent.token };
  const bound = { ...CREATE_TOKEN_REQUEST, expiresAt };
  assert.equal((await sendRequest(child, 'POST', '/v1/tokens', bound)).statusCode, 201);
  const rows: [change: object, field: string][] = [
    [{ capabilities: ['read'] }, 'capabilities'],
    [{ origins: ['https://evil.example'] }, 'origins'],
    [{ capabilities: ['write'], origins: [] }, 'origins'],
    [{ expiresAt: null }, 'expiresAt'],
  ];
  for (const [change, field] of rows) {
    const answer = await sendRequest(child, 'POST', '/v1/tokens', { ...bound, ...change });
    assert.equal(answer.statusCode, 403, JSON.stringify(change));
    assert.equal(answer.json().code, 'token.reach');
    assert.equal(answer.json().field, field);
  }
  // Neither its own end nor the tokens of others that reach further.
  const self = await sendRequest(child, 'PATCH', `/v1/tokens/${parent.id}`, { expiresAt: null });
  assert.equal(self.json().code, 'token.reach');
  const { items } = (await sendRequest(service, 'GET', '/v1/tokens')).json();
  const first = items.find(({ name }: Token) => name === 'first token');
  const other = await sendRequest(child, 'PATCH', `/v1/tokens/${first.id}`, { name: 'mine' });
  assert.equal(other.json().code, 'token.reach');
});

test('403: each door asks for its capability', async (t) => {
  const service = await openTestServer(t);
  const { id } = await issueToken(service);
  const doors = [
    ['POST', '/v1/tokens', 'write'],
    ['GET', '/v1/tokens', 'read'],
    ['GET', `/v1/tokens/${id}`, 'read'],
    ['PATCH', `/v1/tokens/${id}`, 'write'],
    ['DELETE', `/v1/tokens/${id}`, 'write'],
    ['POST', '/v1/tokens/check', 'read'],
  ] as const;
  for (const held of ['read', 'write', 'embed']) {
    const { token } = await issueToken(service, { capabilities: [held], origins: [SHOP_ORIGIN] });
    for (const [method, url, needed] of doors) {
      if (held === needed) continue;
      const body = method === 'POST' || method === 'PATCH' ? {} : undefined;
      const answer = await sendRequest({ app: service.app, token }, method, url, body);
      assert.equal(answer.statusCode, 403, `${method} ${url} with ${held}`);
      assert.equal(answer.json().code, 'token.capability');
      assert.ok(answer.json().detail.includes(`"${needed}"`));
    }
  }
});

test('404: the tokens of others are not there', async (t) => {
  const service = await openTestServer(t);
  const database = openServerDatabase(t, service);
  database.exec(`INSERT INTO user VALUES ('usr_other', '2026-01-01T00:00:00.000Z')`);
  const { hash } = { hash: 'f'.repeat(64) };
  database.exec(
    `INSERT INTO token VALUES ('tok_other', 'usr_other', 'secret plans', '${hash}', '["read"]', '[]', NULL, '2026-01-01T00:00:00.000Z', NULL, NULL, NULL, NULL)`,
  );
  const rows = [
    ['GET', undefined],
    ['PATCH', { name: 'mine' }],
    ['DELETE', undefined],
  ] as const;
  for (const [method, body] of rows) {
    const other = await sendRequest(service, method, '/v1/tokens/tok_other', body);
    const none = await sendRequest(service, method, '/v1/tokens/tok_none', body);
    assert.equal(other.statusCode, 404);
    assert.deepEqual(other.json(), none.json());
  }
  const list = await sendRequest(service, 'GET', '/v1/tokens');
  assert.ok(!list.body.includes('secret plans'));
  const row = database.prepare("SELECT * FROM token WHERE id = 'tok_other'").get();
  assert.equal(row?.revoked_at, null);
  const stranger = { app: service.app, token: generateTokenString('secret') };
  assert.equal((await sendRequest(stranger, 'GET', '/v1/tokens')).json().code, 'token.unknown');
});
