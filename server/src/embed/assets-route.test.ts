import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Design } from '@cloche/contract/design';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  UNKNOWN_DESIGN_ID,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import { GrantSigner, toGrantExpiry } from './asset-grant.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The key of the test server. */
const GRANT_KEY = Buffer.alloc(32, 7);

function signGrant([granteeId = '', designId = '', revisionId = '']: string[], key = GRANT_KEY) {
  const expiresAt = toGrantExpiry(new Date());
  const grant = { granteeId, designId, revisionId, expiresAt, scopeVersion: 0 };
  return new GrantSigner(key).sign(grant);
}

/** Requests the framed document as a visitor's browser does, and returns its viewer config. */
async function openFramedDocument(
  { app }: TestServer,
  design: Design,
  token: string,
): Promise<ViewerConfig> {
  const response = await app.inject({
    url: `/embed/iframe/v1/${design.id}?token=${token}`,
    headers: { ...HOST_HEADER, 'sec-fetch-dest': 'iframe', referer: `${SHOP_ORIGIN}/` },
  });
  return JSON.parse(/id="viewer-config">(.*)<\/script>$/.exec(response.body)?.[1] ?? response.body);
}

async function openEmbed(t: TestContext, name = 'chair') {
  const service = await openTestServer(t);
  const box = makeBox({ name });
  const design = await uploadTestDesign(service, name, box);
  const issued = await issueToken(service);
  const viewerConfig = await openFramedDocument(service, design, issued.token);
  const load = (headers: Record<string, string> = {}, url = viewerConfig.model.url) =>
    service.app.inject({
      url,
      headers: { ...HOST_HEADER, 'cloche-grant': viewerConfig.grant, ...headers },
    });
  return { service, box, design, issued, viewerConfig, load };
}

test('200: the model, cached by browsers forever and by no proxy', async (t) => {
  const { box, viewerConfig, load } = await openEmbed(t);
  const response = await load({ 'sec-fetch-site': 'same-origin', origin: 'http://cloche.test' });
  assert.equal(response.statusCode, 200);
  assert.deepEqual(response.rawPayload, box);
  const { date, connection, ...headers } = response.headers;
  assert.deepEqual(headers, {
    'cache-control': 'private, max-age=31536000, immutable',
    'cross-origin-resource-policy': 'same-origin',
    etag: `"${viewerConfig.model.url.slice(14, 78)}"`,
    'accept-ranges': 'bytes',
    'content-type': 'model/gltf-binary',
    'content-length': String(box.length),
    'x-content-type-options': 'nosniff',
  });
});

