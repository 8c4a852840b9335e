import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { getFramedDocument, IFRAME_HEADERS } from '../../testing/get-framed-document.ts';
import { openTestServer } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  UNKNOWN_DESIGN_ID,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import { generateTokenString } from '../tokens/token-string.ts';

const HOUR_MS = 60 * 60 * 1000;

test('200: the framed document, with these headers and no others', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const origins = [SHOP_ORIGIN, 'https://*.fair.example', 'http://localhost:*'];
  const { token } = await issueToken(service, { origins });
  const response = await getFramedDocument(service, design.id, token);
  assert.equal(response.statusCode, 200);
  const { date, connection, 'content-length': length, ...headers } = response.headers;
  const permissions = String(headers['permissions-policy']);
  assert.deepEqual(headers, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "frame-ancestors https://shop.example https://*.fair.example http://localhost:*; default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-script'; worker-src blob: 'self'; connect-src 'self' blob:; img-src 'self' blob: data:; style-src 'self' 'sha256-style'; base-uri 'none'; form-action 'none'",
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-resource-policy': 'cross-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-language': 'en',
    'permissions-policy': permissions,
    'x-robots-tag': 'noindex',
    vary: 'accept-encoding, accept-language',
    'ratelimit-limit': '30000',
    'ratelimit-remaining': '29999',
    'ratelimit-reset': '1',
  });
  for (const feature of ['camera', 'microphone', 'geolocation', 'payment']) {
    assert.ok(permissions.includes(`${feature}=()`), feature);
  }
  for (const feature of ['fullscreen', 'xr-spatial-tracking']) {
    assert.ok(
      !permissions.includes(feature),
      `${feature} is granted by the allow attribute of the snippet`,
    );
  }
});

test('200: the document is compressed as the browser accepts it', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const get = (acceptEncoding: string) =>
    getFramedDocument(service, design.id, token, {
      ...IFRAME_HEADERS,
      'accept-encoding': acceptEncoding,
    });
  const { body: plain } = await get('identity');
  const rows = [
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['deflate', undefined, (bytes: Buffer) => bytes],
  ] as const;
  for (const [accept, encoding, decode] of rows) {
    const { headers, rawPayload } = await get(accept);
    assert.equal(headers['content-encoding'], encoding, accept);
    assert.equal(headers.vary, 'accept-encoding, accept-language');
    assert.equal(headers['content-length'], `${rawPayload.length}`);
    assert.equal(decode(rawPayload).toString(), plain);
    assert.ok(encoding === undefined || rawPayload.length < plain.length);
  }
});

describe('200 and 403: a process of its own', () => {
  const rows = [
    ['https://cloche.test', 'same-site', '?1'],
    ['https://cloche.test', 'same-origin', '?1'],
    // A browser that does not say.
    ['https://cloche.test', undefined, '?1'],
    // Browsers have started one before the response.
    ['https://cloche.test', 'cross-site', undefined],
    // Browsers ignore the header there, with a warning.
    ['http://cloche.test', 'same-site', undefined],
  ] as const;
  for (const [publicUrl, secFetchSite, value] of rows) {
    it(`is ${value === undefined ? 'not ' : ''}asked for by ${publicUrl}, ${secFetchSite}`, async (t) => {
      const service = await openTestServer(t, { publicUrl });
      const design = await uploadTestDesign(service);
      const { token } = await issueToken(service);
      const site = secFetchSite && { 'sec-fetch-site': secFetchSite };
      for (const headers of [{ ...IFRAME_HEADERS, ...site }, { ...site }]) {
        const response = await getFramedDocument(service, design.id, token, headers);
        assert.equal(response.statusCode, 'referer' in headers ? 200 : 403);
        assert.equal(response.headers['origin-agent-cluster'], value);
      }
    });
  }
});

test('200: the document has the viewer config and not the token', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(
    service,
    '</script><script>alert("{{viewerConfig}} $&")</script>',
  );
  const { token } = await issueToken(service);
  const { body } = await getFramedDocument(service, design.id, token);
  assert.ok(!body.includes(token.slice(10)));
  assert.equal(body.split('<script').length, 2, body);
  assert.equal(body.split('</script').length, 2, body);
  const viewerConfig = JSON.parse(/id="viewer-config">(.*)<\/script>$/.exec(body)?.[1] ?? '');
  assert.deepEqual(viewerConfig.design, { id: design.id, name: design.name });
  assert.deepEqual(viewerConfig.allowedOrigins, [SHOP_ORIGIN]);
  assert.match(viewerConfig.model.url, /^\/embed\/assets\/[0-9a-f]{64}\.glb$/);
  assert.equal(viewerConfig.model.bytes, design.stats?.bytes);
  assert.deepEqual(viewerConfig.model.bounds, design.stats?.bounds);
  assert.equal(typeof viewerConfig.grant, 'string');
});

