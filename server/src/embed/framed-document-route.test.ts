import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  openServerDatabase,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { generateTokenString } from '../tokens/token-string.ts';

const UNKNOWN_DESIGN_ID = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
const IFRAME_HEADERS = { 'sec-fetch-dest': 'iframe', referer: `${SHOP_ORIGIN}/` };
const HOUR = 60 * 60 * 1000;

const getFramedDocument = (
  { app }: Pick<TestServer, 'app'>,
  id: string,
  token: string,
  headers: Record<string, string> = IFRAME_HEADERS,
) =>
  app.inject({
    url: `/embed/iframe/v1/${id}?token=${token}`,
    headers: { ...HOST_HEADER, ...headers },
  });

test('200: the framed document, with these headers and no others', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const origins = [SHOP_ORIGIN, 'https://*.fair.example', 'http://localhost:*'];
  const { token } = await issueToken(service, { origins });
  const answer = await getFramedDocument(service, design.id, token);
  assert.equal(answer.statusCode, 200);
  const { date, connection, 'content-length': length, ...headers } = answer.headers;
  const policy = String(headers['permissions-policy']);
  assert.deepEqual(headers, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "frame-ancestors https://shop.example https://*.fair.example http://localhost:*; default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-script'; worker-src blob: 'self'; connect-src 'self' blob:; img-src 'self' blob: data:; style-src 'self' 'sha256-style'; base-uri 'none'; form-action 'none'",
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-resource-policy': 'cross-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'origin-agent-cluster': '?1',
    'permissions-policy': policy,
    'x-robots-tag': 'noindex',
  });
  for (const feature of ['camera', 'microphone', 'geolocation', 'payment']) {
    assert.ok(policy.includes(`${feature}=()`), feature);
  }
  for (const feature of ['fullscreen', 'xr-spatial-tracking', 'web-share']) {
    assert.ok(!policy.includes(feature), `${feature} is for the snippet's allow to give`);
  }
});

test('200: the document says what the viewer needs, and not the token', async (t) => {
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
  const framed = JSON.parse(/id="viewer-config">(.*)<\/script>$/.exec(body)?.[1] ?? '');
  assert.deepEqual(framed.design, { id: design.id, name: design.name });
  assert.deepEqual(framed.allowedOrigins, [SHOP_ORIGIN]);
  assert.match(framed.model.url, /^\/embed\/assets\/[0-9a-f]{64}\.glb$/);
  assert.equal(framed.model.bytes, design.stats?.bytes);
  assert.deepEqual(framed.model.bounds, design.stats?.bounds);
  assert.equal(typeof framed.grant, 'string');
});

