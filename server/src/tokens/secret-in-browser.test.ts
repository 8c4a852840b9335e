import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import { issueToken, SHOP_ORIGIN, sendRequest } from '../../testing/requests.ts';

test('403: a secret token in a browser is refused, recorded and logged', async (t) => {
  const service = await openTestServer(t);
  const { id, token } = await issueToken(service, { capabilities: ['read'], origins: [] });
  const before = (await sendRequest(service, 'GET', `/v1/tokens/${id}`)).json();
  assert.equal(before.seenInBrowserAt, null);

  const browserHeaders = { origin: SHOP_ORIGIN };
  const response = await sendRequest(
    { ...service, token },
    'GET',
    '/v1/tokens',
    undefined,
    browserHeaders,
  );
  assert.equal(response.statusCode, 403);
  assert.equal(response.json().code, 'token.secret-in-browser');
  assert.match(response.json().detail, /Revoke it/);

  const after = (await sendRequest(service, 'GET', `/v1/tokens/${id}`)).json();
  assert.ok(Math.abs(Date.parse(after.seenInBrowserAt) - Date.now()) < 60_000);
  assert.equal(after.lastUsedAt, null, 'a refused request does not count as use');
  const line = service.logLines.find((text) => text.includes('used in a browser')) ?? '';
  assert.equal(JSON.parse(line).level, 'warn');
  assert.equal(JSON.parse(line).tokenId, id);
  assert.ok(!service.logLines.join('').includes(token.slice(10, 42)));
});
