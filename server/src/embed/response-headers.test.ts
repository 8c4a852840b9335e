import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import { HOST_HEADER, issueToken, SHOP_ORIGIN, uploadTestDesign } from '../../testing/requests.ts';

// Headers that no response may have.
const FORBIDDEN =
  /^(set-cookie|x-frame-options|access-control-allow-credentials|server|x-powered-by|via|refresh)$/;

test('no response sets a cookie, allows the cookies of other origins, or forbids framing', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { id, token } = await issueToken(service);
  const urls = [
    ...['/', '/livez', '/readyz', '/nothing', '/%zz', '/v1/tokens', `/v1/tokens/${id}`],
    ...['/v1/designs', `/v1/designs/${design.id}`, `/v1/designs/${design.id}/model`],
    ...[`/embed/iframe/v1/${design.id}?token=${token}`, '/embed/iframe/v1/x'],
    ...[`/embed/assets/${'0'.repeat(64)}.glb`, '/embed/viewer/viewer-1.js', '/embed/iframe/v1'],
  ];
  const requestHeaders: Record<string, string>[] = [
    {},
    { authorization: `Bearer ${service.token}` },
    { 'sec-fetch-dest': 'iframe', referer: `${SHOP_ORIGIN}/` },
    { origin: SHOP_ORIGIN, 'access-control-request-method': 'POST' },
    { origin: 'null', cookie: 'session=1' },
    { origin: 'http://cloche.test' },
  ];
  for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE'] as const) {
    for (const url of method === 'DELETE' ? ['/v1/tokens/none'] : urls) {
      for (const headers of requestHeaders) {
        const response = await service.app.inject({
          method,
          url,
          headers: { ...HOST_HEADER, ...headers },
        });
        const found = Object.keys(response.headers).filter((name) => FORBIDDEN.test(name));
        assert.deepEqual(found, [], `${method} ${url} ${JSON.stringify(headers)}`);
        const needsNosniff = response.statusCode >= 400 || url.startsWith('/embed');
        if (needsNosniff) assert.equal(response.headers['x-content-type-options'], 'nosniff', url);
      }
    }
  }
});

test('200 and 401: no response of the API is cached', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { id } = await issueToken(service);
  const headers = { ...HOST_HEADER, authorization: `Bearer ${service.token}` };
  const urls = ['/v1/tokens', `/v1/tokens/${id}`, '/v1/designs', `/v1/designs/${design.id}`];
  for (const url of urls) {
    const response = await service.app.inject({ url, headers });
    assert.equal(response.statusCode, 200);
    assert.equal(response.headers['cache-control'], 'no-store', url);
  }
  for (const url of urls) {
    const response = await service.app.inject({ url, headers: HOST_HEADER });
    assert.equal(response.statusCode, 401);
    assert.equal(response.headers['cache-control'], 'no-store', url);
  }
});
