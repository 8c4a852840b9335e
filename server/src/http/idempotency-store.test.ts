import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { USES_POSTGRES } from '../../testing/postgres-run.ts';
import { CREATE_TOKEN_REQUEST, sendRequest } from '../../testing/requests.ts';
import { BlockingBlobStore } from '../../testing/test-blobs.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

const KEY = { 'idempotency-key': 'order-66' };
const DAY_MS = 24 * 60 * 60 * 1000;

const createTokenOnce = (
  service: Pick<TestServer, 'app' | 'token'>,
  body: object = CREATE_TOKEN_REQUEST,
  key = KEY,
) => sendRequest(service, 'POST', '/v1/tokens', body, key);

async function countTokens(t: TestContext, service: TestServer): Promise<number> {
  const row = await connectToServerDatabase(t, service).get('SELECT count(*) AS n FROM token');
  return Number(row?.n);
}

test('201: a retry gets the first response, with its token string, and creates nothing', async (t) => {
  const service = await openTestServer(t);
  const first = await createTokenOnce(service);
  service.advanceTime(60_000);
  const retry = await createTokenOnce(service);
  assert.equal(retry.statusCode, 201);
  assert.equal(retry.body, first.body);
  assert.equal(retry.headers.location, first.headers.location);
  assert.equal(await countTokens(t, service), 2);
  const caller = { app: service.app, token: retry.json().token };
  assert.equal((await sendRequest(caller, 'GET', '/v1/tokens')).json().code, 'token.capability');
});

test('201: a retry after a restart gets the first response', async (t) => {
  const service = await openTestServer(t);
  const first = await createTokenOnce(service);
  await service.app.close();
  const { app } = await openTestServer(t, { dataDirectory: service.dataDirectory });
  assert.equal((await createTokenOnce({ app, token: service.token })).body, first.body);
  assert.equal(await countTokens(t, service), 2);
});

test('201: a key is valid for one caller only, and expires after 24 hours', async (t) => {
  const service = await openTestServer(t);
  const first = (await createTokenOnce(service)).json();
  const caller = (
    await sendRequest(service, 'POST', '/v1/tokens', {
      ...CREATE_TOKEN_REQUEST,
      capabilities: ['write', 'embed'],
    })
  ).json();
  const other = (await createTokenOnce({ app: service.app, token: caller.token })).json();
  assert.notEqual(other.token, first.token);

  service.advanceTime(DAY_MS - 60_000);
  assert.equal((await createTokenOnce(service)).json().token, first.token);
  service.advanceTime(120_000);
  const next = await createTokenOnce(service);
  assert.equal(next.statusCode, 201);
  assert.notEqual(next.json().token, first.token);
  assert.equal((await createTokenOnce(service)).body, next.body);
});

test('422: a key cannot be used for another request', async (t) => {
  const service = await openTestServer(t);
  await createTokenOnce(service);
  const response = await createTokenOnce(service, { ...CREATE_TOKEN_REQUEST, name: 'other' });
  assert.equal(response.statusCode, 422);
  assert.equal(response.json().code, 'idempotency.reused');
  assert.equal(response.json().field, 'header.idempotency-key');
  assert.equal(await countTokens(t, service), 2);
  // The key cannot be used on another route either.
  const type = { 'content-type': 'model/gltf-binary', ...KEY };
  const design = await sendRequest(service, 'POST', '/v1/designs', makeBox(), type);
  assert.equal(design.statusCode, 422);
});

test('409: a second request with the key while the first is running', async (t) => {
  const blobs = await BlockingBlobStore.open(t);
  const service = await openTestServer(t, { blobs });
  const type = { 'content-type': 'model/gltf-binary', ...KEY };
  const send = () => sendRequest(service, 'POST', '/v1/designs', makeBox(), type);
  const first = send();
  await blobs.commitStarted;
  const second = await send();
  assert.equal(second.statusCode, 409);
  assert.equal(second.json().code, 'idempotency.in-progress');
  blobs.release();
  assert.equal((await first).statusCode, 201);
  assert.equal((await send()).body, (await first).body);
});

test('400: a refused request does not use up its key', async (t) => {
  const service = await openTestServer(t);
  const refused = await createTokenOnce(service, { ...CREATE_TOKEN_REQUEST, user: 'usr_other' });
  assert.equal(refused.statusCode, 400);
  assert.equal((await createTokenOnce(service)).statusCode, 201);
});

test('500: the response and the row it describes are stored together or not at all', async (t) => {
  const service = await openTestServer(t);
  const database = connectToServerDatabase(t, service);
  const [refuseRows, acceptRows] = USES_POSTGRES
    ? [
        'ALTER TABLE idempotency_key ADD CONSTRAINT refused CHECK (false)',
        'ALTER TABLE idempotency_key DROP CONSTRAINT refused',
      ]
    : [
        "CREATE TRIGGER refused BEFORE INSERT ON idempotency_key BEGIN SELECT RAISE(ABORT, 'disk full'); END",
        'DROP TRIGGER refused',
      ];
  await database.exec(refuseRows);
  assert.equal((await createTokenOnce(service)).statusCode, 500);
  assert.equal(await countTokens(t, service), 1, 'no token without its stored response');
  await database.exec(acceptRows);
  assert.equal((await createTokenOnce(service)).statusCode, 201);
  assert.equal(await countTokens(t, service), 2);
});

test('400: a key must be 1 to 200 visible ASCII characters', async (t) => {
  const service = await openTestServer(t);
  for (const key of ['', 'two words', 'a'.repeat(201), 'ä']) {
    const response = await createTokenOnce(service, CREATE_TOKEN_REQUEST, {
      'idempotency-key': key,
    });
    assert.equal(response.statusCode, 400, key);
    assert.equal(response.json().field, 'header.idempotency-key');
  }
  const longest = await createTokenOnce(service, CREATE_TOKEN_REQUEST, {
    'idempotency-key': 'a'.repeat(200),
  });
  assert.equal(longest.statusCode, 201);
});

test('201: a retried upload creates one design', async (t) => {
  const service = await openTestServer(t);
  const type = { 'content-type': 'model/gltf-binary', ...KEY };
  const send = (modelName: string) =>
    sendRequest(service, 'POST', '/v1/designs?name=Chair', makeBox({ name: modelName }), type);
  const first = await send('a');
  const retry = await send('a');
  assert.equal(first.statusCode, 201);
  assert.equal(retry.body, first.body);
  assert.equal(retry.headers.location, first.headers.location);
  assert.equal((await send('b')).statusCode, 422);
  assert.equal((await sendRequest(service, 'GET', '/v1/designs')).json().items.length, 1);
});
