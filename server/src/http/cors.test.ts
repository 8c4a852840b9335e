import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { RawConnection } from '../../testing/raw-connection.ts';
import {
  GLB_HEADERS,
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  UNKNOWN_DESIGN_ID,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import { EXPOSED_HEADERS } from './cors.ts';

const EVIL_ORIGIN = 'https://evil.example';
const TUS = { 'tus-resumable': '1.0.0' };
const ALL = ['read', 'write', 'embed'];

type Method = Parameters<typeof sendRequest>[1];
type Response = Awaited<ReturnType<typeof sendRequest>>;

/** Opens a server, and creates a token with all capabilities for the pages of the shop. */
async function openWithPageToken(t: Parameters<typeof openTestServer>[0]) {
  const service = await openTestServer(t);
  const { token } = await issueToken(service, { capabilities: ALL, origins: [SHOP_ORIGIN] });
  return { ...service, admin: service.token, token };
}

const sendPreflight = ({ app }: Pick<TestServer, 'app'>, url: string, headers: object) =>
  app.inject({
    method: 'OPTIONS',
    url,
    headers: { ...HOST_HEADER, 'access-control-request-method': 'PUT', ...headers },
  });

const findCorsHeaders = ({ headers }: Pick<Response, 'headers'>) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

function assertReadable(response: Response, origin: string, context: string): void {
  assert.equal(response.headers['access-control-allow-origin'], origin, context);
  assert.equal(response.headers['access-control-allow-credentials'], undefined, context);
  assert.match(`${response.headers.vary}`, /\borigin\b/, context);
}

/** Every operation in the API description that needs a token, with ids in its path. */
async function listTokenOperations({ app }: Pick<TestServer, 'app'>): Promise<[Method, string][]> {
  const { paths } = (await app.inject({ url: '/openapi.json', headers: HOST_HEADER })).json();
  const operations = Object.entries<object>(paths).flatMap(([path, item]) =>
    Object.entries<{ security?: object[] }>(item as never)
      .filter(([, { security }]) => security?.some((scheme) => 'apiToken' in scheme))
      .map(([method]): [Method, string] => [
        method.toUpperCase() as Method,
        path.replace(/\{\w+\}/g, UNKNOWN_DESIGN_ID),
      ]),
  );
  assert.ok(operations.length >= 19, JSON.stringify(operations));
  return operations;
}

test('204: a preflight for every route with a token, from any well-formed origin, without a token', async (t) => {
  const service = await openTestServer(t);
  const operations = [...(await listTokenOperations(service)), ['GET', '/v1/none'] as const];
  for (const [method, url] of operations) {
    const response = await sendPreflight(service, url, {
      origin: EVIL_ORIGIN,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type',
    });
    assert.equal(response.statusCode, 204, url);
    assertReadable(response, EVIL_ORIGIN, url);
    const { headers } = response;
    assert.ok(headers['access-control-allow-methods']?.split(', ').includes(method), url);
    assert.equal(headers['access-control-allow-headers'], 'authorization,content-type');
    assert.equal(headers['access-control-max-age'], '7200');
    assert.match(`${headers.vary}`, /access-control-request-headers/);
  }
});

test('preflight requests: which origins are well formed', async (t) => {
  const service = await openTestServer(t);
  const cases: [origin: string, allowed: boolean][] = [
    ['https://shop.example', true],
    ['http://localhost:5173', true],
    ['http://[::1]:5173', true],
    ['https://a_b.shop.example', true],
    ['capacitor://localhost', true],
    ['null', true],
    ['', false],
    ['*', false],
    ['https://*', false],
    ['https://shop.example/', false],
    ['https://shop.example, https://evil.example', false],
    ['https://shop.example https://evil.example', false],
    ['HTTPS://SHOP.EXAMPLE', false],
    ['https://user@shop.example', false],
    ['shop.example', false],
    [`https://${'a'.repeat(300)}.example`, false],
  ];
  for (const [origin, allowed] of cases) {
    const response = await sendPreflight(service, '/v1/designs', { origin });
    assert.equal(response.statusCode === 204, allowed, origin);
    assert.equal(response.headers['access-control-allow-origin'], allowed ? origin : undefined);
    const request = { url: '/v1/designs', headers: { ...HOST_HEADER, origin } };
    const { headers } = await service.app.inject(request);
    assert.equal(headers['access-control-allow-origin'], allowed ? origin : undefined, origin);
  }
});

test('a preflight allows header names, and nothing else', async (t) => {
  const service = await openTestServer(t);
  for (const [names, allowed] of [
    ['authorization,tus-resumable,upload-length,x-custom', true],
    ['authorization,if-match', true],
    ['Authorization, Content-Type', true],
    ['a\tb', false],
    ['a,,b', false],
    ['*', false],
  ] as const) {
    const headers = { origin: SHOP_ORIGIN, 'access-control-request-headers': names };
    const response = await sendPreflight(service, '/v1/designs', headers);
    const sent = response.headers['access-control-allow-headers'];
    assert.equal(sent, allowed ? names : undefined, names);
  }
});

test('public routes have no CORS headers: the framed document, its files, the docs', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const { token } = await issueToken(service);
  const hash = 'a'.repeat(64);
  for (const url of [
    `/embed/iframe/v1/${design.id}?token=${token}`,
    `/embed/iframe/v1/${design.id}?token=x`,
    `/embed/assets/${hash}.glb`,
    '/embed/viewer/viewer-1.js',
    '/docs',
    '/openapi.json',
    '/livez',
  ]) {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE'] as const) {
      for (const accept of ['*/*', 'application/json']) {
        const headers = { ...HOST_HEADER, origin: SHOP_ORIGIN, accept };
        const response = await service.app.inject({ method, url, headers });
        assert.deepEqual(findCorsHeaders(response), [], `${method} ${url}`);
      }
    }
    const preflight = await sendPreflight(service, url, { origin: SHOP_ORIGIN });
    assert.deepEqual(findCorsHeaders(preflight), [], url);
  }
});

