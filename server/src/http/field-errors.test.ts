import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProblemDetails } from '@cloche/contract/problem';
import { openTestServer } from '../../testing/harness.ts';
import {
  CREATE_TOKEN_REQUEST,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
} from '../../testing/requests.ts';

const createToken = async (service: Awaited<ReturnType<typeof openTestServer>>, body: object) => {
  const response = await sendRequest(service, 'POST', '/v1/tokens', body);
  assert.equal(response.statusCode, 400, response.body);
  return response.json() as ProblemDetails;
};

test('400: the errors of all fields at once; the problem describes the first', async (t) => {
  const service = await openTestServer(t);
  const problem = await createToken(service, {
    capabilities: 'embed',
    origins: ['https://shop.example', '*', 'https://shop.example/', 5],
    type: 'app',
    user: '~',
    name: 'two\nlines',
    designs: ['x'],
    expiresAt: 'tomorrow',
    colour: 'red',
  });
  const { errors = [], ...first } = problem;
  assert.deepEqual(
    errors.map(({ field, code, reason }) => [field, code, reason]),
    [
      ['colour', 'request.invalid', undefined],
      ['capabilities', 'request.invalid', undefined],
      ['origins[1]', 'origin.invalid', 'missing-scheme'],
      ['origins[2]', 'origin.invalid', 'trailing-slash'],
      ['origins[3]', 'request.invalid', undefined],
      ['type', 'request.invalid', undefined],
      ['name', 'request.invalid', undefined],
      ['designs[0]', 'request.invalid', undefined],
      ['expiresAt', 'request.invalid', undefined],
    ],
  );
  const { field, code, detail } = first;
  assert.deepEqual({ field, code, detail }, errors[0]);
  for (const { field, detail, code } of errors)
    assert.ok(code === 'origin.invalid' || detail.startsWith(`${field}: `), detail);
});

test('400: one error has no list', async (t) => {
  const problem = await createToken(await openTestServer(t), { ...CREATE_TOKEN_REQUEST, x: 1 });
  assert.equal(problem.field, 'x');
  assert.equal(problem.errors, undefined);
});

test('400: a misspelled field, with the field that was probably meant', async (t) => {
  const service = await openTestServer(t);
  const { capabilities, origins, ...rest } = CREATE_TOKEN_REQUEST;
  const cases: [body: object, detail: RegExp][] = [
    [{ capabilities, ...rest, origin: origins }, /^origin: .*did you mean "origins"\?/],
    [{ origins, ...rest, capability: [] }, /^capability: .*did you mean "capabilities"\?/],
    [{ ...CREATE_TOKEN_REQUEST, expires_at: null }, /^expires_at: .*did you mean "expiresAt"\?/],
    // Not a field that is in the request already: sending it twice would be refused.
    [{ ...CREATE_TOKEN_REQUEST, origin: '*' }, /^origin: .*; its fields are capabilities, /],
  ];
  for (const [body, detail] of cases)
    assert.match((await createToken(service, body)).detail, detail);
  const list = await sendRequest(service, 'GET', '/v1/tokens?limti=5&cursr=x');
  assert.deepEqual(
    list.json().errors.map(({ detail }: { detail: string }) => detail),
    [
      'query.limti: is not a field of this request (did you mean "limit"?).',
      'query.cursr: is not a field of this request (did you mean "cursor"?).',
    ],
  );
});

test('400: the number of errors in a response is limited, and so is the work', async (t) => {
  const service = await openTestServer(t);
  const count = async (body: object) => {
    const response = await sendRequest(service, 'POST', '/embed/iframe/v1', body);
    assert.equal(response.statusCode, 400, response.body);
    return (response.json() as ProblemDetails).errors?.length ?? 1;
  };
  const fields = (length: number) =>
    Object.fromEntries(Array.from({ length }, (_, index) => [`field${index}`, index]));
  assert.equal(await count(fields(50)), 51);
  assert.equal(await count(fields(150)), 100);
  // Only the first error is collected for a body with very many values.
  assert.equal(await count({ uri: Array(400_000).fill(1), x: 1 }), 1);
});

test('400: numbers in a query are written as in JSON, without an exponent', async (t) => {
  const service = await openTestServer(t);
  const invalid = ['1e1', '1e309', '-1e309', '%2B5', '%205', '5%20', '05', '5.0', '0x5', '5.', ''];
  for (const text of [...invalid, 'Infinity', 'NaN', '٥', '99999999999999999999', '0', '201']) {
    for (const path of ['/v1/tokens', '/v1/designs']) {
      const response = await sendRequest(service, 'GET', `${path}?limit=${text}`);
      assert.equal(response.statusCode, 400, `${path}?limit=${text}`);
      assert.equal(response.json().field, 'query.limit');
    }
  }
  const repeated = await sendRequest(service, 'GET', '/v1/tokens?limit=5&limit=5');
  assert.equal(repeated.statusCode, 400);
  const valid = await sendRequest(service, 'GET', '/v1/tokens?limit=5');
  assert.equal(valid.statusCode, 200);
});

test('400: rules between fields are checked together too', async (t) => {
  const problem = await createToken(await openTestServer(t), {
    ...CREATE_TOKEN_REQUEST,
    user: 'usr_other',
    origins: [],
    expiresAt: '2020-01-01T00:00:00Z',
  });
  assert.deepEqual(
    problem.errors?.map(({ field }) => field),
    ['user', 'expiresAt', 'origins'],
  );
});

test('403: every field that exceeds the scope of the caller', async (t) => {
  const { app, token: bootstrapToken } = await openTestServer(t);
  const scope = { capabilities: ['read', 'write'], expiresAt: '2100-01-01T00:00:00Z' };
  const { token } = await issueToken({ app, token: bootstrapToken }, scope);
  const excess = {
    capabilities: ['read', 'embed'],
    origins: [SHOP_ORIGIN],
    type: 'api',
    user: '~',
  };
  const headers = { origin: SHOP_ORIGIN };
  const response = await sendRequest({ app, token }, 'POST', '/v1/tokens', excess, headers);
  assert.equal(response.statusCode, 403, response.body);
  assert.deepEqual(
    response.json().errors.map(({ field }: { field: string }) => field),
    ['capabilities', 'expiresAt'],
  );
});
