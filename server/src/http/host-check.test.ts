import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';

test('421: no route serves requests for another host', async (t) => {
  const { app, token } = await openTestServer(t);
  for (const url of ['/v1/tokens', '/embed/iframe/v1/x', '/openapi.json', '/nothing']) {
    for (const host of ['evil.example', 'cloche.test.evil.example', 'cloche.test:8080', '']) {
      const headers = { host, authorization: `Bearer ${token}` };
      const response = await app.inject({ url, headers });
      assert.equal(response.statusCode, 421, `${url} for ${host}`);
    }
  }
  const upperCase = { host: 'CLOCHE.test', authorization: `Bearer ${token}` };
  assert.equal((await app.inject({ url: '/v1/tokens', headers: upperCase })).statusCode, 200);
});

test('200: health checks are served for any host name', async (t) => {
  const { app } = await openTestServer(t);
  for (const url of ['/livez', '/readyz']) {
    const response = await app.inject({ url, headers: { host: '10.0.0.7:8787' } });
    assert.equal(response.statusCode, 200);
    assert.equal(response.json().ok, true);
  }
});
