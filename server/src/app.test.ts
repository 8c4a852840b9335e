import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFolder } from '../testing/ground.ts';
import { openService } from '../testing/harness.ts';
import { ask, HOST, issue, SHOP, upload } from '../testing/requests.ts';
import { plainWorkshop } from '../testing/workshop.ts';
import { type App, buildApp } from './app.ts';
import { DiskBlobs } from './blobs/disk.ts';
import { migrate } from './database/migrate.ts';
import { openSqlite } from './database/sqlite.ts';
import { makeFirstUser } from './tokens/first.ts';
import { Arrivals } from './uploads/arrivals.ts';

test('four steps: a file, its HTML, a token, and the design is on the page', async (t) => {
  const service = await openService(t);
  const { uri } = await upload(service);
  const html = await ask(service, 'POST', '/embed/iframe/v1', { uri });
  const wish = { capabilities: ['embed'], origins: [SHOP], type: 'api', user: '~' };
  const { token } = (await ask(service, 'POST', '/v1/tokens', wish)).json();
  const pasted = html.body.replace('CLOCHE_EMBED_TOKEN', token);
  const src = /src="([^"]+)"/.exec(pasted)?.[1] ?? '';
  const shown = await service.app.inject({
    url: src,
    headers: { ...HOST, referer: `${SHOP}/`, 'sec-fetch-dest': 'iframe' },
  });
  assert.equal(shown.statusCode, 200);
});

test('every route says what it needs, and these are open to all', async (t) => {
  const { app } = await openService(t);
  const open = await openRoutes(app);
  assert.deepEqual(open, [
    '/embed/assets/x',
    '/embed/iframe/v1/x',
    '/embed/viewer/x',
    '/livez',
    '/readyz',
  ]);
});

/** Addresses that answer other than 401 to somebody without a token. */
async function openRoutes(app: App): Promise<string[]> {
  const id = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
  const found: string[] = [];
  for (const url of [
    ...['/livez', '/readyz', '/embed/iframe/v1/x', '/embed/assets/x', '/embed/viewer/x'],
    ...['/v1/tokens', '/v1/tokens/x', '/v1/designs', `/v1/designs/${id}`],
    `/v1/designs/${id}/model`,
  ]) {
    const answer = await app.inject({ url, headers: { ...HOST, accept: 'application/json, */*' } });
    if (answer.json().code !== 'token.missing' || url.startsWith('/embed')) found.push(url);
  }
  for (const url of ['/v1/tokens', '/v1/tokens/check', '/v1/designs', '/embed/iframe/v1']) {
    const answer = await app.inject({ method: 'POST', url, headers: HOST });
    assert.equal(answer.json().code, 'token.missing', url);
  }
  for (const method of ['PATCH', 'DELETE'] as const) {
    for (const url of ['/v1/tokens/x', `/v1/designs/${id}`]) {
      const answer = await app.inject({ method, url, headers: HOST });
      assert.equal(answer.json().code, 'token.missing', `${method} ${url}`);
    }
  }
  return found.sort();
}

test('a route that does not say what it needs cannot be added', async (t) => {
  const { app } = await openService(t);
  assert.throws(() => app.get('/forgotten', async () => 'all of it'));
});

test('the first token is shown once, and committed only when it was shown', async (t) => {
  const database = openSqlite(join(await openFolder(t), 'cloche.sqlite'));
  t.after(() => database.destroy());
  await migrate(database);
  const shown: string[] = [];
  const fail = async () => {
    throw new Error('the screen is full');
  };
  await assert.rejects(makeFirstUser(database, new Date(), fail), /the screen is full/);
  const show = async (token: string) => void shown.push(token);
  await makeFirstUser(database, new Date(), show);
  await makeFirstUser(database, new Date(), show);
  assert.equal(shown.length, 1);
  assert.match(shown[0] ?? '', /^cloche_sk_/);
});

test('all there was is there after a restart', async (t) => {
  const first = await openService(t);
  const design = await upload(first);
  const { token, id } = await issue(first);
  const database = openSqlite(join(first.folder, 'cloche.sqlite'));
  await migrate(database);
  const workshop = plainWorkshop(first.folder);
  const app = await buildApp({
    database,
    blobs: await DiskBlobs.open(join(first.folder, 'blobs')),
    arrivals: await Arrivals.open(join(first.folder, 'uploads')),
    viewer: { page: '{{title}}', scriptHashes: [], styleHashes: [], assets: new Map() },
    publicUrl: first.origin,
    grantKey: Buffer.alloc(32, 7),
    maxUploadBytes: 1024,
    workshop,
  });
  t.after(async () => {
    await app.close();
    await database.destroy();
  });
  const second = { app, token: first.token };
  assert.deepEqual((await ask(second, 'GET', '/v1/designs')).json().items, [design]);
  assert.equal((await ask(second, 'GET', `/v1/tokens/${id}`)).statusCode, 200);
  assert.equal((await ask(second, 'GET', `/v1/designs/${design.id}/model`)).statusCode, 200);
  const url = `/embed/iframe/v1/${design.id}?token=${token}`;
  const shown = await app.inject({
    url,
    headers: { ...HOST, referer: `${SHOP}/`, 'sec-fetch-dest': 'iframe' },
  });
  assert.equal(shown.body, 'Oak chair');
});
