import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import {
  GLB_HEADERS,
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { signIn } from '../../testing/sessions.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import { createUpload, TUS_PATCH_HEADERS } from '../../testing/tus-requests.ts';

/** Of the design of the second user. */
const TAG = 'a tag of anna';
const ALL = { capabilities: ['read', 'write', 'embed'], origins: [] };

/** A server with two users. Each has a token, and the second one also a design, an upload and a session. */
async function openServerWithUsers(t: TestContext) {
  const service = await openTestServer(t);
  await connectToServerDatabase(t, service).exec(
    `INSERT INTO "user" (id, name, created_at) VALUES ('usr_anna', 'anna', '2026-01-01T00:00:00.000Z')`,
  );
  const { id: tokenId, token } = await issueToken(service, { ...ALL, user: 'anna' });
  const anna: TestServer = { ...service, token };
  const design = await uploadTestDesign(anna);
  await sendRequest(anna, 'PATCH', `/v1/designs/${design.id}`, { tags: [TAG] });
  const uploadPath = await createUpload(anna, makeBox().length);
  const uploadId = uploadPath.split('/').at(-1) ?? '';
  const { session } = await signIn(anna);
  return { service, anna, design, tokenId, uploadId, sessionId: session.id };
}

/** Routes that only operators may call. */
const OPERATOR_PATH = /^\/v1\/(nodes|users|jobs|system|storage|log-level|metrics)\b/;

const OPERATOR_ROUTES_WITH_ID = new Set([
  'GET /v1/users/{id}',
  'PATCH /v1/users/{id}',
  'POST /v1/users/{id}/sign-in-link',
  'POST /v1/jobs/{id}/retry',
  'POST /v1/jobs/{id}/cancel',
]);

const BODIES: Record<string, [body: object | Buffer, headers?: Record<string, string>]> = {
  'PATCH /v1/designs/{id}': [{ name: 'changed' }],
  'PATCH /v1/tokens/{id}': [{ name: 'changed' }],
  'PATCH /v1/uploads/{id}': [makeBox(), { ...TUS_PATCH_HEADERS, 'upload-offset': '0' }],
  'POST /v1/tokens/{id}/rotate': [{}],
  'PUT /v1/designs/{id}/model': [makeBox(), GLB_HEADERS],
};

test('404: no route with an id serves what belongs to another user', async (t) => {
  const { service, design, tokenId, uploadId, sessionId } = await openServerWithUsers(t);
  const ids: Record<string, string> = {
    designs: design.id,
    tokens: tokenId,
    uploads: uploadId,
    sessions: sessionId,
  };
  const { paths } = (await sendRequest(service, 'GET', '/openapi.json')).json();
  const routes = Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
  const tested = routes.filter(({ path }) =>
    /^\/v1\/(designs|tokens|uploads|sessions)\/\{id\}/.test(path),
  );
  assert.ok(tested.length >= 12, `${tested.length} routes`);
  const untested = routes.filter((route) => route.path.includes('{') && !tested.includes(route));
  assert.deepEqual(
    untested.filter(({ path }) => path.startsWith('/v1/') && !OPERATOR_PATH.test(path)),
    [],
  );
  for (const { method, path } of tested) {
    const [, collection = ''] = /^\/v1\/(\w+)/.exec(path) ?? [];
    const url = path.replace('{id}', ids[collection] ?? '').replaceAll(/\{\w+\}/g, '1');
    const [body, headers = {}] = BODIES[`${method} ${path}`] ?? [undefined];
    const all = { 'tus-resumable': '1.0.0', ...headers };
    const response = await sendRequest(service, method as 'GET', url, body, all);
    // Posters have signed URLs instead of tokens.
    const isPoster = path === '/v1/designs/{id}/poster' && method !== 'POST';
    assert.equal(response.statusCode, isPoster ? 403 : 404, `${method} ${path} ${response.body}`);
    if (method === 'HEAD' || isPoster) continue;
    assert.match(response.json().code, /^(design|upload|session)\.unknown$|^token\.not-found$/);
  }
});

test('403: no route for operators serves another user, or a limited token of an operator', async (t) => {
  const { service, anna } = await openServerWithUsers(t);
  const { paths } = (await sendRequest(service, 'GET', '/openapi.json')).json();
  const routes = Object.entries<object>(paths)
    .filter(([path]) => OPERATOR_PATH.test(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => [method, path] as const));
  assert.ok(routes.length >= 13, `${routes.length} routes`);
  const names = routes.map(([method, path]) => `${method.toUpperCase()} ${path}`);
  assert.deepEqual(OPERATOR_ROUTES_WITH_ID.difference(new Set(names)), new Set());
  const origins = [SHOP_ORIGIN];
  const limited = await issueToken(service, { capabilities: ['read', 'write'], origins });
  const clients = [anna, { ...service, token: limited.token }];
  for (const [method, path] of routes)
    for (const client of clients) {
      const url = path.replaceAll(/\{\w+\}/g, 'usr_anna');
      const headers = client === anna ? {} : { origin: SHOP_ORIGIN };
      const name = method.toUpperCase() as 'GET';
      const response = await sendRequest(client, name, url, undefined, headers);
      assert.equal(response.statusCode, 403, `${method} ${path} ${response.body}`);
      assert.equal(response.json().code, 'token.operator');
    }
});

test('lists, embeds and checks contain nothing of another user', async (t) => {
  const { service, anna, design, tokenId } = await openServerWithUsers(t);
  for (const [path, id] of [
    ['/v1/designs', design.id],
    ['/v1/tokens', tokenId],
    ['/v1/tags', TAG],
  ] as const) {
    const list = async (client: TestServer) => (await sendRequest(client, 'GET', path)).body;
    assert.ok((await list(anna)).includes(id));
    assert.ok(!(await list(service)).includes(id), path);
  }
  const snippet = await sendRequest(service, 'POST', '/embed/iframe/v1', { uri: design.uri });
  assert.equal(snippet.json().code, 'design.unknown');

  const { token: publicToken } = await issueToken(service);
  const framed = await service.app.inject({
    url: `/embed/iframe/v1/${design.id}?token=${publicToken}`,
    headers: {
      ...HOST_HEADER,
      referer: `${SHOP_ORIGIN}/`,
      'sec-fetch-dest': 'iframe',
      accept: 'application/json',
    },
  });
  assert.equal(framed.json().code, 'design.unknown');

  const check = { tokenId, design: design.id, ancestors: [SHOP_ORIGIN] };
  const checked = await sendRequest(service, 'POST', '/v1/tokens/check', check);
  assert.equal(checked.json().code, 'token.not-found');
});