test('the earlier of two faults is the one that is told', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const expiresAt = new Date(Date.now() + HOUR).toISOString();
  const live = (await issueToken(service, { expiresAt: null })).token;
  const bound = (await issueToken(service, { designs: [UNKNOWN_DESIGN_ID] })).token;
  const short = (await issueToken(service, { expiresAt, designs: [UNKNOWN_DESIGN_ID] })).token;
  const gone = await issueToken(service, { expiresAt });
  await sendRequest(service, 'DELETE', `/v1/tokens/${gone.id}`);
  service.advanceTime(HOUR + 1);
  const secret = service.token;

  // Each row has the fault its code names, and every fault that comes after it.
  const foreign = { origin: 'https://evil.example', referer: 'https://evil.example/' };
  const image = { 'sec-fetch-dest': 'image', ...foreign };
  const ahead = { 'sec-purpose': 'prefetch', ...image };
  const rows: [code: string, id: string, token: string, headers: Record<string, string>][] = [
    [
      'request.wrong-host',
      UNKNOWN_DESIGN_ID,
      'CLOCHE_EMBED_TOKEN',
      { ...ahead, host: 'evil.example' },
    ],
    ['token.missing', UNKNOWN_DESIGN_ID, '', ahead],
    ['embed.placeholder', UNKNOWN_DESIGN_ID, 'CLOCHE_EMBED_TOKEN', ahead],
    ['token.malformed', UNKNOWN_DESIGN_ID, `${live}x`, ahead],
    ['embed.secret-token', UNKNOWN_DESIGN_ID, secret, ahead],
    ['token.unknown', UNKNOWN_DESIGN_ID, generateTokenString('public'), ahead],
    ['token.revoked', design.id, gone.token, ahead],
    ['token.expired', design.id, short, ahead],
    ['token.design', design.id, bound, ahead],
    ['embed.prefetch', UNKNOWN_DESIGN_ID, live, ahead],
    ['embed.not-an-iframe', UNKNOWN_DESIGN_ID, live, image],
    ['embed.origin', UNKNOWN_DESIGN_ID, live, { 'sec-fetch-dest': 'iframe', ...foreign }],
    [
      'embed.origin',
      UNKNOWN_DESIGN_ID,
      live,
      { origin: SHOP_ORIGIN, referer: 'https://evil.example/' },
    ],
    ['embed.unverified-origin', UNKNOWN_DESIGN_ID, live, { origin: SHOP_ORIGIN }],
    ['embed.unverified-origin', UNKNOWN_DESIGN_ID, live, {}],
    ['design.unknown', UNKNOWN_DESIGN_ID, live, IFRAME_HEADERS],
    ['design.unknown', 'not-a-uuid', live, IFRAME_HEADERS],
  ];
  for (const [code, id, token, headers] of rows) {
    const asJson = { ...headers, accept: 'application/json' };
    const answer = await getFramedDocument(service, id, token, asJson);
    assert.equal(answer.json().code, code, answer.body);
    assert.equal(answer.statusCode, answer.json().status);
  }
  assert.equal((await getFramedDocument(service, design.id, live)).statusCode, 200);
});

test('403: every secret token in an address is refused, and told to be revoked', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  for (const capabilities of [['read'], ['write'], ['embed', 'read'], ['read', 'write', 'embed']]) {
    const { token } = await issueToken(service, { capabilities });
    const answer = await getFramedDocument(service, design.id, token);
    assert.equal(answer.statusCode, 403);
    assert.match(answer.body, /embed\.secret-token/);
    assert.match(answer.body, /Revoke it now/);
    assert.ok(!answer.body.includes(token.slice(10)));
  }
});

test('404: designs of others, and deleted ones, at the next request', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  assert.equal((await getFramedDocument(service, design.id, token)).statusCode, 200);
  await sendRequest(service, 'DELETE', `/v1/designs/${design.id}`);
  assert.equal((await getFramedDocument(service, design.id, token)).statusCode, 404);
});

test('a token changed is a gate changed, at the next request', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { id, token } = await issueToken(service);
  assert.equal((await getFramedDocument(service, design.id, token)).statusCode, 200);
  const fair = { origins: ['https://fair.example'] };
  await sendRequest(service, 'PATCH', `/v1/tokens/${id}`, fair);
  assert.equal((await getFramedDocument(service, design.id, token)).statusCode, 403);
  const there = { ...IFRAME_HEADERS, referer: 'https://fair.example/' };
  const shown = await getFramedDocument(service, design.id, token, there);
  assert.equal(shown.statusCode, 200);
  assert.match(`${shown.headers['content-security-policy']}`, /^frame-ancestors https:\/\/fair\.e/);
  await sendRequest(service, 'DELETE', `/v1/tokens/${id}`);
  assert.equal((await getFramedDocument(service, design.id, token, there)).statusCode, 401);
});

