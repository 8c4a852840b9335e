import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { problems } from '@cloche/contract/problem';
import { openTestServer } from '../../testing/harness.ts';

const PATHS = [
  '',
  '/install',
  '/configure',
  '/designs',
  '/uploads',
  '/embed',
  '/problems',
  '/security',
  '/api',
].map((path) => `/docs${path}`);
const BROWSER_ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function openDocs(t: TestContext) {
  const { app } = await openTestServer(t);
  return (url: string, headers = {}) =>
    app.inject({ url, headers: { host: 'cloche.test', ...headers } });
}

describe('/docs', () => {
  for (const path of PATHS) {
    it(`200: ${path}, without inline code and under a strict policy`, async (t) => {
      const get = await openDocs(t);
      const page = await get(path, { accept: BROWSER_ACCEPT });
      assert.equal(page.statusCode, 200);
      assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
      assert.match(String(page.headers['content-security-policy']), /^default-src 'none';/);
      assert.doesNotMatch(page.body, /<style|style="|<script(?! type="module" src=)|\son\w+="/);
      assert.doesNotMatch(page.body, /(src|href)="(https?:)?\/\/(?!cloche\.test)/);
      assert.match(page.body, /<h1>[^<]+<\/h1>/);
      assert.match(page.body, / aria-current="page"/);
    });
  }

  it('has no link or asset that leads nowhere', async (t) => {
    const get = await openDocs(t);
    for (const path of PATHS) {
      const { body } = await get(path);
      const links = [...body.matchAll(/(?:href|src)="(\/[^"#]*)(?:#([^"]*))?"/g)];
      for (const [, target = '', id] of links) {
        const found = await get(target);
        assert.equal(found.statusCode, 200, `${path} links to ${target}`);
        if (id !== undefined) assert.ok(found.body.includes(`id="${id}"`), `${target}#${id}`);
      }
    }
  });

  it('has a place to jump to for every problem', async (t) => {
    const { body } = await (await openDocs(t))('/docs/problems');
    for (const code of Object.keys(problems)) assert.ok(body.includes(`<h2 id="${code}">`), code);
  });

  it('names the service by its own address', async (t) => {
    const { body } = await (await openDocs(t))('/docs');
    assert.ok(body.includes('curl http://cloche.test/embed/iframe/v1'));
    assert.ok(!body.includes('cloche.example.com'));
  });

  it('304: for those who have the page', async (t) => {
    const get = await openDocs(t);
    const { etag } = (await get('/docs')).headers;
    const again = await get('/docs', { 'if-none-match': `W/${etag}` });
    assert.equal(again.statusCode, 304);
  });

  it('308: /docs/ is /docs', async (t) => {
    const answer = await (await openDocs(t))('/docs/');
    assert.deepEqual([answer.statusCode, answer.headers.location], [308, '/docs']);
  });

  it('404: no other file of the folder', async (t) => {
    const get = await openDocs(t);
    for (const path of ['/docs/decisions', '/docs/start', '/docs/assets/../routes.ts']) {
      assert.equal((await get(path)).statusCode, 404, path);
    }
  });
});

it('302: whoever opens the address of the service finds its docs', async (t) => {
  const { app } = await openTestServer(t);
  const answer = await app.inject({
    url: '/',
    headers: { host: 'cloche.test', accept: 'text/html' },
  });
  assert.equal(answer.statusCode, 302);
  assert.equal(answer.headers.location, '/docs');
});
