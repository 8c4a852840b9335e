import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import {
  CREATE_TOKEN_REQUEST,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
} from '../../testing/requests.ts';

const DESIGN_ID = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
const omit = (field: string) =>
  Object.fromEntries(Object.entries(CREATE_TOKEN_REQUEST).filter(([name]) => name !== field));
const manyOrigins = (count: number) =>
  Array.from({ length: count }, (_, i) => `https://shop-${i}.example`);

/** The problem has `field`, and its detail contains `correction`. */
type InvalidRequest = [
  reason: string,
  body: object | string,
  field: string,
  correction: string,
  code?: string,
];

const invalidRequests: InvalidRequest[] = [
  ['no body', '', 'body', '{}', 'request.broken-json'],
  ['an array', [], 'body', 'object'],
  ['a string', '"embed"', 'body', 'object'],
  ['null', 'null', 'body', 'object'],
  [
    'a string for a list',
    { ...CREATE_TOKEN_REQUEST, capabilities: 'embed' },
    'capabilities',
    '["embed"]',
  ],
  ['no capabilities', omit('capabilities'), 'capabilities', 'missing'],
  ['no capability', { ...CREATE_TOKEN_REQUEST, capabilities: [] }, 'capabilities', '["embed"]'],
  ['null for a list', { ...CREATE_TOKEN_REQUEST, capabilities: null }, 'capabilities', '["embed"]'],
  [
    'a duplicate',
    { ...CREATE_TOKEN_REQUEST, capabilities: ['embed', 'embed'] },
    'capabilities',
    'twice',
  ],
  [
    'an unknown capability',
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

  ['no origins', omit('origins'), 'origins', SHOP_ORIGIN],
  [
    'an empty list',
    { ...CREATE_TOKEN_REQUEST, origins: [] },
    'origins',
    'does not mean any origin',
  ],
  [
    'a string',
    { ...CREATE_TOKEN_REQUEST, origins: SHOP_ORIGIN },
    'origins',
    '["https://shop.example"]',
  ],
  ['null', { ...CREATE_TOKEN_REQUEST, origins: null }, 'origins', '["https://shop.example"]'],
  ['a number', { ...CREATE_TOKEN_REQUEST, origins: [1] }, 'origins[0]', SHOP_ORIGIN],
  ['21 origins', { ...CREATE_TOKEN_REQUEST, origins: manyOrigins(21) }, 'origins', '20'],
  [
    'a path',
    { ...CREATE_TOKEN_REQUEST, origins: [SHOP_ORIGIN, `${SHOP_ORIGIN}/x`] },
    'origins[1]',
    SHOP_ORIGIN,
    'origin.invalid',
  ],
  [
    'a wildcard only',
    { ...CREATE_TOKEN_REQUEST, origins: ['*'] },
    'origins[0]',
    'https://',
    'origin.invalid',
  ],
  [
    'a policy directive',
    { ...CREATE_TOKEN_REQUEST, origins: [`${SHOP_ORIGIN};x`] },
    'origins[0]',
    'letters',
    'origin.invalid',
  ],

  ['another type', { ...CREATE_TOKEN_REQUEST, type: 'session' }, 'type', '"api"'],
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
    'in the past',
    { ...CREATE_TOKEN_REQUEST, expiresAt: '2020-01-01T00:00:00Z' },
    'expiresAt',
    'in the future',
  ],
  [
    'no time zone',
    { ...CREATE_TOKEN_REQUEST, expiresAt: '2999-01-01T00:00:00' },
    'expiresAt',
    'Z"',
  ],
  [
    'a day that does not exist',
    { ...CREATE_TOKEN_REQUEST, expiresAt: '2999-02-31T25:00:00Z' },
    'expiresAt',
    'Z"',
  ],
  [
    '30 February',
    { ...CREATE_TOKEN_REQUEST, expiresAt: '2027-02-30T00:00:00Z' },
    'expiresAt',
    'Z"',
  ],
  ['24:00', { ...CREATE_TOKEN_REQUEST, expiresAt: '9999-12-31T24:00:00Z' }, 'expiresAt', 'Z"'],
  [
    'after the year 9999 in UTC',
    { ...CREATE_TOKEN_REQUEST, expiresAt: '9999-12-31T23:59:59-14:00' },
    'expiresAt',
    'not be after 9999-12-31T23:59:59.999Z',
  ],
  ['a number of seconds', { ...CREATE_TOKEN_REQUEST, expiresAt: 4102444800 }, 'expiresAt', 'Z"'],

  ['an empty name', { ...CREATE_TOKEN_REQUEST, name: '' }, 'name', 'shop.example'],
  ['a blank name', { ...CREATE_TOKEN_REQUEST, name: '  ' }, 'name', 'plain text'],
  ['null for a name', { ...CREATE_TOKEN_REQUEST, name: null }, 'name', 'string'],
  ['two lines', { ...CREATE_TOKEN_REQUEST, name: 'a\nb' }, 'name', 'plain text'],
  ['a control character', { ...CREATE_TOKEN_REQUEST, name: 'a\u0007b' }, 'name', 'plain text'],
  [
    'a bidirectional control character',
    { ...CREATE_TOKEN_REQUEST, name: 'a\u202eb' },
    'name',
    'plain text',
  ],
  ['a lone surrogate', { ...CREATE_TOKEN_REQUEST, name: 'a\ud83d' }, 'name', 'plain text'],
  ['201 characters', { ...CREATE_TOKEN_REQUEST, name: 'a'.repeat(201) }, 'name', '200'],

  ['an empty list', { ...CREATE_TOKEN_REQUEST, designs: [] }, 'designs', DESIGN_ID],
  [
    'a URI instead of an id',
    { ...CREATE_TOKEN_REQUEST, designs: [`cloche:design:${DESIGN_ID}`] },
    'designs[0]',
    '',
  ],
  ['a duplicate', { ...CREATE_TOKEN_REQUEST, designs: [DESIGN_ID, DESIGN_ID] }, 'designs', 'twice'],

  ['an unknown field', { ...CREATE_TOKEN_REQUEST, origin: [SHOP_ORIGIN] }, 'origin', 'origins'],
  ['the wrong case', { ...CREATE_TOKEN_REQUEST, Name: 'x' }, 'Name', 'name'],
  ['a field of the response', { ...CREATE_TOKEN_REQUEST, id: 'tok_1' }, 'id', 'capabilities'],
  [
    '__proto__',
    `${JSON.stringify(CREATE_TOKEN_REQUEST).slice(0, -1)},"__proto__":{}}`,
    '__proto__',
    'fields',
  ],
  ['constructor', { ...CREATE_TOKEN_REQUEST, constructor: {} }, 'constructor', 'fields'],
];

