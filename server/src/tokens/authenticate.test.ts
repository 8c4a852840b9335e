import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProblemCode } from '@cloche/contract/problem';
import { openTestServer } from '../../testing/harness.ts';
import { HOST_HEADER, sendRequest } from '../../testing/requests.ts';
import { generateTokenString } from './token-string.ts';

test('200: Sec-Fetch-Mode is not a sign of a browser, because Node sends it', async (t) => {
  const service = await openTestServer(t);
  const headers = { 'sec-fetch-mode': 'cors' };
  const response = await sendRequest(service, 'GET', '/v1/tokens', undefined, headers);
  assert.equal(response.statusCode, 200);
});

test('401: the problem of a missing or invalid Authorization header', async (t) => {
  const { app, token } = await openTestServer(t);
  const rows: [header: string | undefined, code: ProblemCode][] = [
    [undefined, 'token.missing'],
    ['', 'token.missing'],
    ['Bearer', 'token.missing'],
    ['Bearer ', 'token.missing'],
    [token, 'token.missing'],
    [`Basic ${token}`, 'token.missing'],
    [`Bearer ${token} ${token}`, 'token.missing'],
    ['Bearer hello', 'token.malformed'],
    [`Bearer ${token.slice(0, -1)}`, 'token.malformed'],
    [`Bearer ${token}x`, 'token.malformed'],
    [`Bearer "${token}"`, 'token.malformed'],
    [`Bearer ${generateTokenString('secret')}`, 'token.unknown'],
  ];
  for (const [authorization, code] of rows) {
    const response = await app.inject({
      url: '/v1/tokens',
      headers: { ...HOST_HEADER, ...(authorization !== undefined && { authorization }) },
    });
    assert.equal(response.statusCode, 401, authorization);
    assert.equal(response.json().code, code, authorization);
    assert.equal(response.headers['www-authenticate'], 'Bearer realm="Cloche"');
  }
});

test('200: the scheme Bearer is case-insensitive', async (t) => {
  const { app, token } = await openTestServer(t);
  for (const authorization of [`bearer ${token}`, `BEARER   ${token}`]) {
    const response = await app.inject({
      url: '/v1/tokens',
      headers: { ...HOST_HEADER, authorization },
    });
    assert.equal(response.statusCode, 200, authorization);
  }
});
