import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import { HOST_HEADER, sendRequest } from '../../testing/requests.ts';
import { PublicHost } from './public-host.ts';

const hostCases: [publicUrl: string, host: string, ours: boolean][] = [
  ['https://cloche.example', 'cloche.example', true],
  ['https://cloche.example', 'cloche.example:443', false],
  ['https://cloche.example', 'www.cloche.example', false],
  ['https://cloche.example', 'cloche.example.', false],
  ['https://cloche.example', 'localhost', false],
  ['https://cloche.example', '', false],
  ['https://cloche.example:8443', 'cloche.example:8443', true],
  ['https://cloche.example:8443', 'cloche.example', false],
  ['http://localhost:8787', 'localhost:8787', true],
  ['http://localhost:8787', '127.0.0.1:8787', true],
  ['http://localhost:8787', '127.1.2.3:8787', true],
  ['http://localhost:8787', '[::1]:8787', true],
  ['http://localhost:8787', 'cloche.localhost:8787', true],
  ['http://127.0.0.1:8787', 'localhost:8787', true],
  ['http://localhost:8787', 'localhost:8788', false],
  ['http://localhost:8787', 'localhost', false],
  ['http://localhost:8787', '127.0.0.1.evil.example:8787', false],
  ['http://localhost:8787', 'localhost.evil.example:8787', false],
  ['http://localhost:8787', 'evil.example:8787', false],
  ['http://localhost:8787', 'evil.example', false],
  ['http://localhost:8787', 'a@localhost:8787', false],
];

for (const [publicUrl, host, ours] of hostCases) {
  test(`${publicUrl} ${ours ? 'answers' : 'does not answer'} for "${host}"`, () => {
    assert.equal(new PublicHost(publicUrl).matchesHost(host), ours);
  });
}

const originCases: [publicUrl: string, origin: string, own: boolean][] = [
  ['https://cloche.example', 'https://cloche.example', true],
  ['https://cloche.example', 'http://cloche.example', false],
  ['https://cloche.example', 'https://evil.example', false],
  ['https://cloche.example', 'null', false],
  ['http://localhost:8787', 'http://127.0.0.1:8787', true],
  ['http://localhost:8787', 'https://127.0.0.1:8787', false],
  ['http://localhost:8787', 'http://127.0.0.1:5173', false],
];

for (const [publicUrl, origin, own] of originCases) {
  test(`to ${publicUrl}, ${origin} is ${own ? 'its own' : 'another'}`, () => {
    assert.equal(new PublicHost(publicUrl).isSameOrigin(origin), own);
  });
}

test('421: a request for another host is answered by none of our routes', async (t) => {
  const { app, token } = await openTestServer(t);
  for (const url of ['/v1/tokens', '/embed/iframe/v1/x', '/openapi.json', '/nothing']) {
    for (const host of ['evil.example', 'cloche.test.evil.example', 'cloche.test:8080', '']) {
      const headers = { host, authorization: `Bearer ${token}` };
      const answer = await app.inject({ url, headers });
      assert.equal(answer.statusCode, 421, `${url} for ${host}`);
    }
  }
  const upper = { host: 'CLOCHE.test', authorization: `Bearer ${token}` };
  assert.equal((await app.inject({ url: '/v1/tokens', headers: upper })).statusCode, 200);
});

test('200: the probes answer under any name, for they know only an address', async (t) => {
  const { app } = await openTestServer(t);
  for (const url of ['/livez', '/readyz']) {
    const answer = await app.inject({ url, headers: { host: '10.0.0.7:8787' } });
    assert.equal(answer.statusCode, 200);
    assert.deepEqual(answer.json(), { ok: true });
  }
});

