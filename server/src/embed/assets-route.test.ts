import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Design } from '@cloche/contract/design';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  openServerDatabase,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { GrantSigner } from './asset-grant.ts';

const UNKNOWN_DESIGN_ID = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
const MINUTE = 60_000;
/** The harness signs with it. */
const GRANT_KEY = Buffer.alloc(32, 7);

/** Opens an embed as a visitor's browser does, and gives what its viewer is told. */
async function openFramedDocument(
  { app }: TestServer,
  design: Design,
  token: string,
): Promise<ViewerConfig> {
  const answer = await app.inject({
    url: `/embed/iframe/v1/${design.id}?token=${token}`,
    headers: { ...HOST_HEADER, 'sec-fetch-dest': 'iframe', referer: `${SHOP_ORIGIN}/` },
  });
  return JSON.parse(/id="viewer-config">(.*)<\/script>$/.exec(answer.body)?.[1] ?? answer.body);
}

async function openEmbed(t: TestContext, mark = 'chair') {
  const service = await openTestServer(t);
  const box = makeBox({ name: mark });
  const design = await uploadTestDesign(service, mark, box);
  const issued = await issueToken(service);
  const framed = await openFramedDocument(service, design, issued.token);
  const load = (headers: Record<string, string> = {}, url = framed.model.url) =>
    service.app.inject({
      url,
      headers: { ...HOST_HEADER, 'cloche-grant': framed.grant, ...headers },
    });
  return { service, box, design, issued, framed, load };
}

test('200: the model, to be kept for ever by this browser and nobody else', async (t) => {
  const { box, framed, load } = await openEmbed(t);
  const answer = await load({ 'sec-fetch-site': 'same-origin', origin: 'http://cloche.test' });
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(answer.rawPayload, box);
  const { date, connection, ...headers } = answer.headers;
  assert.deepEqual(headers, {
    'cache-control': 'private, max-age=31536000, immutable',
    'cross-origin-resource-policy': 'same-origin',
    etag: `"${framed.model.url.slice(14, 78)}"`,
    'accept-ranges': 'bytes',
    'content-type': 'model/gltf-binary',
    'content-length': String(box.length),
    'x-content-type-options': 'nosniff',
  });
});

const foreignPages: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': '' },
  { origin: SHOP_ORIGIN },
  { origin: 'null' },
  { origin: 'https://cloche.test' },
  { origin: 'http://cloche.test.evil.example' },
  { 'sec-fetch-site': 'same-origin', origin: SHOP_ORIGIN },
];

test('403: another page gets no model, not even one the token lists', async (t) => {
  const { load } = await openEmbed(t);
  for (const headers of foreignPages) {
    const answer = await load(headers);
    assert.equal(answer.statusCode, 403, JSON.stringify(headers));
    assert.equal(answer.json().code, 'embed.cross-site');
  }
});

test('403: a grant that was altered anywhere is forged', async (t) => {
  const { framed, load } = await openEmbed(t);
  const parts = framed.grant.split('.');
  const grants = parts.map((part, i) => {
    const altered = (part.startsWith('a') ? 'b' : 'a') + part.slice(1);
    return parts.with(i, altered).join('.');
  });
  const later = (Date.now() + 1000 * MINUTE).toString(36);
  const others = [
    ...[
      '',
      '.',
      '....',
      'hello',
      framed.grant.slice(0, -1),
      `${framed.grant}A`,
      `${framed.grant}=`,
    ],
    ...[parts.slice(0, -1).join('.'), `${parts.slice(0, -1).join('.')}.`],
    parts.with(3, later).join('.'),
    new GrantSigner(Buffer.alloc(32, 8)).sign(
      parts[0] ?? '',
      parts[1] ?? '',
      parts[2] ?? '',
      new Date(),
    ).value,
  ];
  for (const grant of [...grants, ...others]) {
    const answer = await load({ 'cloche-grant': grant });
    assert.equal(answer.statusCode, 403, grant);
    assert.equal(answer.json().code, 'embed.grant', grant);
    assert.equal(answer.json().reason, 'forged', grant);
  }
});

test('403: no grant, and neither the token nor its grant in the address will do', async (t) => {
  const { service, framed, issued } = await openEmbed(t);
  for (const [query, headers] of [
    ['', {}],
    [`?token=${issued.token}`, {}],
    [`?grant=${framed.grant}`, {}],
    ['', { authorization: `Bearer ${issued.token}` }],
    ['', { authorization: `Bearer ${service.token}` }],
  ] as const) {
    const url = framed.model.url + query;
    const answer = await service.app.inject({ url, headers: { ...HOST_HEADER, ...headers } });
    assert.equal(answer.statusCode, 403);
    assert.equal(answer.json().reason, 'missing');
  }
});

