import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import { HOST_HEADER, issueToken, SHOP_ORIGIN, uploadTestDesign } from '../../testing/requests.ts';

// Whatever is asked, by whomever, however it ends.
const FORBIDDEN =
  /^(set-cookie|x-frame-options|access-control-.*|server|x-powered-by|via|refresh)$/;

test('no answer sets a cookie, opens itself to other origins, or forbids framing', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { id, token } = await issueToken(service);
  const urls = [
    ...['/', '/livez', '/readyz', '/nothing', '/%zz', '/v1/tokens', `/v1/tokens/${id}`],
    ...['/v1/designs', `/v1/designs/${design.id}`, `/v1/designs/${design.id}/model`],
    ...[`/embed/iframe/v1/${design.id}?token=${token}`, '/embed/iframe/v1/x'],
    ...[`/embed/assets/${'0'.repeat(64)}.glb`, '/embed/viewer/viewer-1.js', '/embed/iframe/v1'],
  ];
  const askers: Record<string, string>[] = [
    {},
    { authorization: `Bearer ${service.token}` },
    { 'sec-fetch-dest': 'iframe', referer: `${SHOP_ORIGIN}/` },
    { origin: SHOP_ORIGIN, 'access-control-request-method': 'POST' },
    { origin: 'null', cookie: 'session=1' },
    { origin: 'http://cloche.test' },
  ];
  for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE'] as const) {
    for (const url of method === 'DELETE' ? ['/v1/tokens/none'] : urls) {
      for (const headers of askers) {
        const answer = await service.app.inject({
          method,
          url,
          headers: { ...HOST_HEADER, ...headers },
        });
        const found = Object.keys(answer.headers).filter((name) => FORBIDDEN.test(name));
        assert.deepEqual(found, [], `${method} ${url} ${JSON.stringify(headers)}`);
        const sniffed = answer.statusCode >= 400 || url.startsWith('/embed');
        if (sniffed) assert.equal(answer.headers['x-content-type-options'], 'nosniff', url);
      }
    }
  }
});

test('nothing of the API is kept in a cache', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { id } = await issueToken(service);
  const headers = { ...HOST_HEADER, authorization: `Bearer ${service.token}` };
  const urls = ['/v1/tokens', `/v1/tokens/${id}`, '/v1/designs', `/v1/designs/${design.id}`];
  for (const url of urls) {
    const answer = await service.app.inject({ url, headers });
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['cache-control'], 'no-store', url);
  }
  for (const url of urls) {
    const answer = await service.app.inject({ url, headers: HOST_HEADER });
    assert.equal(answer.statusCode, 401);
    assert.equal(answer.headers['cache-control'], 'no-store', url);
  }
});
