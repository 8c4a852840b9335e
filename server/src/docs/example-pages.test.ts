import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import { HOST_HEADER } from '../../testing/requests.ts';
import {
  EXAMPLE_EMBED_PATH,
  EXAMPLE_NAMES,
  EXAMPLES_FOLDER,
  readExamplePage,
} from './example-pages.ts';

async function openDocs(t: TestContext) {
  const { app } = await openTestServer(t);
  return (url: string, headers: Record<string, string> = {}) =>
    app.inject({ url, headers: { ...HOST_HEADER, ...headers } });
}

describe('the example pages', () => {
  it('are all in the list', () => {
    const files = readdirSync(EXAMPLES_FOLDER).filter((name) => name.endsWith('.html'));
    assert.deepEqual(files.toSorted(), EXAMPLE_NAMES.map((name) => `${name}.html`).toSorted());
  });

  for (const name of EXAMPLE_NAMES) {
    it(`${name} loads only from the service, and has a design to replace`, () => {
      const { title, description, html } = readExamplePage(name, 'https://cloche.test');
      assert.ok(title !== '' && description !== '');
      assert.ok(html.includes(`https://cloche.test${EXAMPLE_EMBED_PATH}`), 'the embed');
      const hosts = [...html.matchAll(/\bhttps?:\/\/[^/'"\s]+/g)].map(([origin]) => origin);
      assert.deepEqual([...new Set(hosts)], ['https://cloche.test']);
    });
  }
});

describe('/docs/examples', () => {
  it('200: each page as text, with the public URL of the service', async (t) => {
    const { body } = await (await openDocs(t))('/docs/examples');
    for (const name of EXAMPLE_NAMES) assert.ok(body.includes(`<section id="${name}"`), name);
    assert.equal(body.split('&lt;!doctype html&gt;').length - 1, EXAMPLE_NAMES.length);
    assert.ok(body.includes('src=&quot;http://cloche.test/sdk/v1/cloche.js&quot;'));
  });

  it('200: the document of the results can be framed by pages of this service only', async (t) => {
    const { statusCode, headers } = await (await openDocs(t))('/docs/examples/result');
    assert.equal(statusCode, 200);
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'unsafe-inline' 'self' http://cloche.test; style-src 'unsafe-inline'; img-src 'self' http://cloche.test data: blob:; frame-src 'self' http://cloche.test data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'",
    );
  });

  it('200: the files of the examples, for any page', async (t) => {
    const get = await openDocs(t);
    for (const name of ['react.mjs', 'table.webp', 'sample.glb']) {
      const file = await get(`/docs/examples/files/${name}`, { origin: 'null' });
      assert.equal(file.statusCode, 200);
      assert.equal(file.headers['access-control-allow-origin'], '*');
      assert.equal(file.headers['cross-origin-resource-policy'], 'cross-origin');
    }
    const html = await get('/docs/examples/files/gallery.html', { accept: 'application/json' });
    assert.equal(html.statusCode, 404);
  });
});