test('403: a grant is good for 15 to 30 minutes', async (t) => {
  const { service, load } = await openEmbed(t);
  service.advanceTime(15 * MINUTE - 5000);
  assert.equal((await load()).statusCode, 200);
  service.advanceTime(15 * MINUTE + 5000);
  const answer = await load();
  assert.equal(answer.statusCode, 403);
  assert.equal(answer.json().reason, 'expired');
});

test('401: what ends the token ends its grants', async (t) => {
  const { service, issued, load } = await openEmbed(t);
  const expiresAt = new Date(Date.now() + MINUTE).toISOString();
  await sendRequest(service, 'PATCH', `/v1/tokens/${issued.id}`, { expiresAt });
  assert.equal((await load()).statusCode, 200);
  service.advanceTime(MINUTE + 1);
  assert.equal((await load()).json().code, 'token.expired');
  await sendRequest(service, 'PATCH', `/v1/tokens/${issued.id}`, { expiresAt: null });
  assert.equal((await load()).statusCode, 200);
  await sendRequest(service, 'DELETE', `/v1/tokens/${issued.id}`);
  assert.equal((await load()).json().code, 'token.revoked');
});

test('403: a token that no longer reaches the design takes its grants along', async (t) => {
  const { service, issued, load } = await openEmbed(t);
  await sendRequest(service, 'PATCH', `/v1/tokens/${issued.id}`, { designs: [UNKNOWN_DESIGN_ID] });
  const answer = await load();
  assert.equal(answer.statusCode, 403);
  assert.equal(answer.json().code, 'token.design');
});

test('404: a grant for one design opens no other, and none that is gone', async (t) => {
  const { service, design, framed, issued, load } = await openEmbed(t);
  const other = await uploadTestDesign(service, 'table');
  const { model } = await openFramedDocument(service, other, issued.token);
  assert.notEqual(model.url, framed.model.url);
  assert.equal((await load({}, model.url)).json().code, 'embed.asset');
  for (const name of ['x.glb', `${'0'.repeat(64)}.glb`, '..%2f..%2fcloche.sqlite', '%00.glb']) {
    const answer = await load({}, `/embed/assets/${name}`);
    assert.equal(answer.statusCode, 404, name);
    assert.equal(answer.json().code, 'embed.asset', name);
  }
  await sendRequest(service, 'DELETE', `/v1/designs/${design.id}`);
  assert.equal((await load()).json().code, 'design.unknown');
});

test('403: a grant for one revision opens no other', async (t) => {
  const { service, framed } = await openEmbed(t);
  const [tokenId = '', designId = ''] = framed.grant.split('.');
  // Ours in every way but for the revision.
  const grant = new GrantSigner(GRANT_KEY).sign(
    tokenId,
    designId,
    UNKNOWN_DESIGN_ID,
    new Date(),
  ).value;
  const headers = { ...HOST_HEADER, 'cloche-grant': grant };
  const answer = await service.app.inject({ url: framed.model.url, headers });
  assert.equal(answer.statusCode, 403);
  assert.equal(answer.json().code, 'embed.grant');
  assert.equal(answer.json().reason, 'outdated');
});

test('404: the design of another is not given, whatever a grant says', async (t) => {
  const { service, framed, issued, load } = await openEmbed(t);
  const theirs = await uploadTestDesign(service, 'theirs');
  const database = openServerDatabase(t, service);
  database.exec("INSERT INTO user VALUES ('usr_other', '2026-01-01T00:00:00.000Z')");
  database.exec(`INSERT INTO design SELECT '${UNKNOWN_DESIGN_ID}', 'usr_other', name, description, status,
    revision_id, created_at, updated_at FROM design WHERE id = '${theirs.id}'`);
  const row = database
    .prepare('SELECT id, source_blob FROM revision WHERE design_id = ?')
    .get(theirs.id);
  const grant = new GrantSigner(GRANT_KEY).sign(
    issued.id,
    UNKNOWN_DESIGN_ID,
    `${row?.id}`,
    new Date(),
  ).value;
  const url = `/embed/assets/${row?.source_blob}.glb`;
  const answer = await load({ 'cloche-grant': grant }, url);
  assert.equal(answer.statusCode, 404);
  assert.equal(answer.json().code, 'design.unknown');
  assert.equal((await load({}, framed.model.url)).statusCode, 200);
});

