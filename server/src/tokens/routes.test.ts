import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TokenView } from '@cloche/contract/token';
import { openService } from '../../testing/harness.ts';
import { ask, issue, openDatabase, SHOP } from '../../testing/requests.ts';
import { makeTokenString } from './token-string.ts';

const HOUR = 60 * 60 * 1000;
const WISH = { capabilities: ['embed'], origins: [SHOP], type: 'api', user: '~' };
const VIEW_FIELDS = [
  ...['capabilities', 'createdAt', 'designs', 'expiresAt', 'id', 'lastUsedAt', 'name'],
  ...['origins', 'seenInBrowserAt', 'type', 'user'],
];

test('201: the wish of the first embed, answered with these fields and no others', async (t) => {
  const service = await openService(t);
  const answer = await ask(service, 'POST', '/v1/tokens', WISH);
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
    origins: [SHOP],
    type: 'api',
    name: '',
    designs: null,
    expiresAt: null,
  });
});

test('201: what was wished is what is issued', async (t) => {
  const service = await openService(t);
  const designs = ['8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55'];
  const { user } = await issue(service);
  const issued = await issue(service, {
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
  const service = await openService(t);
  const issued = await issue(service, { name: 'shop' });
  const one = await ask(service, 'GET', `/v1/tokens/${issued.id}`);
  assert.equal(one.statusCode, 200);
  assert.deepEqual(Object.keys(one.json()).sort(), VIEW_FIELDS);
  const all = await ask(service, 'GET', '/v1/tokens');
  assert.deepEqual(all.json().items[0], one.json());
  for (const { body } of [one, all]) {
    assert.ok(!body.includes(issued.token.slice(10)));
    assert.ok(!body.includes(service.token.slice(10)));
  }
});

test('200: a list is read to its end without gaps or repeats', async (t) => {
  const service = await openService(t);
  for (let i = 0; i < 11; i += 1) await issue(service, { name: `token ${i}` });
  // Many made in one instant: only the id tells them apart.
  const database = openDatabase(t, service);
  database.exec("UPDATE token SET created_at = '2026-01-01T00:00:00.000Z' WHERE name LIKE '%5%'");
  database.exec("UPDATE token SET created_at = '2026-02-01T00:00:00.000Z' WHERE name LIKE 'to%'");
  const whole: TokenView[] = (await ask(service, 'GET', '/v1/tokens?limit=200')).json().items;
  assert.equal(whole.length, 12);
  for (const limit of [1, 2, 3, 4, 6, 11, 12, 13]) {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const url: string = `/v1/tokens?limit=${limit}${cursor && `&cursor=${cursor}`}`;
      const page = (await ask(service, 'GET', url)).json();
      assert.ok(page.items.length <= limit);
      seen.push(...page.items.map(({ id }: TokenView) => id));
      cursor = page.nextCursor;
    }
    assert.deepEqual(
      seen,
      whole.map(({ id }) => id),
    );
  }
});

test('200: a list goes on in place when what the cursor names is gone', async (t) => {
  const service = await openService(t);
  for (let i = 0; i < 5; i += 1) {
    service.pass(1);
    await issue(service, { name: `token ${i}` });
  }
  const first = (await ask(service, 'GET', '/v1/tokens?limit=2')).json();
  await ask(service, 'DELETE', `/v1/tokens/${first.items[1].id}`);
  const second = (
    await ask(service, 'GET', `/v1/tokens?limit=2&cursor=${first.nextCursor}`)
  ).json();
  assert.deepEqual(
    second.items.map(({ name }: TokenView) => name),
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
  const service = await openService(t);
  for (const [query, code, field] of badQueries) {
    const answer = await ask(service, 'GET', `/v1/tokens?${query}`);
    assert.equal(answer.statusCode, 400, query);
    assert.equal(answer.json().code, code, query);
    assert.equal(answer.json().field, field, query);
    assert.ok(answer.json().detail.startsWith(field), answer.json().detail);
  }
});

test('200: a change shows at once, and leaves the rest as it was', async (t) => {
  const service = await openService(t);
  const { token, ...issued } = await issue(service, { name: 'shop' });
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
    const before = (await ask(service, 'GET', url)).json();
    const answer = await ask(service, 'PATCH', url, change);
    assert.equal(answer.statusCode, 200);
    assert.deepEqual(answer.json(), { ...before, ...change });
    assert.deepEqual((await ask(service, 'GET', url)).json(), answer.json());
  }
});

test('204: a revoked token is refused at the next request, though it was known', async (t) => {
  const service = await openService(t);
  const reader = await issue(service, { capabilities: ['read'], origins: [] });
  const asReader = { app: service.app, token: reader.token };
  assert.equal((await ask(asReader, 'GET', '/v1/tokens')).statusCode, 200);
  const url = `/v1/tokens/${reader.id}`;
  assert.equal((await ask(service, 'DELETE', url)).statusCode, 204);
  const refused = await ask(asReader, 'GET', '/v1/tokens');
  assert.equal(refused.statusCode, 401);
  assert.equal(refused.json().code, 'token.revoked');

  assert.equal((await ask(service, 'DELETE', url)).statusCode, 204, 'revoking twice is fine');
  const list = (await ask(service, 'GET', '/v1/tokens')).json();
  assert.ok(!list.items.some(({ id }: TokenView) => id === reader.id));
  for (const method of ['GET', 'PATCH'] as const) {
    const body = method === 'PATCH' ? { name: 'again' } : undefined;
    const gone = await ask(service, method, url, body);
    assert.equal(gone.statusCode, 404);
    assert.match(gone.json().detail, /was revoked at 20/);
  }
});

test('204: a DELETE that names a body type but has no body is understood', async (t) => {
  const service = await openService(t);
  const { id } = await issue(service);
  const answer = await ask(service, 'DELETE', `/v1/tokens/${id}`, '');
  assert.equal(answer.statusCode, 204);
});

test('401: a token ends on its hour, and a later end revives it', async (t) => {
  const service = await openService(t);
  const expiresAt = new Date(Date.now() + HOUR).toISOString();
  const reader = await issue(service, { capabilities: ['read'], origins: [], expiresAt });
  const asReader = { app: service.app, token: reader.token };
  assert.equal((await ask(asReader, 'GET', '/v1/tokens')).statusCode, 200);
  service.pass(HOUR + 1);
  const over = await ask(asReader, 'GET', '/v1/tokens');
  assert.equal(over.statusCode, 401);
  assert.equal(over.json().code, 'token.expired');
  assert.ok(over.json().detail.includes(expiresAt));

  const { items } = (await ask(service, 'GET', '/v1/tokens')).json();
  assert.ok(items.some(({ id }: TokenView) => id === reader.id));

  const later = new Date(Date.now() + 3 * HOUR).toISOString();
  const change = { expiresAt: later };
  assert.equal((await ask(service, 'PATCH', `/v1/tokens/${reader.id}`, change)).statusCode, 200);
  assert.equal((await ask(asReader, 'GET', '/v1/tokens')).statusCode, 200);
});

test('403: what a token lacks it does not lend, new or changed', async (t) => {
  const service = await openService(t);
  const expiresAt = new Date(Date.now() + HOUR).toISOString();
  const parent = await issue(service, {
    capabilities: ['write', 'embed'],
    origins: [SHOP],
    expiresAt,
  });
  const child = { app: service.app, token: parent.token };
  const bound = { ...WISH, expiresAt };
  assert.equal((await ask(child, 'POST', '/v1/tokens', bound)).statusCode, 201);
  const rows: [change: object, field: string][] = [
    [{ capabilities: ['read'] }, 'capabilities'],
    [{ origins: ['https://evil.example'] }, 'origins'],
    [{ capabilities: ['write'], origins: [] }, 'origins'],
    [{ expiresAt: null }, 'expiresAt'],
  ];
  for (const [change, field] of rows) {
    const answer = await ask(child, 'POST', '/v1/tokens', { ...bound, ...change });
    assert.equal(answer.statusCode, 403, JSON.stringify(change));
    assert.equal(answer.json().code, 'token.reach');
    assert.equal(answer.json().field, field);
  }
  // Neither its own end nor the tokens of others that reach further.
  const self = await ask(child, 'PATCH', `/v1/tokens/${parent.id}`, { expiresAt: null });
  assert.equal(self.json().code, 'token.reach');
  const { items } = (await ask(service, 'GET', '/v1/tokens')).json();
  const first = items.find(({ name }: TokenView) => name === 'first token');
  const other = await ask(child, 'PATCH', `/v1/tokens/${first.id}`, { name: 'mine' });
  assert.equal(other.json().code, 'token.reach');
});

test('403: each door asks for its capability', async (t) => {
  const service = await openService(t);
  const { id } = await issue(service);
  const doors = [
    ['POST', '/v1/tokens', 'write'],
    ['GET', '/v1/tokens', 'read'],
    ['GET', `/v1/tokens/${id}`, 'read'],
    ['PATCH', `/v1/tokens/${id}`, 'write'],
    ['DELETE', `/v1/tokens/${id}`, 'write'],
    ['POST', '/v1/tokens/check', 'read'],
  ] as const;
  for (const held of ['read', 'write', 'embed']) {
    const { token } = await issue(service, { capabilities: [held], origins: [SHOP] });
    for (const [method, url, needed] of doors) {
      if (held === needed) continue;
      const body = method === 'POST' || method === 'PATCH' ? {} : undefined;
      const answer = await ask({ app: service.app, token }, method, url, body);
      assert.equal(answer.statusCode, 403, `${method} ${url} with ${held}`);
      assert.equal(answer.json().code, 'token.capability');
      assert.ok(answer.json().detail.includes(`"${needed}"`));
    }
  }
});

test('404: the tokens of others are not there', async (t) => {
  const service = await openService(t);
  const database = openDatabase(t, service);
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
    const other = await ask(service, method, '/v1/tokens/tok_other', body);
    const none = await ask(service, method, '/v1/tokens/tok_none', body);
    assert.equal(other.statusCode, 404);
    assert.deepEqual(other.json(), none.json());
  }
  const list = await ask(service, 'GET', '/v1/tokens');
  assert.ok(!list.body.includes('secret plans'));
  const row = database.prepare("SELECT * FROM token WHERE id = 'tok_other'").get();
  assert.equal(row?.revoked_at, null);
  const stranger = { app: service.app, token: makeTokenString('secret') };
  assert.equal((await ask(stranger, 'GET', '/v1/tokens')).json().code, 'token.unknown');
});