test('of several problems, the first in the order of the gate is reported', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  const active = (await issueToken(service, { expiresAt: null })).token;
  const limited = (await issueToken(service, { designs: [UNKNOWN_DESIGN_ID] })).token;
  const expiring = (await issueToken(service, { expiresAt, designs: [UNKNOWN_DESIGN_ID] })).token;
  const revoked = await issueToken(service, { expiresAt });
  await sendRequest(service, 'DELETE', `/v1/tokens/${revoked.id}`);
  service.advanceTime(HOUR_MS + 1);
  const secret = service.token;

  // Each request has the problem of its code, and all problems that come later in the order.
  const otherOrigin = { origin: 'https://evil.example', referer: 'https://evil.example/' };
  const image = { 'sec-fetch-dest': 'image', ...otherOrigin };
  const prefetch = { 'sec-purpose': 'prefetch', ...image };
  const rows: [code: string, id: string, token: string, headers: Record<string, string>][] = [
    [
      'request.wrong-host',
      UNKNOWN_DESIGN_ID,
      'CLOCHE_EMBED_TOKEN',
      { ...prefetch, host: 'evil.example' },
    ],
    ['token.missing', UNKNOWN_DESIGN_ID, '', prefetch],
    ['embed.placeholder', UNKNOWN_DESIGN_ID, 'CLOCHE_EMBED_TOKEN', prefetch],
    ['token.malformed', UNKNOWN_DESIGN_ID, `${active}x`, prefetch],
    ['embed.secret-token', UNKNOWN_DESIGN_ID, secret, prefetch],
    ['token.unknown', UNKNOWN_DESIGN_ID, generateTokenString('public'), prefetch],
    ['token.revoked', design.id, revoked.token, prefetch],
    ['token.expired', design.id, expiring, prefetch],
    ['token.design', design.id, limited, prefetch],
    ['embed.prefetch', UNKNOWN_DESIGN_ID, active, prefetch],
    ['embed.not-an-iframe', UNKNOWN_DESIGN_ID, active, image],
    ['embed.origin', UNKNOWN_DESIGN_ID, active, { 'sec-fetch-dest': 'iframe', ...otherOrigin }],
    [
      'embed.origin',
      UNKNOWN_DESIGN_ID,
      active,
      { origin: SHOP_ORIGIN, referer: 'https://evil.example/' },
    ],
    ['embed.unverified-origin', UNKNOWN_DESIGN_ID, active, { origin: SHOP_ORIGIN }],
    ['embed.unverified-origin', UNKNOWN_DESIGN_ID, active, {}],
    ['design.unknown', UNKNOWN_DESIGN_ID, active, IFRAME_HEADERS],
    ['design.unknown', 'not-a-uuid', active, IFRAME_HEADERS],
  ];
  for (const [code, id, token, headers] of rows) {
    const asJson = { ...headers, accept: 'application/json' };
    const response = await getFramedDocument(service, id, token, asJson);
    assert.equal(response.json().code, code, response.body);
    assert.equal(response.statusCode, response.json().status);
  }
  assert.equal((await getFramedDocument(service, design.id, active)).statusCode, 200);
});

test('403: a secret token in the URL, with the advice to revoke it', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  for (const capabilities of [['read'], ['write'], ['embed', 'read'], ['read', 'write', 'embed']]) {
    const { token } = await issueToken(service, { capabilities });
    const response = await getFramedDocument(service, design.id, token);
    assert.equal(response.statusCode, 403);
    assert.match(response.body, /embed\.secret-token/);
    assert.match(response.body, /Revoke the token now/);
    assert.ok(!response.body.includes(token.slice(10)));
  }
});

test('404: a deleted design, at the next request', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  assert.equal((await getFramedDocument(service, design.id, token)).statusCode, 200);
  await sendRequest(service, 'DELETE', `/v1/designs/${design.id}`);
  assert.equal((await getFramedDocument(service, design.id, token)).statusCode, 404);
});

