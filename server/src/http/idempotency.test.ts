import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { HeldBlobs } from '../../testing/ground.ts';
import { openService, type Service } from '../../testing/harness.ts';
import { makeBox } from '../../testing/models.ts';
import { ask, openDatabase, SHOP } from '../../testing/requests.ts';
import { plainWorkshop } from '../../testing/workshop.ts';
import { buildApp } from '../app.ts';
import { DiskBlobs } from '../blobs/disk.ts';
import { openSqlite } from '../database/sqlite.ts';
import { Arrivals } from '../uploads/arrivals.ts';

const WISH = { capabilities: ['embed'], origins: [SHOP], type: 'api', user: '~' };
const KEY = { 'idempotency-key': 'order-66' };
const DAY = 24 * 60 * 60 * 1000;

const issueOnce = (service: Pick<Service, 'app' | 'token'>, wish: object = WISH, key = KEY) =>
  ask(service, 'POST', '/v1/tokens', wish, key);

function countTokens(t: TestContext, service: Service): number {
  const row = openDatabase(t, service).prepare('SELECT count(*) AS n FROM token').get();
  return Number(row?.n);
}

test('201: a retry gets the first answer, token and all, and makes nothing', async (t) => {
  const service = await openService(t);
  const first = await issueOnce(service);
  service.pass(60_000);
  const retry = await issueOnce(service);
  assert.equal(retry.statusCode, 201);
  assert.equal(retry.body, first.body);
  assert.equal(retry.headers.location, first.headers.location);
  assert.equal(countTokens(t, service), 2);
  const shown = { app: service.app, token: retry.json().token };
  assert.equal((await ask(shown, 'GET', '/v1/tokens')).json().code, 'token.capability');
});

test('201: a retry after a restart gets the first answer', async (t) => {
  const service = await openService(t);
  const first = await issueOnce(service);
  await service.app.close();
  const database = openSqlite(join(service.folder, 'cloche.sqlite'));
  const workshop = plainWorkshop(service.folder);
  const app = await buildApp({
    database,
    blobs: await DiskBlobs.open(join(service.folder, 'blobs')),
    arrivals: await Arrivals.open(join(service.folder, 'uploads')),
    viewer: { page: '', scriptHashes: [], styleHashes: [], assets: new Map() },
    publicUrl: service.origin,
    grantKey: Buffer.alloc(32),
    maxUploadBytes: 1024,
    workshop,
  });
  t.after(async () => {
    await app.close();
    await database.destroy();
  });
  assert.equal((await issueOnce({ app, token: service.token })).body, first.body);
  assert.equal(countTokens(t, service), 2);
});

test('201: one key is another for another caller, and after a day', async (t) => {
  const service = await openService(t);
  const first = (await issueOnce(service)).json();
  const caller = (
    await ask(service, 'POST', '/v1/tokens', { ...WISH, capabilities: ['write', 'embed'] })
  ).json();
  const other = (await issueOnce({ app: service.app, token: caller.token })).json();
  assert.notEqual(other.token, first.token);

  service.pass(DAY - 60_000);
  assert.equal((await issueOnce(service)).json().token, first.token);
  service.pass(120_000);
  const next = await issueOnce(service);
  assert.equal(next.statusCode, 201);
  assert.notEqual(next.json().token, first.token);
  assert.equal((await issueOnce(service)).body, next.body);
});

test('422: a key does not serve two requests', async (t) => {
  const service = await openService(t);
  await issueOnce(service);
  const answer = await issueOnce(service, { ...WISH, name: 'other' });
  assert.equal(answer.statusCode, 422);
  assert.equal(answer.json().code, 'idempotency.reused');
  assert.equal(answer.json().field, 'header.idempotency-key');
  assert.equal(countTokens(t, service), 2);
  // Nor two routes.
  const type = { 'content-type': 'model/gltf-binary', ...KEY };
  const design = await ask(service, 'POST', '/v1/designs', makeBox(), type);
  assert.equal(design.statusCode, 422);
});

test('409: while the first is at work, a second is told to wait', async (t) => {
  const blobs = await HeldBlobs.open(t);
  const service = await openService(t, { blobs });
  const type = { 'content-type': 'model/gltf-binary', ...KEY };
  const send = () => ask(service, 'POST', '/v1/designs', makeBox(), type);
  const first = send();
  await blobs.reached;
  const second = await send();
  assert.equal(second.statusCode, 409);
  assert.equal(second.json().code, 'idempotency.in-progress');
  blobs.letGo();
  assert.equal((await first).statusCode, 201);
  assert.equal((await send()).body, (await first).body);
});

test('400: a refused request leaves its key free', async (t) => {
  const service = await openService(t);
  const refused = await issueOnce(service, { ...WISH, user: 'usr_other' });
  assert.equal(refused.statusCode, 400);
  assert.equal((await issueOnce(service)).statusCode, 201);
});

test('500: the answer is kept with the row, or neither is', async (t) => {
  const service = await openService(t);
  const database = openDatabase(t, service);
  database.exec(
    "CREATE TRIGGER full BEFORE INSERT ON answer BEGIN SELECT RAISE(ABORT, 'no room'); END",
  );
  assert.equal((await issueOnce(service)).statusCode, 500);
  assert.equal(countTokens(t, service), 1, 'no token without its answer');
  database.exec('DROP TRIGGER full');
  assert.equal((await issueOnce(service)).statusCode, 201);
  assert.equal(countTokens(t, service), 2);
});

test('400: a key is a short visible word', async (t) => {
  const service = await openService(t);
  for (const key of ['', 'two words', 'a'.repeat(201), 'ä']) {
    const answer = await issueOnce(service, WISH, { 'idempotency-key': key });
    assert.equal(answer.statusCode, 400, key);
    assert.equal(answer.json().field, 'header.idempotency-key');
  }
  const long = await issueOnce(service, WISH, { 'idempotency-key': 'a'.repeat(200) });
  assert.equal(long.statusCode, 201);
});

test('an upload retried is one design', async (t) => {
  const service = await openService(t);
  const type = { 'content-type': 'model/gltf-binary', ...KEY };
  const send = (mark: string) =>
    ask(service, 'POST', '/v1/designs?name=Chair', makeBox({ name: mark }), type);
  const first = await send('a');
  const retry = await send('a');
  assert.equal(first.statusCode, 201);
  assert.equal(retry.body, first.body);
  assert.equal(retry.headers.location, first.headers.location);
  assert.equal((await send('b')).statusCode, 422);
  assert.equal((await ask(service, 'GET', '/v1/designs')).json().items.length, 1);
});
