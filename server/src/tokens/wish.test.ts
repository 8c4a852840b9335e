import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openService } from '../../testing/harness.ts';
import { ask, issue, SHOP } from '../../testing/requests.ts';

const WISH = { capabilities: ['embed'], origins: [SHOP], type: 'api', user: '~' };
const DESIGN = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
const without = (field: string) =>
  Object.fromEntries(Object.entries(WISH).filter(([name]) => name !== field));
const many = (count: number) =>
  Array.from({ length: count }, (_, i) => `https://shop-${i}.example`);

type Row = [why: string, body: object | string, field: string, cure: string, code?: string];

// What a client may get wrong, the field the answer must name, and words of its cure.
const rows: Row[] = [
  ['no body', '', 'body', '{}', 'request.broken-json'],
  ['an array', [], 'body', 'object'],
  ['a text', '"embed"', 'body', 'object'],
  ['null', 'null', 'body', 'object'],
  ['a text for a list', { ...WISH, capabilities: 'embed' }, 'capabilities', '["embed"]'],
  ['no capabilities', without('capabilities'), 'capabilities', 'missing'],
  ['none', { ...WISH, capabilities: [] }, 'capabilities', '["embed"]'],
  ['null for a list', { ...WISH, capabilities: null }, 'capabilities', '["embed"]'],
  ['one twice', { ...WISH, capabilities: ['embed', 'embed'] }, 'capabilities', 'twice'],
  ['an unknown one', { ...WISH, capabilities: ['admin'] }, 'capabilities[0]', '"embed"'],
  ['the wrong case', { ...WISH, capabilities: ['Embed'] }, 'capabilities[0]', '"embed"'],
  ['a number', { ...WISH, capabilities: [1] }, 'capabilities[0]', '"embed"'],
  ['a list in a list', { ...WISH, capabilities: [['embed']] }, 'capabilities[0]', '"embed"'],

  ['no origins', without('origins'), 'origins', SHOP],
  ['an empty list', { ...WISH, origins: [] }, 'origins', 'never means anywhere'],
  ['a text', { ...WISH, origins: SHOP }, 'origins', '["https://shop.example"]'],
  ['null', { ...WISH, origins: null }, 'origins', '["https://shop.example"]'],
  ['a number', { ...WISH, origins: [1] }, 'origins[0]', SHOP],
  ['21 of them', { ...WISH, origins: many(21) }, 'origins', '20'],
  ['a path', { ...WISH, origins: [SHOP, `${SHOP}/x`] }, 'origins[1]', SHOP, 'origin.invalid'],
  ['a star', { ...WISH, origins: ['*'] }, 'origins[0]', 'https://', 'origin.invalid'],
  ['a policy', { ...WISH, origins: [`${SHOP};x`] }, 'origins[0]', 'letters', 'origin.invalid'],

  ['no type', without('type'), 'type', 'missing'],
  ['another type', { ...WISH, type: 'session' }, 'type', '"api"'],
  ['no user', without('user'), 'user', 'missing'],
  ['null for a user', { ...WISH, user: null }, 'user', '"~"'],
  ['another user', { ...WISH, user: 'usr_0000000000000000' }, 'user', '"~"', 'token.user'],
  ['an empty user', { ...WISH, user: '' }, 'user', '"~"', 'token.user'],

  ['a past end', { ...WISH, expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt', 'to come'],
  ['an end without zone', { ...WISH, expiresAt: '2999-01-01T00:00:00' }, 'expiresAt', 'Z"'],
  ['no such day', { ...WISH, expiresAt: '2999-02-31T25:00:00Z' }, 'expiresAt', 'Z"'],
  ['seconds', { ...WISH, expiresAt: 4102444800 }, 'expiresAt', 'Z"'],

  ['an empty name', { ...WISH, name: '' }, 'name', 'shop.example'],
  ['a blank name', { ...WISH, name: '  ' }, 'name', 'plain text'],
  ['null for a name', { ...WISH, name: null }, 'name', 'string'],
  ['a name of two lines', { ...WISH, name: 'a\nb' }, 'name', 'plain text'],
  ['a bell in the name', { ...WISH, name: 'a\u0007b' }, 'name', 'plain text'],
  ['a turned name', { ...WISH, name: 'a\u202eb' }, 'name', 'plain text'],
  ['half a character', { ...WISH, name: 'a\ud83d' }, 'name', 'plain text'],
  ['201 characters', { ...WISH, name: 'a'.repeat(201) }, 'name', '200'],

  ['no design at all', { ...WISH, designs: [] }, 'designs', DESIGN],
  ['a URI for an id', { ...WISH, designs: [`cloche:design:${DESIGN}`] }, 'designs[0]', ''],
  ['upper case', { ...WISH, designs: [DESIGN.toUpperCase()] }, 'designs[0]', ''],
  ['one design twice', { ...WISH, designs: [DESIGN, DESIGN] }, 'designs', 'twice'],

  ['an unknown field', { ...WISH, origin: [SHOP] }, 'origin', 'origins'],
  ['the wrong case', { ...WISH, Name: 'x' }, 'Name', 'name'],
  ['a field of the answer', { ...WISH, id: 'tok_1' }, 'id', 'capabilities'],
  ['a prototype', `${JSON.stringify(WISH).slice(0, -1)},"__proto__":{}}`, '__proto__', 'fields'],
  ['a constructor', { ...WISH, constructor: {} }, 'constructor', 'fields'],
];

test('400: whatever is wrong with a wish, the answer names the field and the cure', async (t) => {
  const service = await openService(t);
  for (const [why, body, field, cure, code = 'request.invalid'] of rows) {
    await t.test(`${field}: ${why}`, async () => {
      const answer = await ask(service, 'POST', '/v1/tokens', body);
      const problem = answer.json();
      assert.equal(answer.statusCode, 400, answer.body);
      assert.equal(answer.headers['content-type'], 'application/problem+json; charset=utf-8');
      assert.equal(problem.code, code);
      if (code !== 'request.broken-json') assert.equal(problem.field, field);
      if (code === 'request.invalid') assert.ok(problem.detail.startsWith(`${field}: `));
      assert.ok(problem.detail.includes(cure), problem.detail);
      assert.doesNotMatch(problem.detail, /[\p{Cc}\u202e]/u);
    });
  }
  const { items } = (await ask(service, 'GET', '/v1/tokens')).json();
  assert.equal(items.length, 1, 'nothing was made');
});

const changes: [why: string, body: object, field: string, code?: string][] = [
  ['nothing', {}, 'body'],
  ['capabilities', { capabilities: ['embed', 'read'] }, 'capabilities'],
  ['the string', { token: 'x' }, 'token'],
  ['the owner', { user: '~' }, 'user'],
  ['no origins left', { origins: [] }, 'origins'],
  ['a past end', { expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
  ['a bad origin', { origins: ['https://*'] }, 'origins[0]', 'origin.invalid'],
  ['a bad name', { name: '\u0000' }, 'name'],
];

test('400: a change is read as strictly as a wish', async (t) => {
  const service = await openService(t);
  const { id } = await issue(service, { name: 'shop' });
  const before = (await ask(service, 'GET', `/v1/tokens/${id}`)).json();
  for (const [why, body, field, code = 'request.invalid'] of changes) {
    const answer = await ask(service, 'PATCH', `/v1/tokens/${id}`, body);
    assert.equal(answer.statusCode, 400, why);
    assert.equal(answer.json().code, code, why);
    assert.equal(answer.json().field, field, why);
  }
  assert.deepEqual((await ask(service, 'GET', `/v1/tokens/${id}`)).json(), before);
});

test('201: at the edges of what is allowed', async (t) => {
  const service = await openService(t);
  for (const change of [
    { origins: many(20) },
    { name: 'a'.repeat(200) },
    { name: '🪑'.repeat(200) },
    { expiresAt: null, designs: null },
    { expiresAt: '2999-01-01T00:00Z' },
    { capabilities: ['read'], origins: [] },
    { capabilities: ['write', 'read', 'embed'], origins: undefined },
  ]) {
    const answer = await ask(service, 'POST', '/v1/tokens', { ...WISH, ...change });
    assert.equal(answer.statusCode, 201, answer.body);
  }
});
