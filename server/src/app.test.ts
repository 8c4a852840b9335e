import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestServer } from '../testing/harness.ts';
import {
  CREATE_TOKEN_REQUEST,
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../testing/requests.ts';
import type { App } from './app.ts';
import { createSerializerCompiler } from './http/serializer-compiler.ts';
import { createValidatorCompiler } from './http/validator-compiler.ts';

test('200: an uploaded design is shown by the pasted snippet with a new token', async (t) => {
  const service = await openTestServer(t);
  const { uri } = await uploadTestDesign(service);
  const html = await sendRequest(service, 'POST', '/embed/iframe/v1', { uri });
  const { token } = (await sendRequest(service, 'POST', '/v1/tokens', CREATE_TOKEN_REQUEST)).json();
  const pasted = html.body.replace('CLOCHE_EMBED_TOKEN', token);
  const src = /src="([^"]+)"/.exec(pasted)?.[1] ?? '';
  const shown = await service.app.inject({
    url: src,
    headers: { ...HOST_HEADER, referer: `${SHOP_ORIGIN}/`, 'sec-fetch-dest': 'iframe' },
  });
  assert.equal(shown.statusCode, 200);
});

test('401: every route except health checks, embeds and their assets needs a token', async (t) => {
  const { app } = await openTestServer(t);
  assert.deepEqual(await findPublicUrls(app), [
    '/embed/assets/x',
    '/embed/iframe/v1/x',
    '/embed/viewer/x',
    '/livez',
    '/readyz',
  ]);
});

/** Finds the URLs that can be requested without a token in the Authorization header. */
async function findPublicUrls(app: App): Promise<string[]> {
  const id = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
  const publicUrls: string[] = [];
  for (const url of [
    '/livez',
    '/readyz',
    '/embed/iframe/v1/x',
    '/embed/assets/x',
    '/embed/viewer/x',
    '/v1/tokens',
    '/v1/tokens/x',
    '/v1/designs',
    `/v1/designs/${id}`,
    `/v1/designs/${id}/model`,
  ]) {
    const response = await app.inject({
      url,
      headers: { ...HOST_HEADER, accept: 'application/json, */*' },
    });
    if (response.json().code !== 'token.missing' || url.startsWith('/embed')) publicUrls.push(url);
  }
  for (const url of ['/v1/tokens', '/v1/tokens/check', '/v1/designs', '/embed/iframe/v1']) {
    const response = await app.inject({ method: 'POST', url, headers: HOST_HEADER });
    assert.equal(response.json().code, 'token.missing', url);
  }
  for (const method of ['PATCH', 'DELETE'] as const) {
    for (const url of ['/v1/tokens/x', `/v1/designs/${id}`]) {
      const response = await app.inject({ method, url, headers: HOST_HEADER });
      assert.equal(response.json().code, 'token.missing', `${method} ${url}`);
    }
  }
  return publicUrls.sort();
}

test('a route without config.auth cannot be added', async (t) => {
  const { app } = await openTestServer(t);
  assert.throws(() => app.get('/forgotten', async () => 'secret'));
});

test('the schemas of routes are compiled once for several apps of a process', async (t) => {
  await openTestServer(t);
  const compiled: string[] = [];
  const original = globalThis.Function;
  t.after(() => {
    globalThis.Function = original;
  });
  // Ajv and fast-json-stringify generate functions with these parameters.
  globalThis.Function = class extends original {
    constructor(...parts: string[]) {
      super(...parts);
      if (parts[0] === 'self' || parts[0] === 'validator') compiled.push(parts.at(-1) ?? '');
    }
  } as FunctionConstructor;
  const schema = { type: 'object', properties: { id: { type: 'string' } } };
  const route = { schema, method: 'GET', url: '/' };
  createSerializerCompiler()(route);
  assert.equal(compiled.length, 1);
  createValidatorCompiler()(route);
  assert.ok(compiled.length > 1);
  compiled.length = 0;
  await openTestServer(t);
  assert.deepEqual(compiled, []);
});

test('tokens and designs are available after a restart', async (t) => {
  const first = await openTestServer(t);
  const design = await uploadTestDesign(first);
  const { token, id } = await issueToken(first);
  await first.app.close();
  const { app } = await openTestServer(t, { dataDirectory: first.dataDirectory });
  const second = { app, token: first.token };
  assert.deepEqual((await sendRequest(second, 'GET', '/v1/designs')).json().items, [design]);
  assert.equal((await sendRequest(second, 'GET', `/v1/tokens/${id}`)).statusCode, 200);
  assert.equal(
    (await sendRequest(second, 'GET', `/v1/designs/${design.id}/model`)).statusCode,
    200,
  );
  const url = `/embed/iframe/v1/${design.id}?token=${token}`;
  const shown = await app.inject({
    url,
    headers: { ...HOST_HEADER, referer: `${SHOP_ORIGIN}/`, 'sec-fetch-dest': 'iframe' },
  });
  assert.match(shown.body, /<title>Oak chair/);
});
