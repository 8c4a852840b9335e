import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import { HOST_HEADER, sendRequest } from '../../testing/requests.ts';

test('404: unknown URLs get a problem that does not repeat the URL', async (t) => {
  const service = await openTestServer(t);
  const urls = [
    ...['/v1', '/v1/', '/v1/token', '/embed', '/embed/iframe/v2', '/index.php', '/%2e%2e/x'],
    ...['//evil.example', '/v1/tokens/a/b', '/__proto__', `/v1/tokens/${'a'.repeat(300)}`],
  ];
  for (const url of urls) {
    const response = await sendRequest(service, 'GET', url);
    assert.equal(response.statusCode, 404, url);
    assert.equal(response.headers['content-type'], 'application/problem+json; charset=utf-8');
    assert.equal(response.json().code, 'route.unknown');
    assert.ok(!response.body.includes('aaaa'));
  }
});

test('400: a URL that cannot be decoded', async (t) => {
  const service = await openTestServer(t);
  for (const url of ['/v1/tokens/%zz', '/%', '/v1/designs/%ff%fe']) {
    const response = await sendRequest(service, 'GET', url);
    assert.equal(response.statusCode, 400, url);
    assert.equal(response.headers['content-type'], 'application/problem+json; charset=utf-8');
    assert.equal(response.json().code, 'request.malformed');
  }
});

test('405: the Allow header lists the methods of the URL', async (t) => {
  const { app } = await openTestServer(t);
  const cases: [method: string, url: string, allow: string][] = [
    ['PUT', '/v1/tokens', 'POST, GET, HEAD'],
    ['DELETE', '/v1/tokens?x=1', 'POST, GET, HEAD'],
    ['OPTIONS', '/v1/tokens/tok_1', 'GET, HEAD, PATCH, DELETE'],
    ['POST', '/v1/designs/8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55/model', 'GET, HEAD, PUT'],
    ['GET', '/embed/iframe/v1', 'POST'],
    ['POST', '/livez', 'GET, HEAD'],
    ['PROPFIND', '/livez', 'GET, HEAD'],
  ];
  for (const [method, url, allow] of cases) {
    const response = await app.inject({ method: method as 'GET', url, headers: HOST_HEADER });
    assert.equal(response.statusCode, 405, `${method} ${url}`);
    assert.equal(response.headers.allow, allow);
    assert.equal(response.json().code, 'route.method');
  }
});

test('406: the Accept header has no type that the route can send', async (t) => {
  const service = await openTestServer(t);
  for (const accept of ['text/html', 'image/png', 'application/json;q=0', 'application/xml']) {
    const response = await sendRequest(service, 'GET', '/v1/tokens', undefined, { accept });
    assert.equal(response.statusCode, 406, accept);
    assert.equal(response.json().field, 'header.accept');
    assert.match(response.json().detail, /application\/json/);
  }
  for (const accept of ['*/*', 'application/*', 'text/html, application/json;q=0.1', '']) {
    const response = await sendRequest(service, 'GET', '/v1/tokens', undefined, { accept });
    assert.equal(response.statusCode, 200, accept);
  }
});

test('413: a JSON body of more than 1 MiB', async (t) => {
  const service = await openTestServer(t);
  const response = await sendRequest(service, 'POST', '/v1/tokens', `"${'a'.repeat(1024 * 1024)}"`);
  assert.equal(response.statusCode, 413);
  assert.equal(response.json().code, 'request.too-large');
});

test('415: a body of another type or without a type', async (t) => {
  const service = await openTestServer(t);
  const types = [
    ...['text/plain', 'text/json', 'application/x-www-form-urlencoded', 'application/jsonx'],
    ...['multipart/form-data; boundary=x', 'model/gltf-binary', 'nonsense', ''],
  ];
  for (const type of types) {
    const response = await sendRequest(service, 'POST', '/v1/tokens', '{}', {
      'content-type': type,
    });
    assert.equal(response.statusCode, 415, type);
    assert.match(response.json().detail, /application\/json/);
  }
  const mixedCase = { 'content-type': 'Application/JSON; charset=utf-8' };
  assert.equal((await sendRequest(service, 'POST', '/v1/tokens', '{}', mixedCase)).statusCode, 400);
});
