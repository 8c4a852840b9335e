import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import { issueToken, SHOP_ORIGIN, sendRequest } from '../../testing/requests.ts';

const CREATE_TOKEN_REQUEST = {
  capabilities: ['embed'],
  origins: [SHOP_ORIGIN],
  type: 'api',
  user: '~',
};
const DESIGN_ID = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
const without = (field: string) =>
  Object.fromEntries(Object.entries(CREATE_TOKEN_REQUEST).filter(([name]) => name !== field));
const manyOrigins = (count: number) =>
  Array.from({ length: count }, (_, i) => `https://shop-${i}.example`);

type Row = [why: string, body: object | string, field: string, cure: string, code?: string];

// What a client may get wrong, the field the answer must name, and words of its cure.
const invalidRequests: Row[] = [
  ['no body', '', 'body', '{}', 'request.broken-json'],
  ['an array', [], 'body', 'object'],
  ['a text', '"embed"', 'body', 'object'],
  ['null', 'null', 'body', 'object'],
  [
    'a text for a list',
    { ...CREATE_TOKEN_REQUEST, capabilities: 'embed' },
    'capabilities',
    '["embed"]',
  ],
  ['no capabilities', without('capabilities'), 'capabilities', 'missing'],
  ['none', { ...CREATE_TOKEN_REQUEST, capabilities: [] }, 'capabilities', '["embed"]'],
  ['null for a list', { ...CREATE_TOKEN_REQUEST, capabilities: null }, 'capabilities', '["embed"]'],
  [
    'one twice',
    { ...CREATE_TOKEN_REQUEST, capabilities: ['embed', 'embed'] },
    'capabilities',
    'twice',
  ],
  [
    'an unknown one',
    { ...CREATE_TOKEN_REQUEST, capabilities: ['admin'] },
    'capabilities[0]',
    '"embed"',
  ],
  [
    'the wrong case',
    { ...CREATE_TOKEN_REQUEST, capabilities: ['Embed'] },
    'capabilities[0]',
    '"embed"',
  ],
  ['a number', { ...CREATE_TOKEN_REQUEST, capabilities: [1] }, 'capabilities[0]', '"embed"'],
  [
    'a list in a list',
    { ...CREATE_TOKEN_REQUEST, capabilities: [['embed']] },
    'capabilities[0]',
    '"embed"',
  ],

  ['no origins', without('origins'), 'origins', SHOP_ORIGIN],
  ['an empty list', { ...CREATE_TOKEN_REQUEST, origins: [] }, 'origins', 'never means anywhere'],
  [
    'a text',
    { ...CREATE_TOKEN_REQUEST, origins: SHOP_ORIGIN },
    'origins',
    '["https://shop.example"]',
  ],
  ['null', { ...CREATE_TOKEN_REQUEST, origins: null }, 'origins', '["https://shop.example"]'],
  ['a number', { ...CREATE_TOKEN_REQUEST, origins: [1] }, 'origins[0]', SHOP_ORIGIN],
  ['21 of them', { ...CREATE_TOKEN_REQUEST, origins: manyOrigins(21) }, 'origins', '20'],
  [
    'a path',
    { ...CREATE_TOKEN_REQUEST, origins: [SHOP_ORIGIN, `${SHOP_ORIGIN}/x`] },
    'origins[1]',
    SHOP_ORIGIN,
    'origin.invalid',
  ],
  [
    'a star',
    { ...CREATE_TOKEN_REQUEST, origins: ['*'] },
    'origins[0]',
    'https://',
    'origin.invalid',
  ],
  [
    'a policy',
    { ...CREATE_TOKEN_REQUEST, origins: [`${SHOP_ORIGIN};x`] },
    'origins[0]',
    'letters',
    'origin.invalid',
  ],

  ['no type', without('type'), 'type', 'missing'],
  ['another type', { ...CREATE_TOKEN_REQUEST, type: 'session' }, 'type', '"api"'],
  ['no user', without('user'), 'user', 'missing'],
  ['null for a user', { ...CREATE_TOKEN_REQUEST, user: null }, 'user', '"~"'],
  [
    'another user',
    { ...CREATE_TOKEN_REQUEST, user: 'usr_0000000000000000' },
    'user',
    '"~"',
    'token.user',
  ],
  ['an empty user', { ...CREATE_TOKEN_REQUEST, user: '' }, 'user', '"~"', 'token.user'],

  [
    'a past end',
    { ...CREATE_TOKEN_REQUEST, expiresAt: '2020-01-01T00:00:00Z' },
    'expiresAt',
    'to come',
  ],
  [
    'an end without zone',
    { ...CREATE_TOKEN_REQUEST, expiresAt: '2999-01-01T00:00:00' },
    'expiresAt',
    'Z"',
  ],
  [
    'no such day',
    { ...CREATE_TOKEN_REQUEST, expiresAt: '2999-02-31T25:00:00Z' },
    'expiresAt',
    'Z"',
  ],
  ['seconds', { ...CREATE_TOKEN_REQUEST, expiresAt: 4102444800 }, 'expiresAt', 'Z"'],

  ['an empty name', { ...CREATE_TOKEN_REQUEST, name: '' }, 'name', 'shop.example'],
  ['a blank name', { ...CREATE_TOKEN_REQUEST, name: '  ' }, 'name', 'plain text'],
  ['null for a name', { ...CREATE_TOKEN_REQUEST, name: null }, 'name', 'string'],
  ['a name of two lines', { ...CREATE_TOKEN_REQUEST, name: 'a\nb' }, 'name', 'plain text'],
  ['a bell in the name', { ...CREATE_TOKEN_REQUEST, name: 'a\u0007b' }, 'name', 'plain text'],
  ['a turned name', { ...CREATE_TOKEN_REQUEST, name: 'a\u202eb' }, 'name', 'plain text'],
  ['half a character', { ...CREATE_TOKEN_REQUEST, name: 'a\ud83d' }, 'name', 'plain text'],
  ['201 characters', { ...CREATE_TOKEN_REQUEST, name: 'a'.repeat(201) }, 'name', '200'],

  ['no design at all', { ...CREATE_TOKEN_REQUEST, designs: [] }, 'designs', DESIGN_ID],
  [
    'a URI for an id',
    { ...CREATE_TOKEN_REQUEST, designs: [`cloche:design:${DESIGN_ID}`] },
    'designs[0]',
    '',
  ],
  ['upper case', { ...CREATE_TOKEN_REQUEST, designs: [DESIGN_ID.toUpperCase()] }, 'designs[0]', ''],
  [
    'one design twice',
    { ...CREATE_TOKEN_REQUEST, designs: [DESIGN_ID, DESIGN_ID] },
    'designs',
    'twice',
  ],

  ['an unknown field', { ...CREATE_TOKEN_REQUEST, origin: [SHOP_ORIGIN] }, 'origin', 'origins'],
  ['the wrong case', { ...CREATE_TOKEN_REQUEST, Name: 'x' }, 'Name', 'name'],
  ['a field of the answer', { ...CREATE_TOKEN_REQUEST, id: 'tok_1' }, 'id', 'capabilities'],
  [
    'a prototype',
    `${JSON.stringify(CREATE_TOKEN_REQUEST).slice(0, -1)},"__proto__":{}}`,
    '__proto__',
    'fields',
  ],
  ['a constructor', { ...CREATE_TOKEN_REQUEST, constructor: {} }, 'constructor', 'fields'],
];

