import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  openServerDatabase,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';

test('403: a secret token in a browser is refused, recorded, and told of in the log', async (t) => {
  const service = await openTestServer(t);
  const { id, token } = await issueToken(service, { capabilities: ['read'], origins: [] });
  const before = (await sendRequest(service, 'GET', `/v1/tokens/${id}`)).json();
  assert.equal(before.seenInBrowserAt, null);

  const inBrowser = { origin: SHOP_ORIGIN };
  const answer = await sendRequest(
    { ...service, token },
    'GET',
    '/v1/tokens',
    undefined,
    inBrowser,
  );
  assert.equal(answer.statusCode, 403);
  assert.equal(answer.json().code, 'token.secret-in-browser');
  assert.match(answer.json().detail, /Revoke it/);

  const view = (await sendRequest(service, 'GET', `/v1/tokens/${id}`)).json();
  assert.ok(Math.abs(Date.parse(view.seenInBrowserAt) - Date.now()) < 60_000);
  assert.equal(view.lastUsedAt, null, 'a refused request is no use');
  const line = service.logLines.find((one) => one.includes('used in a browser')) ?? '';
  assert.equal(JSON.parse(line).level, 'warn');
  assert.equal(JSON.parse(line).token, id);
  assert.ok(!service.logLines.join('').includes(token.slice(10, 42)));
});

test('the use of a token is noted, by the API and by an embed, and outlives a stop', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const reader = await issueToken(service, { capabilities: ['read'], origins: [] });
  const shown = await issueToken(service);
  service.advanceTime(60_000);
  await sendRequest({ ...service, token: reader.token }, 'GET', '/v1/designs');
  await service.app.inject({
    url: `/embed/iframe/v1/${design.id}?token=${shown.token}`,
    headers: { ...HOST_HEADER, referer: `${SHOP_ORIGIN}/`, 'sec-fetch-dest': 'iframe' },
  });
  for (const { id, createdAt } of [reader, shown]) {
    const { lastUsedAt } = (await sendRequest(service, 'GET', `/v1/tokens/${id}`)).json();
    assert.ok(Date.parse(lastUsedAt) - Date.parse(createdAt) >= 60_000, lastUsedAt);
  }
  const database = openServerDatabase(t, service);
  const read = () => database.prepare('SELECT last_used_at FROM token WHERE id = ?').get(shown.id);
  assert.equal(read()?.last_used_at, null, 'not a write for each request');
  await service.app.close();
  assert.notEqual(read()?.last_used_at, null);
});

test('at rest, no file of the service holds a token string', async (t) => {
  const service = await openTestServer(t);
  const made = [service.token];
  for (const capabilities of [['embed'], ['read', 'write']]) {
    for (const key of [undefined, 'key-1', 'key-2']) {
      const wish = {
        capabilities,
        origins: [SHOP_ORIGIN],
        type: 'api',
        user: '~',
        name: key ?? 'none',
      };
      const headers = { ...(key && { 'idempotency-key': key + capabilities.length }) };
      const answer = await sendRequest(service, 'POST', '/v1/tokens', wish, headers);
      assert.equal(answer.statusCode, 201);
      made.push(answer.json().token);
    }
  }
  await uploadTestDesign(service);
  const files = await readdir(service.dataDirectory, { recursive: true, withFileTypes: true });
  const bytes = await Promise.all(
    files.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name))),
  );
  const whole = Buffer.concat(bytes);
  assert.ok(files.some(({ name }) => name.endsWith('-wal')));
  assert.ok(whole.includes('first token'), 'the search would find what is there');
  for (const token of made) {
    for (const part of [token, token.slice(10, 42), token.slice(10, 26)]) {
      assert.ok(!whole.includes(part));
      assert.ok(!whole.includes(Buffer.from(part).toString('base64').slice(0, -4)));
      assert.ok(!whole.includes(Buffer.from(part).toString('hex')));
    }
  }
});
