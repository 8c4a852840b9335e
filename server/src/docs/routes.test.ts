import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { problems } from '@cloche/contract/problem';
import { openTestServer } from '../../testing/harness.ts';
import { DOCS_PATHS } from './pages.ts';

const BROWSER_ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function openDocs(t: TestContext) {
  const { app } = await openTestServer(t);
  return (url: string, headers = {}) =>
    app.inject({ url, headers: { host: 'cloche.test', ...headers } });
}

describe('/docs', () => {
  for (const path of DOCS_PATHS) {
    it(`200: ${path}, without inline scripts and styles, with a strict policy`, async (t) => {
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

  it('200: every link and asset exists', async (t) => {
    const get = await openDocs(t);
    for (const path of DOCS_PATHS) {
      const { body } = await get(path);
      const links = [...body.matchAll(/(?:href|src)="(\/[^"#]*)(?:#([^"]*))?"/g)];
      for (const [, target = '', id] of links) {
        const response = await get(target);
        assert.equal(response.statusCode, 200, `${path} links to ${target}`);
        if (id !== undefined) assert.ok(response.body.includes(`id="${id}"`), `${target}#${id}`);
      }
    }
  });

  it('200: the problems page has an anchor for every problem', async (t) => {
    const { body } = await (await openDocs(t))('/docs/problems');
    for (const code of Object.keys(problems)) assert.ok(body.includes(`<h2 id="${code}">`), code);
  });

  it('200: the examples have the public URL of the service', async (t) => {
    const { body } = await (await openDocs(t))('/docs');
    assert.ok(body.includes('curl http://cloche.test/embed/iframe/v1'));
    assert.ok(!body.includes('cloche.example.com'));
  });

  it('304: a page that the client has in its cache', async (t) => {
    const get = await openDocs(t);
    const { etag } = (await get('/docs')).headers;
    const cached = await get('/docs', { 'if-none-match': `W/${etag}` });
    assert.equal(cached.statusCode, 304);
  });

  it('308: /docs/ redirects to /docs', async (t) => {
    const response = await (await openDocs(t))('/docs/');
    assert.deepEqual([response.statusCode, response.headers.location], [308, '/docs']);
  });

  const UNKNOWN_PATHS = [
    '/docs/embedd',
    '/docs/embed/',
    '/docs/a/b',
    '/docs/%3Cscript%3E',
    '/docs/assets/a.js',
  ];
  for (const path of UNKNOWN_PATHS) {
    it(`404: ${path} is a page with the menu in a browser`, async (t) => {
      const page = await (await openDocs(t))(path, { accept: BROWSER_ACCEPT });
      assert.equal(page.statusCode, 404);
      assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
      assert.match(String(page.headers['content-security-policy']), /^default-src 'none';/);
      assert.match(page.body, /<h1>Page not found<\/h1>/);
      assert.match(page.body, /<li><a href="\/docs\/embed">Embed<\/a><\/li>/);
      assert.doesNotMatch(page.body, /aria-current|embedd|script%3E/);
    });
  }

  for (const accept of [
    undefined,
    '*/*',
    'application/json',
    'application/json, text/plain, */*',
  ]) {
    it(`404: an unknown path is a problem with Accept: ${accept}`, async (t) => {
      const response = await (await openDocs(t))('/docs/embedd', accept ? { accept } : {});
      assert.equal(response.statusCode, 404);
      assert.match(String(response.headers['content-type']), /^application\/problem\+json/);
      assert.equal(response.json().code, 'route.unknown');
    });
  }

  it('404: other files of the directory', async (t) => {
    const get = await openDocs(t);
    for (const path of ['/docs/decisions', '/docs/start', '/docs/assets/../routes.ts']) {
      assert.equal((await get(path)).statusCode, 404, path);
    }
  });
});
