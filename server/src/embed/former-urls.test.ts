import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRANT_HEADER } from '@cloche/contract/viewer-config';
import { openTestServer } from '../../testing/harness.ts';
import { issueToken, SHOP_ORIGIN, sendRequest, uploadTestDesign } from '../../testing/requests.ts';

const FORMER_ORIGINS = ['https://old.example', 'http://older.example:8787'];
const FORMER_HOSTS = FORMER_ORIGINS.map((origin) => new URL(origin).host);

async function openMovedServer(t: Parameters<typeof openTestServer>[0]) {
  const service = await openTestServer(t, { formerOrigins: FORMER_ORIGINS });
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const path = `/embed/iframe/v1/${design.id}?token=${token}`;
  const get = (url: string, headers: Record<string, string>) =>
    service.app.inject({ url, headers });
  const openEmbed = (host: string, headers: Record<string, string> = {}) =>
    get(path, { host, referer: `${SHOP_ORIGIN}/`, 'sec-fetch-dest': 'iframe', ...headers });
  return { service, design, path, get, openEmbed };
}

for (const host of [...FORMER_HOSTS, 'OLD.example', 'old.example:443']) {
  test(`200: an embed with the former host ${host} is shown, with its artifacts and scripts`, async (t) => {
    const { get, openEmbed } = await openMovedServer(t);
    const response = await openEmbed(host);
    assert.equal(response.statusCode, 200);
    const [, json = ''] = /id="viewer-config">(.*?)<\/script>/.exec(response.body) ?? [];
    const { model, grant } = JSON.parse(json);
    assert.match(model.url, /^\/embed\//, 'relative: of the same origin as the document');
    const headers = { host, 'sec-fetch-site': 'same-origin', [GRANT_HEADER]: grant };
    assert.equal((await get(model.url, headers)).statusCode, 200);
    assert.equal((await get('/embed/viewer/viewer-1.js', { host })).statusCode, 200);
  });
}

test('the gate is the same for a former host', async (t) => {
  const { openEmbed, path } = await openMovedServer(t);
  const [host = ''] = FORMER_HOSTS;
  const rows: [headers: Record<string, string>, status: number][] = [
    [{ referer: 'https://evil.example/' }, 403],
    [{ referer: 'https://old.example/' }, 403],
    [{ 'sec-fetch-dest': 'document' }, 403],
    // The document reloads itself.
    [{ referer: `https://old.example${path}` }, 200],
    [{ referer: `http://old.example${path}` }, 403],
    [{ referer: `http://cloche.test${path}` }, 403],
  ];
  for (const [headers, status] of rows) {
    assert.equal((await openEmbed(host, headers)).statusCode, status, JSON.stringify(headers));
  }
});

test('an artifact is served to a page of the same host only', async (t) => {
  const { get, openEmbed } = await openMovedServer(t);
  const { body } = await openEmbed('old.example');
  const { model, grant } = JSON.parse(/id="viewer-config">(.*?)<\/script>/.exec(body)?.[1] ?? '');
  const rows: [host: string, origin: string, status: number][] = [
    ['old.example', 'https://old.example', 200],
    ['old.example', 'http://old.example', 403],
    ['old.example', 'http://cloche.test', 403],
    ['old.example', 'http://older.example:8787', 403],
    ['cloche.test', 'https://old.example', 403],
    ['cloche.test', 'http://cloche.test', 200],
  ];
  for (const [host, origin, status] of rows) {
    const response = await get(model.url, { host, origin, [GRANT_HEADER]: grant });
    assert.equal(response.statusCode, status, `${origin} on ${host}`);
  }
});

test('421: a former host serves nothing but existing embeds, and names the new address', async (t) => {
  const { service, get } = await openMovedServer(t);
  const { paths } = (await sendRequest(service, 'GET', '/openapi.json')).json();
  const served = [
    '/embed/iframe/v1/{designId}',
    '/embed/assets/{file}',
    '/share/{designId}',
    '/share/{designId}/{file}',
    '/embed/share/v1/{designId}',
    '/oembed',
    '/livez',
    '/readyz',
  ];
  for (const path of served) assert.ok(path in paths, path);
  const refused = ['/', '/docs', '/openapi.json', '/nothing', ...Object.keys(paths)].filter(
    (path) => !served.includes(path),
  );
  for (const path of refused) {
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      const headers = { host: 'old.example' };
      const response = await sendRequest(service, method, path, undefined, headers);
      assert.equal(response.statusCode, 421, `${method} ${path}`);
      assert.match(
        response.json().detail,
        /serves only existing embeds\. Use http:\/\/cloche\.test/,
      );
    }
  }
  const unknown = await get('/embed/viewer/viewer-1.js', { host: 'evil.example' });
  assert.equal(unknown.statusCode, 421);
  assert.doesNotMatch(unknown.json().detail, /cloche\.test/);
});

test('new HTML has the new address', async (t) => {
  const { service, design } = await openMovedServer(t);
  const body = { uri: design.uri };
  const { body: html } = await sendRequest(service, 'POST', '/embed/iframe/v1', body);
  assert.match(html, /src="http:\/\/cloche\.test\/embed\//);
});