test('200, 401 and 403: changes of a token take effect at the next request', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { id, token } = await issueToken(service);
  assert.equal((await getFramedDocument(service, design.id, token)).statusCode, 200);
  const change = { origins: ['https://fair.example'] };
  await sendRequest(service, 'PATCH', `/v1/tokens/${id}`, change);
  assert.equal((await getFramedDocument(service, design.id, token)).statusCode, 403);
  const listedPage = { ...IFRAME_HEADERS, referer: 'https://fair.example/' };
  const allowed = await getFramedDocument(service, design.id, token, listedPage);
  assert.equal(allowed.statusCode, 200);
  assert.match(
    `${allowed.headers['content-security-policy']}`,
    /^frame-ancestors https:\/\/fair\.e/,
  );
  await sendRequest(service, 'DELETE', `/v1/tokens/${id}`);
  assert.equal((await getFramedDocument(service, design.id, token, listedPage)).statusCode, 401);
});

test('200 and 403: over plain http, a document may request itself again, but an error page may not', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const url = `http://cloche.test/embed/iframe/v1/${design.id}?token=${token}`;
  const other = await uploadTestDesign(service);
  const rows: [referer: string | undefined, status: number][] = [
    [url, 200],
    [`${url}x`, 403],
    [url.replace('http:', 'https:'), 403],
    [url.replace('cloche.test', 'evil.test'), 403],
    [url.replace(design.id, other.id), 403],
    ['http://cloche.test/', 403],
    [undefined, 403],
  ];
  for (const [referer, status] of rows) {
    const headers: Record<string, string> = referer === undefined ? {} : { referer };
    const response = await getFramedDocument(service, design.id, token, headers);
    assert.equal(response.statusCode, status, referer);
    if (status === 403) assert.equal(response.headers['referrer-policy'], 'no-referrer');
  }
});

test('401: two tokens in the URL', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const response = await getFramedDocument(service, design.id, `${token}&token=${token}`);
  assert.equal(response.statusCode, 401);
});

test('200 and 403: HEAD has the status of GET and no body', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const url = `/embed/iframe/v1/${design.id}?token=${token}`;
  const response = await service.app.inject({
    method: 'HEAD',
    url,
    headers: { ...HOST_HEADER, ...IFRAME_HEADERS },
  });
  assert.equal(response.statusCode, 200);
  assert.equal(response.body, '');
  const denied = await service.app.inject({ method: 'HEAD', url, headers: HOST_HEADER });
  assert.equal(denied.statusCode, 403);
});

test('500: an internal error is logged under the id in the response', async (t) => {
  const service = await openTestServer(t);
  const { token } = await issueToken(service);
  await connectToServerDatabase(t, service).exec('ALTER TABLE design RENAME TO away');
  for (const accept of ['text/html', 'application/json']) {
    const response = await getFramedDocument(service, UNKNOWN_DESIGN_ID, token, {
      ...IFRAME_HEADERS,
      accept,
    });
    assert.equal(response.statusCode, 500);
    const id = String(response.headers['x-request-id']);
    const line = service.logLines.find((text) => text.includes(id) && text.includes('"error"'));
    assert.match(line ?? '', /no such table|does not exist/, accept);
  }
});

test('200 and 401: the language is that of the URL, else that of the browser', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const rows: [lang: string, acceptLanguage: string | undefined, expected: string][] = [
    ['', undefined, 'en'],
    ['', 'de-AT,de;q=0.9', 'de'],
    ['&lang=ar', 'de-AT,de;q=0.9', 'ar'],
    ['&lang=xx', 'ja', 'ja'],
    ['', 'de-AT,de;q=0.9', 'de'],
  ];
  for (const [lang, acceptLanguage, expected] of rows) {
    const headers = {
      ...IFRAME_HEADERS,
      ...(acceptLanguage && { 'accept-language': acceptLanguage }),
    };
    const shown = await getFramedDocument(service, design.id, `${token}${lang}`, headers);
    const refused = await getFramedDocument(service, design.id, `${token}x${lang}`, headers);
    assert.deepEqual([shown.statusCode, refused.statusCode], [200, 401]);
    for (const { headers, body } of [shown, refused]) {
      assert.equal(headers['content-language'], expected);
      assert.match(String(headers.vary), /\baccept-language\b/);
      assert.match(body, new RegExp(`<html lang="${expected}"`));
    }
  }
});