const rangeCases: [range: string, status: number, from: number, to: number][] = [
  ['bytes=0-0', 206, 0, 0],
  ['bytes=0-3', 206, 0, 3],
  ['bytes=4-', 206, 4, -1],
  ['bytes=-4', 206, -4, -1],
  ['bytes=0-99999999', 206, 0, -1],
  ['bytes=-99999999', 206, 0, -1],
  ['bytes=99999999-', 416, 0, 0],
  ['bytes=-0', 416, 0, 0],
  ['bytes=3-2', 200, 0, -1],
  ['bytes=', 200, 0, -1],
  ['bytes=-', 200, 0, -1],
  ['bytes=a-b', 200, 0, -1],
  ['bytes=0-1,4-5', 200, 0, -1],
  ['bytes=0 - 1', 200, 0, -1],
  ['items=0-1', 200, 0, -1],
  [`bytes=0-${'9'.repeat(30)}`, 200, 0, -1],
];

test('206 and 416: a range is exact, and what is no range is the whole', async (t) => {
  const { box, load } = await openEmbed(t);
  const size = box.length;
  for (const [range, status, from, to] of rangeCases) {
    const answer = await load({ range });
    assert.equal(answer.statusCode, status, range);
    if (status === 416) {
      assert.equal(answer.headers['content-range'], `bytes */${size}`);
      assert.equal(answer.json().code, 'embed.range');
      continue;
    }
    const [first, last] = [from < 0 ? size + from : from, to < 0 ? size + to : to];
    assert.deepEqual(answer.rawPayload, box.subarray(first, last + 1), range);
    assert.equal(answer.headers['content-length'], String(last + 1 - first), range);
    const said = status === 206 ? `bytes ${first}-${last}/${size}` : undefined;
    assert.equal(answer.headers['content-range'], said, range);
  }
});

test('If-Range, If-None-Match and HEAD', async (t) => {
  const { box, framed, load, service } = await openEmbed(t);
  const etag = `"${framed.model.url.slice(14, 78)}"`;
  const range = 'bytes=0-3';
  assert.equal((await load({ range, 'if-range': etag })).statusCode, 206);
  for (const other of [`W/${etag}`, '"x"', 'Sat, 21 Nov 2026 12:00:00 GMT']) {
    assert.equal((await load({ range, 'if-range': other })).statusCode, 200, other);
  }
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const answer = await load({ 'if-none-match': known });
    assert.equal(answer.statusCode, 304, known);
    assert.equal(answer.body, '');
    assert.equal(answer.headers.etag, etag);
    assert.equal(answer.headers['cache-control'], 'private, max-age=31536000, immutable');
  }
  assert.equal((await load({ 'if-none-match': '"x"' })).statusCode, 200);
  assert.equal((await load({ 'if-none-match': etag, 'cloche-grant': 'x' })).statusCode, 403);

  const headers = { ...HOST_HEADER, 'cloche-grant': framed.grant, range };
  const head = await service.app.inject({ method: 'HEAD', url: framed.model.url, headers });
  assert.equal(head.statusCode, 200);
  assert.equal(head.headers['content-length'], String(box.length));
  assert.equal(head.body, '');
});

test('200: the files of the viewer, as small as the browser reads them', async (t) => {
  const { app } = await openTestServer(t);
  const rows: [accepted: string | undefined, coding: string | undefined, body: string][] = [
    [undefined, undefined, 'plain'],
    ['gzip, deflate, br', 'br', 'br'],
    ['gzip', 'gzip', 'gzip'],
    ['identity', undefined, 'plain'],
    ['br;q=0, gzip;q=0', undefined, 'plain'],
    ['br;q=0, gzip', 'gzip', 'gzip'],
    ['abracadabra', undefined, 'plain'],
  ];
  for (const [accepted, coding, body] of rows) {
    const headers = { ...HOST_HEADER, ...(accepted && { 'accept-encoding': accepted }) };
    const answer = await app.inject({ url: '/embed/viewer/viewer-1.js', headers });
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['content-encoding'], coding, accepted);
    assert.equal(answer.body, body, accepted);
    assert.equal(answer.headers.vary, 'accept-encoding');
    assert.equal(answer.headers['cross-origin-resource-policy'], 'same-origin');
  }
  for (const name of ['none.js', '..%2fframed-document.html', '__proto__', 'constructor']) {
    const answer = await app.inject({ url: `/embed/viewer/${name}`, headers: HOST_HEADER });
    assert.equal(answer.statusCode, 404, name);
  }
});