test('400: the problem of an invalid request names the field and a correction', async (t) => {
  const service = await openTestServer(t);
  for (const [reason, body, field, correction, code = 'request.invalid'] of invalidRequests) {
    await t.test(`${field}: ${reason}`, async () => {
      const response = await sendRequest(service, 'POST', '/v1/tokens', body);
      const problem = response.json();
      assert.equal(response.statusCode, 400, response.body);
      assert.equal(response.headers['content-type'], 'application/problem+json; charset=utf-8');
      assert.equal(problem.code, code);
      if (code !== 'request.broken-json') assert.equal(problem.field, field);
      if (code === 'request.invalid') assert.ok(problem.detail.startsWith(`${field}: `));
      assert.ok(problem.detail.includes(correction), problem.detail);
      assert.doesNotMatch(problem.detail, /[\p{Cc}\u202e]/u);
    });
  }
  const { items } = (await sendRequest(service, 'GET', '/v1/tokens')).json();
  assert.equal(items.length, 1, 'no token was created');
});

const invalidUpdates: [reason: string, body: object, field: string, code?: string][] = [
  ['no field', {}, 'body'],
  ['capabilities', { capabilities: ['embed', 'read'] }, 'capabilities'],
  ['the token string', { token: 'x' }, 'token'],
  ['the user', { user: '~' }, 'user'],
  ['no origins', { origins: [] }, 'origins'],
  ['in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
  ['after the year 9999 in UTC', { expiresAt: '9999-12-31T23:59:59-00:01' }, 'expiresAt'],
  ['an invalid origin', { origins: ['https://*'] }, 'origins[0]', 'origin.invalid'],
  ['an invalid name', { name: '\u0000' }, 'name'],
];

test('400: a change is validated like a new token', async (t) => {
  const service = await openTestServer(t);
  const { id } = await issueToken(service, { name: 'shop' });
  const before = (await sendRequest(service, 'GET', `/v1/tokens/${id}`)).json();
  for (const [reason, body, field, code = 'request.invalid'] of invalidUpdates) {
    const response = await sendRequest(service, 'PATCH', `/v1/tokens/${id}`, body);
    assert.equal(response.statusCode, 400, reason);
    assert.equal(response.json().code, code, reason);
    assert.equal(response.json().field, field, reason);
  }
  assert.deepEqual((await sendRequest(service, 'GET', `/v1/tokens/${id}`)).json(), before);
});

test('201: values at the limits are accepted', async (t) => {
  const service = await openTestServer(t);
  for (const change of [
    { origins: manyOrigins(20) },
    { name: 'a'.repeat(200) },
    { name: '🪑'.repeat(200) },
    { expiresAt: null, designs: null },
    { expiresAt: '2999-01-01T00:00Z' },
    { expiresAt: '9999-12-31T23:59:59.999Z' },
    { expiresAt: '2028-02-29T12:00:00.123456789+14:00' },
    { capabilities: ['read'], origins: [] },
    { capabilities: ['write', 'read', 'embed'], origins: undefined },
  ]) {
    const response = await sendRequest(service, 'POST', '/v1/tokens', {
      ...CREATE_TOKEN_REQUEST,
      ...change,
    });
    assert.equal(response.statusCode, 201, response.body);
  }
});