test('a page on a listed origin can do everything that its token may do', async (t) => {
  const service = await openWithPageToken(t);
  const page = { origin: SHOP_ORIGIN, 'sec-fetch-site': 'cross-site' };
  const send = async (method: Method, url: string, body?: object | string, headers = {}) => {
    const response = await sendRequest(service, method, url, body, { ...page, ...headers });
    assert.ok(response.statusCode < 300, `${method} ${url} ${response.body}`);
    assertReadable(response, SHOP_ORIGIN, `${method} ${url}`);
    assert.deepEqual(findHiddenHeaders(response), [], `${method} ${url}`);
    return response;
  };
  const design = (await send('POST', '/v1/designs?name=Chair', makeBox(), GLB_HEADERS)).json();
  await send('GET', '/v1/designs?limit=1');
  await send('GET', `/v1/designs/${design.id}`);
  const { headers } = await send('PATCH', `/v1/designs/${design.id}`, { name: 'Stool' });
  assert.match(`${headers.etag}`, /^"\d+"$/);
  const model = await send('GET', `/v1/designs/${design.id}/model`);
  await send('HEAD', `/v1/designs/${design.id}/model`);
  assert.match(`${model.headers['access-control-expose-headers']}`, /\betag\b/);
  await send('PUT', `/v1/designs/${design.id}/model`, makeBox({ size: 2 }), GLB_HEADERS);
  await send('GET', `/v1/designs/${design.id}/revisions`);
  const events = await send('GET', `/v1/designs/${design.id}/events`);
  assert.match(events.body, /^event: design/);
  const snippet = await send('POST', '/embed/iframe/v1', { uri: design.uri });
  assert.match(snippet.body, /title="Stool"/);
  const child = { capabilities: ['embed'], origins: [SHOP_ORIGIN], type: 'api', user: '~' };
  const issued = (await send('POST', '/v1/tokens', child)).json();
  const check = { tokenId: issued.id, design: design.id, ancestors: [SHOP_ORIGIN] };
  await send('POST', '/v1/tokens/check', check);
  await send('DELETE', `/v1/tokens/${issued.id}`);

  const upload = await send('POST', '/v1/uploads', undefined, { ...TUS, 'upload-length': '4' });
  const { pathname } = new URL(`${upload.headers.location}`);
  await send('HEAD', pathname, undefined, TUS);
  const patchHeaders = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
  const patch = await send('PATCH', pathname, 'ab', { ...TUS, ...patchHeaders });
  assert.equal(patch.headers['upload-offset'], '2');
  await send('OPTIONS', '/v1/uploads', undefined, TUS);
  await send('DELETE', pathname, undefined, TUS);
  await send('DELETE', `/v1/designs/${design.id}`);
});

// Readable without being exposed (Fetch §2.2.6), or not meant for scripts.
const ALWAYS_READABLE = ['cache-control', 'content-length', 'content-type'];
const NOT_FOR_SCRIPTS =
  /^(access-control-.*|vary|connection|keep-alive|transfer-encoding|x-content-type-options|x-accel-buffering|content-security-policy|cross-origin-.*)$/;

function findHiddenHeaders({ headers }: Response): string[] {
  const readable = [...ALWAYS_READABLE, ...EXPOSED_HEADERS];
  return Object.keys(headers).filter(
    (name) => !readable.includes(name) && !NOT_FOR_SCRIPTS.test(name),
  );
}

