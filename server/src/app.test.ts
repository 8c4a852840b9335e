import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestProcessing } from '../testing/fake-processing.ts';
import { openTestServer } from '../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../testing/requests.ts';
import { type App, buildApp } from './app.ts';
import { DiskBlobStore } from './blobs/disk-blob-store.ts';
import { migrate } from './database/migrate.ts';
import { openSqlite } from './database/sqlite.ts';
import { TusUploadStore } from './uploads/tus-upload-store.ts';

test('200: an uploaded design is shown by the pasted snippet with a new token', async (t) => {
  const service = await openTestServer(t);
  const { uri } = await uploadTestDesign(service);
  const html = await sendRequest(service, 'POST', '/embed/iframe/v1', { uri });
  const request = { capabilities: ['embed'], origins: [SHOP_ORIGIN], type: 'api', user: '~' };
  const { token } = (await sendRequest(service, 'POST', '/v1/tokens', request)).json();
  const pasted = html.body.replace('CLOCHE_EMBED_TOKEN', token);
  const src = /src="([^"]+)"/.exec(pasted)?.[1] ?? '';
  const shown = await service.app.inject({
    url: src,
    headers: { ...HOST_HEADER, referer: `${SHOP_ORIGIN}/`, 'sec-fetch-dest': 'iframe' },
  });
  assert.equal(shown.statusCode, 200);
});

test('401: every route needs a token, except these', async (t) => {
  const { app } = await openTestServer(t);
  assert.deepEqual(await findPublicUrls(app), [
    '/embed/assets/x',
    '/embed/iframe/v1/x',
    '/embed/viewer/x',
    '/livez',
    '/readyz',
  ]);
});

/** Finds the URLs that respond without a token. */
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

test('tokens and designs are still there after a restart', async (t) => {
  const first = await openTestServer(t);
  const design = await uploadTestDesign(first);
  const { token, id } = await issueToken(first);
  const database = openSqlite(join(first.dataDirectory, 'cloche.sqlite'));
  await migrate(database);
  const processing = createTestProcessing(first.dataDirectory);
  const app = await buildApp({
    database,
    blobs: await DiskBlobStore.open(join(first.dataDirectory, 'blobs')),
    tusUploads: await TusUploadStore.open(join(first.dataDirectory, 'uploads')),
    viewer: {
      template: '{{title}}',
      scriptHashes: [],
      styleHashes: [],
      assets: new Map(),
      messages: {},
    },
    publicUrl: first.origin,
    grantKey: Buffer.alloc(32, 7),
    maxUploadBytes: 1024,
    processing,
  });
  t.after(async () => {
    await app.close();
    await database.destroy();
  });
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
  assert.equal(shown.body, 'Oak chair');
});