test('400: whatever is wrong with a wish, the answer names the field and the cure', async (t) => {
  const service = await openTestServer(t);
  for (const [why, body, field, cure, code = 'request.invalid'] of invalidRequests) {
    await t.test(`${field}: ${why}`, async () => {
      const answer = await sendRequest(service, 'POST', '/v1/tokens', body);
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
  const { items } = (await sendRequest(service, 'GET', '/v1/tokens')).json();
  assert.equal(items.length, 1, 'nothing was made');
});

const invalidUpdates: [why: string, body: object, field: string, code?: string][] = [
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
  const service = await openTestServer(t);
  const { id } = await issueToken(service, { name: 'shop' });
  const before = (await sendRequest(service, 'GET', `/v1/tokens/${id}`)).json();
  for (const [why, body, field, code = 'request.invalid'] of invalidUpdates) {
    const answer = await sendRequest(service, 'PATCH', `/v1/tokens/${id}`, body);
    assert.equal(answer.statusCode, 400, why);
    assert.equal(answer.json().code, code, why);
    assert.equal(answer.json().field, field, why);
  }
  assert.deepEqual((await sendRequest(service, 'GET', `/v1/tokens/${id}`)).json(), before);
});

test('201: at the edges of what is allowed', async (t) => {
  const service = await openTestServer(t);
  for (const change of [
    { origins: manyOrigins(20) },
    { name: 'a'.repeat(200) },
    { name: '🪑'.repeat(200) },
    { expiresAt: null, designs: null },
    { expiresAt: '2999-01-01T00:00Z' },
    { capabilities: ['read'], origins: [] },
    { capabilities: ['write', 'read', 'embed'], origins: undefined },
  ]) {
    const answer = await sendRequest(service, 'POST', '/v1/tokens', {
      ...CREATE_TOKEN_REQUEST,
      ...change,
    });
    assert.equal(answer.statusCode, 201, answer.body);
  }
});
