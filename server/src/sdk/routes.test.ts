import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';

async function openSdk(t: TestContext) {
  const { app } = await openTestServer(t, { formerOrigins: ['http://former.test'] });
  return (file: string, headers: Record<string, string> = {}) =>
    app.inject({ url: `/sdk/v1/${file}`, headers: { host: 'cloche.test', ...headers } });
}

describe('/sdk/v1/{file}', () => {
  for (const file of ['cloche.js', 'cloche.mjs']) {
    it(`200: pages of any site may load ${file}`, async (t) => {
      const get = await openSdk(t);
      const { statusCode, headers } = await get(file, { origin: 'https://shop.example' });
      assert.equal(statusCode, 200);
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
      assert.equal(headers['access-control-allow-origin'], '*');
      assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
      assert.equal(headers['x-content-type-options'], 'nosniff');
    });
  }

  it('200: browsers keep it for minutes, because a release changes it', async (t) => {
    const { headers } = await (await openSdk(t))('cloche.js');
    assert.equal(headers['cache-control'], 'public, max-age=300, stale-while-revalidate=86400');
  });

  it('304: it has not changed; modules need the CORS header here, too', async (t) => {
    const get = await openSdk(t);
    const { etag } = (await get('cloche.mjs')).headers;
    const { statusCode, headers } = await get('cloche.mjs', { 'if-none-match': String(etag) });
    assert.equal(statusCode, 304);
    assert.equal(headers['access-control-allow-origin'], '*');
  });

  for (const [accepted, encoding] of [
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['identity', undefined],
  ] as const) {
    it(`200: Accept-Encoding: ${accepted} is answered with ${encoding ?? 'no encoding'}`, async (t) => {
      const get = await openSdk(t);
      const { headers } = await get('cloche.js', { 'accept-encoding': accepted });
      assert.equal(headers['content-encoding'], encoding);
      assert.match(String(headers.vary), /accept-encoding/);
    });
  }

  it('200: at a former address of the service', async (t) => {
    const { statusCode } = await (await openSdk(t))('cloche.js', { host: 'former.test' });
    assert.equal(statusCode, 200);
  });

  it('404: no other file', async (t) => {
    const get = await openSdk(t);
    for (const file of ['index.js', 'cloche.js.br', '..%2Fassets%2Fcloche.js', '']) {
      assert.equal((await get(file)).statusCode, 404, file);
    }
  });
});