const otherPages: Record<string, string>[] = [
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

test('403: other pages cannot load the model, even if the token lists them', async (t) => {
  const { load } = await openEmbed(t);
  for (const headers of otherPages) {
    const response = await load(headers);
    assert.equal(response.statusCode, 403, JSON.stringify(headers));
    assert.equal(response.json().code, 'embed.cross-site');
  }
});

test('403: a grant that was changed in any way is refused as forged', async (t) => {
  const { viewerConfig, load } = await openEmbed(t);
  const parts = viewerConfig.grant.split('.');
  const grants = parts.map((part, i) => {
    const altered = (part.startsWith('a') ? 'b' : 'a') + part.slice(1);
    return parts.with(i, altered).join('.');
  });
  const later = (Date.now() + 1000 * HOUR_MS).toString(36);
  const otherGrants = [
    '',
    '.',
    '....',
    'hello',
    viewerConfig.grant.slice(0, -1),
    `${viewerConfig.grant}A`,
    `${viewerConfig.grant}=`,
    parts.slice(0, -1).join('.'),
    `${parts.slice(0, -1).join('.')}.`,
    parts.with(3, later).join('.'),
    signGrant(parts, Buffer.alloc(32, 8)),
  ];
  for (const grant of [...grants, ...otherGrants]) {
    const response = await load({ 'cloche-grant': grant });
    assert.equal(response.statusCode, 403, grant);
    assert.equal(response.json().code, 'embed.grant', grant);
    assert.equal(response.json().reason, 'forged', grant);
  }
});

test('403: a token, or a grant in the URL, does not replace the grant header', async (t) => {
  const { service, viewerConfig, issued } = await openEmbed(t);
  for (const [query, headers] of [
    ['', {}],
    [`?token=${issued.token}`, {}],
    [`?grant=${viewerConfig.grant}`, {}],
    ['', { authorization: `Bearer ${issued.token}` }],
    ['', { authorization: `Bearer ${service.token}` }],
  ] as const) {
    const url = viewerConfig.model.url + query;
    const response = await service.app.inject({ url, headers: { ...HOST_HEADER, ...headers } });
    assert.equal(response.statusCode, 403);
    assert.equal(response.json().reason, 'missing');
  }
});

test('403: a grant is valid for 12 to 24 hours', async (t) => {
  const { service, load } = await openEmbed(t);
  service.advanceTime(12 * HOUR_MS - 5000);
  assert.equal((await load()).statusCode, 200);
  service.advanceTime(12 * HOUR_MS + 5000);
  const response = await load();
  assert.equal(response.statusCode, 403);
  assert.equal(response.json().reason, 'expired');
});

test('401: grants of a revoked or expired token', async (t) => {
  const { service, issued, load } = await openEmbed(t);
  const expiresAt = new Date(Date.now() + MINUTE_MS).toISOString();
  await sendRequest(service, 'PATCH', `/v1/tokens/${issued.id}`, { expiresAt });
  assert.equal((await load()).statusCode, 200);
  service.advanceTime(MINUTE_MS + 1);
  assert.equal((await load()).json().code, 'token.expired');
  await sendRequest(service, 'PATCH', `/v1/tokens/${issued.id}`, { expiresAt: null });
  assert.equal((await load()).statusCode, 200);
  await sendRequest(service, 'DELETE', `/v1/tokens/${issued.id}`);
  assert.equal((await load()).json().code, 'token.revoked');
});

test('401: grants of a token that was rotated without a grace period', async (t) => {
  const { service, issued, load } = await openEmbed(t);
  const path = `/v1/tokens/${issued.id}/rotate`;
  const rotated = await sendRequest(service, 'POST', path, { gracePeriodSeconds: 0 });
  assert.equal(rotated.statusCode, 201, rotated.body);
  const response = await load();
  assert.deepEqual([response.statusCode, response.json().code], [401, 'token.expired']);
});

test('401: grants of a token whose user was disabled', async (t) => {
  const service = await openTestServer(t);
  const { id } = (await sendRequest(service, 'POST', '/v1/users', { name: 'anna' })).json();
  const capabilities = ['read', 'write', 'embed'];
  const { token } = await issueToken(service, { capabilities, origins: [], user: id });
  const anna = { ...service, token };
  const design = await uploadTestDesign(anna);
  const issued = await issueToken(anna);
  const { model, grant } = await openFramedDocument(service, design, issued.token);
  const headers = { ...HOST_HEADER, 'cloche-grant': grant };
  const load = () => service.app.inject({ url: model.url, headers });
  assert.equal((await load()).statusCode, 200);
  await sendRequest(service, 'PATCH', `/v1/users/${id}`, { active: false });
  const response = await load();
  assert.deepEqual([response.statusCode, response.json().code], [401, 'token.user-disabled']);
});

test('403: grants of a token whose scope no longer includes the design', async (t) => {
  const { service, issued, load } = await openEmbed(t);
  await sendRequest(service, 'PATCH', `/v1/tokens/${issued.id}`, { designs: [UNKNOWN_DESIGN_ID] });
  const response = await load();
  assert.equal(response.statusCode, 403);
  assert.equal(response.json().code, 'token.design');
});

test('403: grants that were issued before an origin was removed, also when it is added again', async (t) => {
  const { service, design, issued, viewerConfig, load } = await openEmbed(t);
  const url = `/v1/tokens/${issued.id}`;
  const patch = (change: object) => sendRequest(service, 'PATCH', url, change);
  const open = () => openFramedDocument(service, design, issued.token);
  const other = 'https://fair.example';
  // More origins, another name or another expiry: the grant remains valid.
  const harmless = [
    { origins: [SHOP_ORIGIN, other] },
    { origins: [other, SHOP_ORIGIN, 'https://*.shop.example'] },
    { name: 'shop' },
    { expiresAt: '2999-01-01T00:00:00Z' },
  ];
  for (const change of harmless) {
    assert.equal((await patch(change)).statusCode, 200);
    assert.equal((await load()).statusCode, 200, JSON.stringify(change));
  }
  for (const origins of [[SHOP_ORIGIN], [other], [SHOP_ORIGIN, other]]) {
    await patch({ origins });
    const response = await load();
    assert.equal(response.statusCode, 403, origins.join());
    assert.equal(response.json().code, 'embed.grant');
    assert.equal(response.json().reason, 'outdated');
  }
  const { grant } = await open();
  assert.notEqual(grant, viewerConfig.grant);
  assert.equal((await load({ 'cloche-grant': grant })).statusCode, 200);
  // The same origins again: the cached document with the first grant is not sent.
  await patch({ origins: [SHOP_ORIGIN] });
  assert.equal((await load({ 'cloche-grant': (await open()).grant })).statusCode, 200);
});

test('404: a grant for another design, or for a deleted one', async (t) => {
  const { service, design, viewerConfig, issued, load } = await openEmbed(t);
  const other = await uploadTestDesign(service, 'table');
  const { model } = await openFramedDocument(service, other, issued.token);
  assert.notEqual(model.url, viewerConfig.model.url);
  assert.equal((await load({}, model.url)).json().code, 'embed.asset');
  for (const name of ['x.glb', `${'0'.repeat(64)}.glb`, '..%2f..%2fcloche.sqlite', '%00.glb']) {
    const response = await load({}, `/embed/assets/${name}`);
    assert.equal(response.statusCode, 404, name);
    assert.equal(response.json().code, 'embed.asset', name);
  }
  await sendRequest(service, 'DELETE', `/v1/designs/${design.id}`);
  assert.equal((await load()).json().code, 'design.unknown');
});

test('403: a correctly signed grant for a revision that does not exist', async (t) => {
  const { service, viewerConfig } = await openEmbed(t);
  const [tokenId = '', designId = ''] = viewerConfig.grant.split('.');
  const grant = signGrant([tokenId, designId, UNKNOWN_DESIGN_ID]);
  const headers = { ...HOST_HEADER, 'cloche-grant': grant };
  const response = await service.app.inject({ url: viewerConfig.model.url, headers });
  assert.equal(response.statusCode, 403);
  assert.equal(response.json().code, 'embed.grant');
  assert.equal(response.json().reason, 'outdated');
});

test('404: a correctly signed grant for the design of another user', async (t) => {
  const { service, viewerConfig, issued, load } = await openEmbed(t);
  const otherDesign = await uploadTestDesign(service, 'other');
  const database = connectToServerDatabase(t, service);
  await database.exec(
    `INSERT INTO "user" (id, created_at) VALUES ('usr_other', '2026-01-01T00:00:00.000Z')`,
  );
  await database.exec(`CREATE TEMP TABLE copy AS SELECT * FROM design WHERE id = '${otherDesign.id}';
    UPDATE copy SET id = '${UNKNOWN_DESIGN_ID}', user_id = 'usr_other';
    INSERT INTO design SELECT * FROM copy`);
  const row = await database.get(
    'SELECT id, source_blob FROM revision WHERE design_id = ?',
    otherDesign.id,
  );
  const grant = signGrant([issued.id, UNKNOWN_DESIGN_ID, `${row?.id}`]);
  const url = `/embed/assets/${row?.source_blob}.glb`;
  const response = await load({ 'cloche-grant': grant }, url);
  assert.equal(response.statusCode, 404);
  assert.equal(response.json().code, 'design.unknown');
  assert.equal((await load({}, viewerConfig.model.url)).statusCode, 200);
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

test('206 and 416: ranges; 200: headers that are not a single valid range', async (t) => {
  const { box, load } = await openEmbed(t);
  const size = box.length;
  for (const [range, status, from, to] of rangeCases) {
    const response = await load({ range });
    assert.equal(response.statusCode, status, range);
    if (status === 416) {
      assert.equal(response.headers['content-range'], `bytes */${size}`);
      assert.equal(response.json().code, 'embed.range');
      continue;
    }
    const [first, last] = [from < 0 ? size + from : from, to < 0 ? size + to : to];
    assert.deepEqual(response.rawPayload, box.subarray(first, last + 1), range);
    assert.equal(response.headers['content-length'], String(last + 1 - first), range);
    const contentRange = status === 206 ? `bytes ${first}-${last}/${size}` : undefined;
    assert.equal(response.headers['content-range'], contentRange, range);
  }
});

test('200, 206 and 304: If-Range, If-None-Match and HEAD', async (t) => {
  const { box, viewerConfig, load, service } = await openEmbed(t);
  const etag = `"${viewerConfig.model.url.slice(14, 78)}"`;
  const range = 'bytes=0-3';
  assert.equal((await load({ range, 'if-range': etag })).statusCode, 206);
  for (const other of [`W/${etag}`, '"x"', 'Sat, 21 Nov 2026 12:00:00 GMT']) {
    assert.equal((await load({ range, 'if-range': other })).statusCode, 200, other);
  }
  for (const ifNoneMatch of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const response = await load({ 'if-none-match': ifNoneMatch });
    assert.equal(response.statusCode, 304, ifNoneMatch);
    assert.equal(response.body, '');
    assert.equal(response.headers.etag, etag);
    assert.equal(response.headers['cache-control'], 'private, max-age=31536000, immutable');
  }
  assert.equal((await load({ 'if-none-match': '"x"' })).statusCode, 200);
  assert.equal((await load({ 'if-none-match': etag, 'cloche-grant': 'x' })).statusCode, 403);

  const headers = { ...HOST_HEADER, 'cloche-grant': viewerConfig.grant, range };
  const head = await service.app.inject({ method: 'HEAD', url: viewerConfig.model.url, headers });
  assert.equal(head.statusCode, 200);
  assert.equal(head.headers['content-length'], String(box.length));
  assert.equal(head.body, '');
});

test('200: the files of the viewer, in the smallest accepted encoding', async (t) => {
  const { app } = await openTestServer(t);
  const cases: [acceptEncoding: string | undefined, encoding: string | undefined, body: string][] =
    [
      [undefined, undefined, 'plain'],
      ['gzip, deflate, br', 'br', 'br'],
      ['gzip', 'gzip', 'gzip'],
      ['identity', undefined, 'plain'],
      ['br;q=0, gzip;q=0', undefined, 'plain'],
      ['br;q=0, gzip', 'gzip', 'gzip'],
      ['abracadabra', undefined, 'plain'],
    ];
  for (const [acceptEncoding, encoding, body] of cases) {
    const headers = {
      ...HOST_HEADER,
      ...(acceptEncoding && { 'accept-encoding': acceptEncoding }),
    };
    const response = await app.inject({ url: '/embed/viewer/viewer-1.js', headers });
    assert.equal(response.statusCode, 200);
    assert.equal(response.headers['content-encoding'], encoding, acceptEncoding);
    assert.equal(response.body, body, acceptEncoding);
    assert.equal(response.headers.vary, 'accept-encoding');
    assert.equal(response.headers['cross-origin-resource-policy'], 'same-origin');
  }
  for (const name of ['none.js', '..%2fframed-document.html', '__proto__', 'constructor']) {
    const response = await app.inject({ url: `/embed/viewer/${name}`, headers: HOST_HEADER });
    assert.equal(response.statusCode, 404, name);
  }
});