test('every problem is readable, on listed and on other pages', async (t) => {
  const service = await openWithPageToken(t);
  const { id } = await uploadTestDesign({ ...service, token: service.admin });
  const json = { 'content-type': 'application/json' };
  const large = `{"a":"${'x'.repeat(1024 * 1024)}"}`;
  const cases: [
    status: number,
    method: Method,
    url: string,
    body?: object | string | undefined,
    headers?: object,
  ][] = [
    [401, 'GET', '/v1/designs', undefined, { authorization: '' }],
    [401, 'GET', '/v1/designs', undefined, { authorization: 'Bearer x' }],
    [404, 'GET', '/v1/none'],
    [405, 'PUT', '/v1/tokens', {}],
    [406, 'GET', '/v1/designs', undefined, { accept: 'text/css' }],
    [400, 'GET', '/%zz'],
    [421, 'GET', '/v1/designs', undefined, { host: 'other.example' }],
    [400, 'POST', '/v1/tokens', '{', json],
    [400, 'POST', '/v1/tokens', { capabilities: 'embed' }],
    [413, 'POST', '/v1/tokens', large, json],
    [415, 'POST', '/v1/tokens', 'x', { 'content-type': 'text/css' }],
    [404, 'GET', `/v1/designs/${UNKNOWN_DESIGN_ID}`],
    [422, 'PUT', `/v1/designs/${id}/model`, 'hello', GLB_HEADERS],
    [404, 'HEAD', '/v1/uploads/none', undefined, TUS],
    [412, 'POST', '/v1/uploads', undefined, { 'upload-length': '1' }],
  ];
  for (const [status, method, url, body, headers] of cases) {
    const response = await sendRequest(service, method, url, body, {
      origin: SHOP_ORIGIN,
      ...headers,
    });
    assert.equal(response.statusCode, status, `${method} ${url} ${response.body}`);
    assertReadable(response, SHOP_ORIGIN, `${method} ${url}`);
    assert.deepEqual(findHiddenHeaders(response), [], `${method} ${url}`);
  }
  await connectToServerDatabase(t, service).exec('ALTER TABLE design RENAME TO away');
  const failed = await sendRequest(service, 'GET', '/v1/designs', undefined, {
    origin: SHOP_ORIGIN,
  });
  assert.equal(failed.statusCode, 500);
  assertReadable(failed, SHOP_ORIGIN, '500');
  assert.ok(failed.headers['x-request-id']);
});

test('a problem of the HTTP parser is readable too', async (t) => {
  const service = await openTestServer(t, { listen: true });
  for (const [head, status] of [
    ['GET /li vez HTTP/1.1\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nx: ${'y'.repeat(17 * 1024)}\r\n\r\n`, 431],
  ] as const) {
    const response = await (await RawConnection.open(t, service)).write(head).readResponse();
    assert.equal(response?.status, status);
    assert.equal(response?.headers['access-control-allow-origin'], '*');
  }
});

test('403: a page on another origin reads the problem, and nothing about designs and tokens', async (t) => {
  const service = await openWithPageToken(t);
  const admin = { ...service, token: service.admin };
  const design = await uploadTestDesign(admin, 'Secret chair');
  const publicToken = (await issueToken(admin, { designs: [design.id] })).token;
  const operations = await listTokenOperations(service);
  for (const token of [service.token, publicToken]) {
    const bodies = new Set<string>();
    for (const [method, path] of operations) {
      for (const url of [path, path.replace(UNKNOWN_DESIGN_ID, design.id)]) {
        const client = { ...service, token };
        const response = await sendRequest(client, method, url, undefined, { origin: EVIL_ORIGIN });
        assert.equal(response.statusCode, 403, `${method} ${url}`);
        assertReadable(response, EVIL_ORIGIN, url);
        bodies.add(response.body);
      }
    }
    assert.equal(bodies.size, 1, 'the problem is the same for every route and design');
    const [body = ''] = bodies;
    assert.equal(JSON.parse(body).code, 'token.origin');
    assert.ok(body.includes(EVIL_ORIGIN));
    for (const text of ['shop.example', 'Secret', design.id]) assert.ok(!body.includes(text), body);
  }
  const secret = await sendRequest(admin, 'GET', '/v1/designs', undefined, { origin: EVIL_ORIGIN });
  assert.equal(secret.json().code, 'token.secret-in-browser');
  assertReadable(secret, EVIL_ORIGIN, 'secret token');
});

test('a response without Origin varies by it, and has no CORS headers', async (t) => {
  const service = await openTestServer(t);
  for (const [url, status] of [
    ['/v1/designs', 200],
    ['/v1/designs/x', 400],
    ['/v1/none', 404],
  ] as const) {
    const response = await sendRequest(service, 'GET', url);
    assert.equal(response.statusCode, status, url);
    assert.match(`${response.headers.vary}`, /\borigin\b/, url);
    assert.deepEqual(findCorsHeaders(response), [], url);
  }
});
