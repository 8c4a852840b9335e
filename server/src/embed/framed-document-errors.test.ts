import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { createBlockingProcessor } from '../../testing/fake-processing.ts';
import { getFramedDocument, IFRAME_HEADERS } from '../../testing/get-framed-document.ts';
import { openTestServer } from '../../testing/harness.ts';
import {
  GLB_HEADERS,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  UNKNOWN_DESIGN_ID,
  uploadTestDesign,
} from '../../testing/requests.ts';

test('403: the error page can be framed anywhere, and contains no data of the token or the design', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service, 'Prototype of next year');
  const { token } = await issueToken(service);
  const referer = 'https://www.shop.example/chairs';
  const request = { ...IFRAME_HEADERS, referer };
  const response = await getFramedDocument(service, design.id, token, request);
  assert.equal(response.statusCode, 403);
  assert.equal(response.headers['content-type'], 'text/html; charset=utf-8');
  assert.match(response.body, /This page is on <bdi>https:\/\/www\.shop\.example</);
  assert.match(response.body, /<code id="code">embed\.origin<\/code>/);
  assert.match(response.body, /href="http:\/\/cloche\.test\/docs\/problems#embed\.origin"/);
  assert.doesNotMatch(response.body, /Prototype|\/\/shop\.example/);
  const [, script = ''] = /<script>(.*)<\/script>/s.exec(response.body) ?? [];
  assert.equal(response.body.split('<script').length, 2);
  assert.doesNotMatch(script, /shop/);
  const hash = createHash('sha256').update(script).digest('base64');
  const { headers } = response;
  assert.equal(
    `${headers['content-security-policy']}`.replace(/style-src 'sha256-[A-Za-z0-9+/]{43}='/, 'S'),
    `default-src 'none'; script-src 'sha256-${hash}'; S; base-uri 'none'; form-action 'none'`,
  );
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
  assert.equal(headers['cross-origin-embedder-policy'], 'require-corp');
  assert.equal(headers['referrer-policy'], 'no-referrer');
});

test('403: the JSON has the full advice, with what the token lists', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const response = await getFramedDocument(service, design.id, token, {
    ...IFRAME_HEADERS,
    referer: 'https://www.shop.example/chairs',
    accept: 'application/json',
  });
  assert.match(response.json().detail, /The list has https:\/\/shop\.example, without/);
});

test('409: a page that waits for its design sends its own URL only if the gate knows the page around it', async (t) => {
  const { processor: modelProcessor, release } = createBlockingProcessor();
  const service = await openTestServer(t, { processing: { modelProcessor } });
  t.after(release);
  const upload = await sendRequest(service, 'POST', '/v1/designs', makeBox(), {
    ...GLB_HEADERS,
    prefer: 'wait=0',
  });
  const { token } = await issueToken(service, { origins: [SHOP_ORIGIN, 'http://shop.example'] });
  for (const [headers, referrerPolicy] of [
    [{ 'sec-fetch-dest': 'iframe', referer: 'http://shop.example/' }, 'same-origin'],
    [{ 'sec-fetch-dest': 'iframe' }, 'no-referrer'],
  ] as const) {
    const response = await getFramedDocument(service, upload.json().id, token, headers);
    assert.equal(response.headers.refresh, '3', response.body);
    assert.equal(response.headers['referrer-policy'], referrerPolicy);
  }
});

test('400 and above: the error page escapes everything that the request contains', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const markup = '"><img src=x onerror=alert(1)>';
  const rows: [token: string, id: string, headers: Record<string, string>][] = [
    [encodeURIComponent(markup), design.id, IFRAME_HEADERS],
    [token, encodeURIComponent(markup), IFRAME_HEADERS],
    [token, design.id, { ...IFRAME_HEADERS, referer: `https://a.example${markup}` }],
    [token, design.id, { ...IFRAME_HEADERS, referer: `https://${markup}/` }],
    [token, design.id, { ...IFRAME_HEADERS, origin: markup }],
    [token, design.id, { 'sec-fetch-dest': markup }],
    [token, design.id, { ...IFRAME_HEADERS, host: markup }],
    [token, design.id, { ...IFRAME_HEADERS, accept: 'image/<b>' }],
  ];
  for (const [text, id, headers] of rows) {
    const response = await getFramedDocument(service, id, text, headers);
    assert.ok(response.statusCode >= 400, JSON.stringify(headers));
    assert.ok(!response.body.includes('<img'), response.body);
    assert.equal(response.headers['content-type'], 'text/html; charset=utf-8');
  }
});

test('401: JSON instead of the error page, if the client prefers it', async (t) => {
  const service = await openTestServer(t);
  const rows: [accept: string, type: string][] = [
    ['application/json', 'application/problem+json; charset=utf-8'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html; charset=utf-8'],
    ['text/html, application/json', 'text/html; charset=utf-8'],
    ['*/*', 'text/html; charset=utf-8'],
  ];
  for (const [accept, type] of rows) {
    const response = await getFramedDocument(service, UNKNOWN_DESIGN_ID, '', {
      ...IFRAME_HEADERS,
      accept,
    });
    assert.equal(response.headers['content-type'], type, accept);
    assert.equal(response.statusCode, 401);
  }
});
