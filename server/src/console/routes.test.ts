import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';

const BROWSER_ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function openConsole(t: TestContext, publicUrl = 'http://cloche.test') {
  const { app } = await openTestServer(t, { publicUrl });
  return (url: string, headers: Record<string, string> = {}) =>
    app.inject({ url, headers: { host: new URL(publicUrl).host, ...headers } });
}

describe('/', () => {
  for (const accept of [BROWSER_ACCEPT, '*/*', 'text/html', 'application/json, text/plain, */*']) {
    it(`302: leads to the console for Accept: ${accept}`, async (t) => {
      const { statusCode, headers } = await (await openConsole(t))('/', { accept });
      assert.equal(statusCode, 302);
      assert.equal(headers.location, 'http://cloche.test/console');
      assert.equal(headers.vary, 'accept');
    });
  }

  it('200: two links for a program that accepts only JSON', async (t) => {
    const get = await openConsole(t);
    const response = await get('/', { accept: 'application/json' });
    assert.deepEqual(response.json(), {
      openapi: 'http://cloche.test/openapi.json',
      docs: 'http://cloche.test/docs',
    });
    for (const link of Object.values(response.json())) {
      const target = await get(String(link).replace('http://cloche.test', ''));
      assert.equal(target.statusCode, 200);
    }
  });
});

describe('/console', () => {
  for (const path of ['/console', '/console/', '/console/designs/1?q=a']) {
    it(`200: the page at ${path}`, async (t) => {
      const { statusCode, headers, body } = await (await openConsole(t))(path);
      assert.equal(statusCode, 200);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      assert.ok(body.includes('<title>Cloche</title>'));
      assert.equal(headers.vary, 'accept-encoding');
    });
  }

  it('200: a policy without inline code, other hosts and frames around the page', async (t) => {
    const { headers } = await (await openConsole(t))('/console');
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    );
  });

  it('302: another loopback name redirects to the public URL, where sessions work', async (t) => {
    const get = await openConsole(t, 'http://localhost:8787');
    const response = await get('/console', { host: '127.0.0.1:8787' });
    assert.equal(response.statusCode, 302);
    assert.equal(response.headers.location, 'http://localhost:8787/console');
    assert.equal((await get('/console', { host: 'LOCALHOST:8787' })).statusCode, 200);
  });
});

describe('/console/assets/{file}', () => {
  it('200: a file, which browsers may keep', async (t) => {
    const { statusCode, headers } = await (await openConsole(t))('/console/assets/console-1.js');
    assert.equal(statusCode, 200);
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
  });

  it('404: no other file', async (t) => {
    const get = await openConsole(t);
    for (const path of ['none.js', '..%2Findex.html', 'index.html', '']) {
      assert.equal((await get(`/console/assets/${path}`)).statusCode, 404, path);
    }
  });
});