test('a refusal is a page that explains itself, framed anywhere, with nothing of the design', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service, 'Prototype of next year');
  const { token } = await issueToken(service);
  const referer = 'https://www.shop.example/chairs';
  const answer = await getFramedDocument(service, design.id, token, { ...IFRAME_HEADERS, referer });
  assert.equal(answer.statusCode, 403);
  assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8');
  assert.match(answer.body, /https:\/\/www\.shop\.example is not on this token’s list/);
  assert.match(answer.body, /<code>embed\.origin<\/code>/);
  assert.match(answer.body, /href="http:\/\/cloche\.test\/docs\/problems#embed\.origin"/);
  assert.ok(!answer.body.includes('Prototype'));
  assert.ok(!answer.body.includes('<script'));
  const { headers } = answer;
  assert.match(
    `${headers['content-security-policy']}`,
    /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors \*$/,
  );
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
  assert.equal(headers['cross-origin-embedder-policy'], 'require-corp');
});

test('a refusal repeats nothing unescaped', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const evil = '"><img src=x onerror=alert(1)>';
  const rows: [token: string, id: string, headers: Record<string, string>][] = [
    [encodeURIComponent(evil), design.id, IFRAME_HEADERS],
    [token, encodeURIComponent(evil), IFRAME_HEADERS],
    [token, design.id, { ...IFRAME_HEADERS, referer: `https://a.example${evil}` }],
    [token, design.id, { ...IFRAME_HEADERS, referer: `https://${evil}/` }],
    [token, design.id, { ...IFRAME_HEADERS, origin: evil }],
    [token, design.id, { 'sec-fetch-dest': evil }],
    [token, design.id, { ...IFRAME_HEADERS, host: evil }],
    [token, design.id, { ...IFRAME_HEADERS, accept: 'image/<b>' }],
  ];
  for (const [text, id, headers] of rows) {
    const answer = await getFramedDocument(service, id, text, headers);
    assert.ok(answer.statusCode >= 400, JSON.stringify(headers));
    assert.ok(!answer.body.includes('<img'), answer.body);
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8');
  }
});

test('a refusal is JSON for those who ask for JSON alone', async (t) => {
  const service = await openTestServer(t);
  const rows: [accept: string, type: string][] = [
    ['application/json', 'application/problem+json; charset=utf-8'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html; charset=utf-8'],
    ['text/html, application/json', 'text/html; charset=utf-8'],
    ['*/*', 'text/html; charset=utf-8'],
  ];
  for (const [accept, type] of rows) {
    const answer = await getFramedDocument(service, UNKNOWN_DESIGN_ID, '', {
      ...IFRAME_HEADERS,
      accept,
    });
    assert.equal(answer.headers['content-type'], type, accept);
    assert.equal(answer.statusCode, 401);
  }
});

test('400: a token named twice in the address is no token', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const answer = await getFramedDocument(service, design.id, `${token}&token=${token}`);
  assert.equal(answer.statusCode, 401);
});

test('HEAD answers as GET does, without the document', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const url = `/embed/iframe/v1/${design.id}?token=${token}`;
  const answer = await service.app.inject({
    method: 'HEAD',
    url,
    headers: { ...HOST_HEADER, ...IFRAME_HEADERS },
  });
  assert.equal(answer.statusCode, 200);
  assert.equal(answer.body, '');
  const refused = await service.app.inject({ method: 'HEAD', url, headers: HOST_HEADER });
  assert.equal(refused.statusCode, 403);
});

test('500: a failure of ours is logged, and the answer names its line', async (t) => {
  const service = await openTestServer(t);
  const { token } = await issueToken(service);
  openServerDatabase(t, service).exec('ALTER TABLE design RENAME TO away');
  for (const accept of ['text/html', 'application/json']) {
    const answer = await getFramedDocument(service, UNKNOWN_DESIGN_ID, token, {
      ...IFRAME_HEADERS,
      accept,
    });
    assert.equal(answer.statusCode, 500);
    const id = String(answer.headers['x-request-id']);
    const line = service.logLines.find((one) => one.includes(id) && one.includes('"error"'));
    assert.match(line ?? '', /no such table/, accept);
  }
});
