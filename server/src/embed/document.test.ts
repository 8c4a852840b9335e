import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openService, type Service } from '../../testing/harness.ts';
import { ask, HOST, issue, openDatabase, SHOP, upload } from '../../testing/requests.ts';
import { makeTokenString } from '../tokens/token-string.ts';

const NOBODY = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
const IN_FRAME = { 'sec-fetch-dest': 'iframe', referer: `${SHOP}/` };
const HOUR = 60 * 60 * 1000;

const show = (
  { app }: Pick<Service, 'app'>,
  id: string,
  token: string,
  headers: Record<string, string> = IN_FRAME,
) => app.inject({ url: `/embed/iframe/v1/${id}?token=${token}`, headers: { ...HOST, ...headers } });

test('200: the framed document, with these headers and no others', async (t) => {
  const service = await openService(t);
  const design = await upload(service);
  const origins = [SHOP, 'https://*.fair.example', 'http://localhost:*'];
  const { token } = await issue(service, { origins });
  const answer = await show(service, design.id, token);
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
  const service = await openService(t);
  const design = await upload(service, '</script><script>alert("{{framed}} $&")</script>');
  const { token } = await issue(service);
  const { body } = await show(service, design.id, token);
  assert.ok(!body.includes(token.slice(10)));
  assert.equal(body.split('<script').length, 2, body);
  assert.equal(body.split('</script').length, 2, body);
  const framed = JSON.parse(/id="framed">(.*)<\/script>$/.exec(body)?.[1] ?? '');
  assert.deepEqual(framed.design, { id: design.id, name: design.name });
  assert.deepEqual(framed.origins, [SHOP]);
  assert.match(framed.model.url, /^\/embed\/assets\/[0-9a-f]{64}\.glb$/);
  assert.equal(framed.model.bytes, design.stats?.bytes);
  assert.deepEqual(framed.model.bounds, design.stats?.bounds);
  assert.equal(typeof framed.grant, 'string');
});

test('the earlier of two faults is the one that is told', async (t) => {
  const service = await openService(t);
  const design = await upload(service);
  const expiresAt = new Date(Date.now() + HOUR).toISOString();
  const live = (await issue(service, { expiresAt: null })).token;
  const bound = (await issue(service, { designs: [NOBODY] })).token;
  const short = (await issue(service, { expiresAt, designs: [NOBODY] })).token;
  const gone = await issue(service, { expiresAt });
  await ask(service, 'DELETE', `/v1/tokens/${gone.id}`);
  service.pass(HOUR + 1);
  const secret = service.token;

  // Each row has the fault its code names, and every fault that comes after it.
  const foreign = { origin: 'https://evil.example', referer: 'https://evil.example/' };
  const image = { 'sec-fetch-dest': 'image', ...foreign };
  const ahead = { 'sec-purpose': 'prefetch', ...image };
  const rows: [code: string, id: string, token: string, headers: Record<string, string>][] = [
    ['request.wrong-host', NOBODY, 'CLOCHE_EMBED_TOKEN', { ...ahead, host: 'evil.example' }],
    ['token.missing', NOBODY, '', ahead],
    ['embed.placeholder', NOBODY, 'CLOCHE_EMBED_TOKEN', ahead],
    ['token.malformed', NOBODY, `${live}x`, ahead],
    ['embed.secret-token', NOBODY, secret, ahead],
    ['token.unknown', NOBODY, makeTokenString('public'), ahead],
    ['token.revoked', design.id, gone.token, ahead],
    ['token.expired', design.id, short, ahead],
    ['token.design', design.id, bound, ahead],
    ['embed.prefetch', NOBODY, live, ahead],
    ['embed.not-an-iframe', NOBODY, live, image],
    ['embed.origin', NOBODY, live, { 'sec-fetch-dest': 'iframe', ...foreign }],
    ['embed.origin', NOBODY, live, { origin: SHOP, referer: 'https://evil.example/' }],
    ['embed.no-evidence', NOBODY, live, { origin: SHOP }],
    ['embed.no-evidence', NOBODY, live, {}],
    ['design.unknown', NOBODY, live, IN_FRAME],
    ['design.unknown', 'not-a-uuid', live, IN_FRAME],
  ];
  for (const [code, id, token, headers] of rows) {
    const asJson = { ...headers, accept: 'application/json' };
    const answer = await show(service, id, token, asJson);
    assert.equal(answer.json().code, code, answer.body);
    assert.equal(answer.statusCode, answer.json().status);
  }
  assert.equal((await show(service, design.id, live)).statusCode, 200);
});

test('403: every secret token in an address is refused, and told to be revoked', async (t) => {
  const service = await openService(t);
  const design = await upload(service);
  for (const capabilities of [['read'], ['write'], ['embed', 'read'], ['read', 'write', 'embed']]) {
    const { token } = await issue(service, { capabilities });
    const answer = await show(service, design.id, token);
    assert.equal(answer.statusCode, 403);
    assert.match(answer.body, /embed\.secret-token/);
    assert.match(answer.body, /Revoke it now/);
    assert.ok(!answer.body.includes(token.slice(10)));
  }
});