test('404: what is not there, is not there in our own words', async (t) => {
  const service = await openTestServer(t);
  const urls = [
    ...['/v1', '/v1/', '/v1/token', '/embed', '/embed/iframe/v2', '/index.php', '/%2e%2e/x'],
    ...['//evil.example', '/v1/tokens/a/b', '/__proto__', `/v1/tokens/${'a'.repeat(300)}`],
  ];
  for (const url of urls) {
    const answer = await sendRequest(service, 'GET', url);
    assert.equal(answer.statusCode, 404, url);
    assert.equal(answer.headers['content-type'], 'application/problem+json; charset=utf-8');
    assert.equal(answer.json().code, 'route.unknown');
    assert.ok(!answer.body.includes('aaaa'));
  }
});

test('400: an address that cannot be decoded', async (t) => {
  const service = await openTestServer(t);
  for (const url of ['/v1/tokens/%zz', '/%', '/v1/designs/%ff%fe']) {
    const answer = await sendRequest(service, 'GET', url);
    assert.equal(answer.statusCode, 400, url);
    assert.equal(answer.headers['content-type'], 'application/problem+json; charset=utf-8');
    assert.equal(answer.json().code, 'request.malformed');
  }
});

test('405: the answer lists what the address does answer', async (t) => {
  const { app } = await openTestServer(t);
  const rows: [method: string, url: string, allow: string][] = [
    ['PUT', '/v1/tokens', 'POST, GET, HEAD'],
    ['DELETE', '/v1/tokens?x=1', 'POST, GET, HEAD'],
    ['OPTIONS', '/v1/tokens/tok_1', 'GET, HEAD, PATCH, DELETE'],
    ['POST', '/v1/designs/8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55/model', 'GET, HEAD, PUT'],
    ['GET', '/embed/iframe/v1', 'POST'],
    ['POST', '/livez', 'GET, HEAD'],
    ['PROPFIND', '/livez', 'GET, HEAD'],
  ];
  for (const [method, url, allow] of rows) {
    const answer = await app.inject({ method: method as 'GET', url, headers: HOST_HEADER });
    assert.equal(answer.statusCode, 405, `${method} ${url}`);
    assert.equal(answer.headers.allow, allow);
    assert.equal(answer.json().code, 'route.method');
  }
});

test('406: a type nobody can send is refused before anything is done', async (t) => {
  const service = await openTestServer(t);
  for (const accept of ['text/html', 'image/png', 'application/json;q=0', 'application/xml']) {
    const answer = await sendRequest(service, 'GET', '/v1/tokens', undefined, { accept });
    assert.equal(answer.statusCode, 406, accept);
    assert.equal(answer.json().field, 'header.accept');
    assert.match(answer.json().detail, /application\/json/);
  }
  for (const accept of ['*/*', 'application/*', 'text/html, application/json;q=0.1', '']) {
    const answer = await sendRequest(service, 'GET', '/v1/tokens', undefined, { accept });
    assert.equal(answer.statusCode, 200, accept);
  }
});

test('413: a JSON body over a megabyte', async (t) => {
  const service = await openTestServer(t);
  const answer = await sendRequest(service, 'POST', '/v1/tokens', `"${'a'.repeat(1024 * 1024)}"`);
  assert.equal(answer.statusCode, 413);
  assert.equal(answer.json().code, 'request.too-large');
});

test('415: a body of another type, or of none, is not guessed at', async (t) => {
  const service = await openTestServer(t);
  const types = [
    ...['text/plain', 'text/json', 'application/x-www-form-urlencoded', 'application/jsonx'],
    ...['multipart/form-data; boundary=x', 'model/gltf-binary', 'nonsense', ''],
  ];
  for (const type of types) {
    const answer = await sendRequest(service, 'POST', '/v1/tokens', '{}', { 'content-type': type });
    assert.equal(answer.statusCode, 415, type);
    assert.match(answer.json().detail, /application\/json/);
  }
  const spoken = { 'content-type': 'Application/JSON; charset=utf-8' };
  assert.equal((await sendRequest(service, 'POST', '/v1/tokens', '{}', spoken)).statusCode, 400);
});
