import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { generateTokenString } from './token-string.ts';

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

test('403: a secret token in the URL of an embed is refused, recorded and logged', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const secret = { capabilities: ['read', 'embed'], origins: [SHOP_ORIGIN] };
  const { id, token } = await issueToken(service, secret);
  const revoked = await issueToken(service, secret);
  await sendRequest(service, 'DELETE', `/v1/tokens/${revoked.id}`);
  const open = (text: string) =>
    service.app.inject({
      url: `/embed/iframe/v1/${design.id}?token=${text}`,
      headers: {
        ...HOST_HEADER,
        accept: 'application/json',
        'sec-fetch-dest': 'iframe',
        referer: `${SHOP_ORIGIN}/`,
      },
    });
  for (const text of [token, revoked.token, generateTokenString('secret')]) {
    const response = await open(text);
    assert.equal(response.statusCode, 403);
    assert.equal(response.json().code, 'embed.secret-token');
  }
  const { seenInBrowserAt, lastUsedAt } = (
    await sendRequest(service, 'GET', `/v1/tokens/${id}`)
  ).json();
  assert.ok(Math.abs(Date.parse(seenInBrowserAt) - Date.now()) < 60_000);
  assert.equal(lastUsedAt, null, 'a refused request does not count as use');
  const lines = service.logLines.filter((text) => text.includes('used in a browser'));
  assert.deepEqual(
    lines.map((line) => {
      const { level, tokenId, origin } = JSON.parse(line);
      return { level, tokenId, origin };
    }),
    [{ level: 'warn', tokenId: id, origin: SHOP_ORIGIN }],
  );
  assert.ok(!service.logLines.join('').includes(token.slice(10, 42)));
});