test('404: designs of others, and deleted ones, at the next request', async (t) => {
  const service = await openService(t);
  const design = await upload(service);
  const { token } = await issue(service);
  assert.equal((await show(service, design.id, token)).statusCode, 200);
  await ask(service, 'DELETE', `/v1/designs/${design.id}`);
  assert.equal((await show(service, design.id, token)).statusCode, 404);
});

test('a token changed is a gate changed, at the next request', async (t) => {
  const service = await openService(t);
  const design = await upload(service);
  const { id, token } = await issue(service);
  assert.equal((await show(service, design.id, token)).statusCode, 200);
  const fair = { origins: ['https://fair.example'] };
  await ask(service, 'PATCH', `/v1/tokens/${id}`, fair);
  assert.equal((await show(service, design.id, token)).statusCode, 403);
  const there = { ...IN_FRAME, referer: 'https://fair.example/' };
  const shown = await show(service, design.id, token, there);
  assert.equal(shown.statusCode, 200);
  assert.match(`${shown.headers['content-security-policy']}`, /^frame-ancestors https:\/\/fair\.e/);
  await ask(service, 'DELETE', `/v1/tokens/${id}`);
  assert.equal((await show(service, design.id, token, there)).statusCode, 401);
});

test('a refusal is a page that explains itself, framed anywhere, with nothing of the design', async (t) => {
  const service = await openService(t);
  const design = await upload(service, 'Prototype of next year');
  const { token } = await issue(service);
  const referer = 'https://www.shop.example/chairs';
  const answer = await show(service, design.id, token, { ...IN_FRAME, referer });
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
  const service = await openService(t);
  const design = await upload(service);
  const { token } = await issue(service);
  const evil = '"><img src=x onerror=alert(1)>';
  const rows: [token: string, id: string, headers: Record<string, string>][] = [
    [encodeURIComponent(evil), design.id, IN_FRAME],
    [token, encodeURIComponent(evil), IN_FRAME],
    [token, design.id, { ...IN_FRAME, referer: `https://a.example${evil}` }],
    [token, design.id, { ...IN_FRAME, referer: `https://${evil}/` }],
    [token, design.id, { ...IN_FRAME, origin: evil }],
    [token, design.id, { 'sec-fetch-dest': evil }],
    [token, design.id, { ...IN_FRAME, host: evil }],
    [token, design.id, { ...IN_FRAME, accept: 'image/<b>' }],
  ];
  for (const [text, id, headers] of rows) {
    const answer = await show(service, id, text, headers);
    assert.ok(answer.statusCode >= 400, JSON.stringify(headers));
    assert.ok(!answer.body.includes('<img'), answer.body);
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8');
  }
});

test('a refusal is JSON for those who ask for JSON alone', async (t) => {
  const service = await openService(t);
  const rows: [accept: string, type: string][] = [
    ['application/json', 'application/problem+json; charset=utf-8'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html; charset=utf-8'],
    ['text/html, application/json', 'text/html; charset=utf-8'],
    ['*/*', 'text/html; charset=utf-8'],
  ];
  for (const [accept, type] of rows) {
    const answer = await show(service, NOBODY, '', { ...IN_FRAME, accept });
    assert.equal(answer.headers['content-type'], type, accept);
    assert.equal(answer.statusCode, 401);
  }
});

test('400: a token named twice in the address is no token', async (t) => {
  const service = await openService(t);
  const design = await upload(service);
  const { token } = await issue(service);
  const answer = await show(service, design.id, `${token}&token=${token}`);
  assert.equal(answer.statusCode, 401);
});

test('HEAD answers as GET does, without the document', async (t) => {
  const service = await openService(t);
  const design = await upload(service);
  const { token } = await issue(service);
  const url = `/embed/iframe/v1/${design.id}?token=${token}`;
  const answer = await service.app.inject({
    method: 'HEAD',
    url,
    headers: { ...HOST, ...IN_FRAME },
  });
  assert.equal(answer.statusCode, 200);
  assert.equal(answer.body, '');
  const refused = await service.app.inject({ method: 'HEAD', url, headers: HOST });
  assert.equal(refused.statusCode, 403);
});

test('500: a failure of ours is logged, and the answer names its line', async (t) => {
  const service = await openService(t);
  const { token } = await issue(service);
  openDatabase(t, service).exec('ALTER TABLE design RENAME TO away');
  for (const accept of ['text/html', 'application/json']) {
    const answer = await show(service, NOBODY, token, { ...IN_FRAME, accept });
    assert.equal(answer.statusCode, 500);
    const id = String(answer.headers['x-request-id']);
    const line = service.log.find((one) => one.includes(id) && one.includes('"error"'));
    assert.match(line ?? '', /no such table/, accept);
  }
});
