import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
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
import { createInitialUser } from './startup/bootstrap-token.ts';
import { TusUploadStore } from './uploads/tus-upload-store.ts';

test('four steps: a file, its HTML, a token, and the design is on the page', async (t) => {
  const service = await openTestServer(t);
  const { uri } = await uploadTestDesign(service);
  const html = await sendRequest(service, 'POST', '/embed/iframe/v1', { uri });
  const wish = { capabilities: ['embed'], origins: [SHOP_ORIGIN], type: 'api', user: '~' };
  const { token } = (await sendRequest(service, 'POST', '/v1/tokens', wish)).json();
  const pasted = html.body.replace('CLOCHE_EMBED_TOKEN', token);
  const src = /src="([^"]+)"/.exec(pasted)?.[1] ?? '';
  const shown = await service.app.inject({
    url: src,
    headers: { ...HOST_HEADER, referer: `${SHOP_ORIGIN}/`, 'sec-fetch-dest': 'iframe' },
  });
  assert.equal(shown.statusCode, 200);
});

test('every route says what it needs, and these are open to all', async (t) => {
  const { app } = await openTestServer(t);
  const open = await findPublicRoutes(app);
  assert.deepEqual(open, [
    '/embed/assets/x',
    '/embed/iframe/v1/x',
    '/embed/viewer/x',
    '/livez',
    '/readyz',
  ]);
});

/** Addresses that answer other than 401 to somebody without a token. */
async function findPublicRoutes(app: App): Promise<string[]> {
  const id = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
  const found: string[] = [];
  for (const url of [
    ...['/livez', '/readyz', '/embed/iframe/v1/x', '/embed/assets/x', '/embed/viewer/x'],
    ...['/v1/tokens', '/v1/tokens/x', '/v1/designs', `/v1/designs/${id}`],
    `/v1/designs/${id}/model`,
  ]) {
    const answer = await app.inject({
      url,
      headers: { ...HOST_HEADER, accept: 'application/json, */*' },
    });
    if (answer.json().code !== 'token.missing' || url.startsWith('/embed')) found.push(url);
  }
  for (const url of ['/v1/tokens', '/v1/tokens/check', '/v1/designs', '/embed/iframe/v1']) {
    const answer = await app.inject({ method: 'POST', url, headers: HOST_HEADER });
    assert.equal(answer.json().code, 'token.missing', url);
  }
  for (const method of ['PATCH', 'DELETE'] as const) {
    for (const url of ['/v1/tokens/x', `/v1/designs/${id}`]) {
      const answer = await app.inject({ method, url, headers: HOST_HEADER });
      assert.equal(answer.json().code, 'token.missing', `${method} ${url}`);
    }
  }
  return found.sort();
}

test('a route that does not say what it needs cannot be added', async (t) => {
  const { app } = await openTestServer(t);
  assert.throws(() => app.get('/forgotten', async () => 'all of it'));
});

test('the first token is shown once, and committed only when it was shown', async (t) => {
  const database = openSqlite(join(await openTemporaryDirectory(t), 'cloche.sqlite'));
  t.after(() => database.destroy());
  await migrate(database);
  const shown: string[] = [];
  const fail = async () => {
    throw new Error('the screen is full');
  };
  await assert.rejects(createInitialUser(database, new Date(), fail), /the screen is full/);
  const show = async (token: string) => void shown.push(token);
  await createInitialUser(database, new Date(), show);
  await createInitialUser(database, new Date(), show);
  assert.equal(shown.length, 1);
  assert.match(shown[0] ?? '', /^cloche_sk_/);
});

test('all there was is there after a restart', async (t) => {
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
    viewer: { template: '{{title}}', scriptHashes: [], styleHashes: [], assets: new Map() },
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
