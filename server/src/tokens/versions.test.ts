import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import {
  CREATE_TOKEN_REQUEST,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
} from '../../testing/requests.ts';
import { openDatabaseAgain } from '../../testing/test-database.ts';
import { runTransaction } from '../database/transaction.ts';
import { isUnreadable } from './token.ts';
import { TokenStore } from './token-store.ts';

const read = (service: TestServer, id: string) => sendRequest(service, 'GET', `/v1/tokens/${id}`);

async function readEtag(service: TestServer, id: string): Promise<string> {
  return String((await read(service, id)).headers.etag);
}

test('each response with one token has its ETag, and each change makes a new one', async (t) => {
  const service = await openTestServer(t);
  const created = await sendRequest(service, 'POST', '/v1/tokens', CREATE_TOKEN_REQUEST);
  const { id } = created.json();
  assert.equal(created.headers.etag, '"1"');
  assert.equal(await readEtag(service, id), '"1"');
  const url = `/v1/tokens/${id}`;
  const patched = await sendRequest(service, 'PATCH', url, { name: 'x' });
  assert.equal(patched.headers.etag, '"2"');
  const rotated = await sendRequest(service, 'POST', `${url}/rotate`);
  assert.equal(rotated.headers.etag, '"1"', 'that of the successor, as Location is');
  assert.equal(await readEtag(service, rotated.json().id), '"1"');
  assert.equal(await readEtag(service, id), '"3"');
});

test('the use of a token makes no new version', async (t) => {
  const service = await openTestServer(t);
  const { id, token } = await issueToken(service, { capabilities: ['read'], origins: [] });
  await sendRequest({ ...service, token }, 'GET', '/v1/designs');
  const store = new TokenStore(openDatabaseAgain(t, service.dataDirectory));
  store.usage.recordUse(id, new Date(), SHOP_ORIGIN);
  await store.usage.flush();
  const response = await read(service, id);
  assert.notEqual(response.json().lastUsedAt, null);
  assert.equal(response.headers.etag, '"1"');
});

test('412: no request with If-Match changes a token that has another version', async (t) => {
  const service = await openTestServer(t);
  const { id } = await issueToken(service);
  const url = `/v1/tokens/${id}`;
  await sendRequest(service, 'PATCH', url, { name: 'new' });
  const before = (await read(service, id)).json();
  for (const [method, path, body] of [
    ['PATCH', url, { name: 'old' }],
    ['POST', `${url}/rotate`, {}],
    ['DELETE', url, undefined],
  ] as const) {
    const response = await sendRequest(service, method, path, body, { 'if-match': '"1"' });
    assert.equal(response.statusCode, 412, method);
    assert.equal(response.json().code, 'request.precondition-failed');
    assert.equal(response.headers.etag, '"2"');
    const malformed = await sendRequest(service, method, path, body, { 'if-match': '1' });
    assert.equal(malformed.statusCode, 400, method);
    assert.equal(malformed.json().field, 'header.if-match');
  }
  assert.deepEqual((await read(service, id)).json(), before);
});

test('2xx: with the current version; revoking again has no effect, whatever the version is', async (t) => {
  const service = await openTestServer(t);
  const { id } = await issueToken(service);
  const url = `/v1/tokens/${id}`;
  const send = async (method: 'PATCH' | 'POST' | 'DELETE', path: string, body?: object) => {
    const headers = { 'if-match': await readEtag(service, id) };
    return (await sendRequest(service, method, path, body, headers)).statusCode;
  };
  assert.equal(await send('PATCH', url, { name: 'new' }), 200);
  assert.equal(await send('POST', `${url}/rotate`), 201);
  const headers = { 'if-match': await readEtag(service, id) };
  for (let round = 0; round < 2; round += 1) {
    const revoked = await sendRequest(service, 'DELETE', url, undefined, headers);
    assert.equal(revoked.statusCode, 204, revoked.body);
  }
});

test('201: a retry of a rotation with If-Match gets the first successor', async (t) => {
  const service = await openTestServer(t);
  const { id } = await issueToken(service);
  const headers = { 'if-match': '"1"', 'idempotency-key': 'k' };
  const rotate = () => sendRequest(service, 'POST', `/v1/tokens/${id}/rotate`, undefined, headers);
  const [first, second] = [await rotate(), await rotate()];
  assert.deepEqual([first.statusCode, second.statusCode], [201, 201]);
  assert.equal(first.body, second.body);
  assert.equal(second.headers.etag, '"1"');
});

test('16 clients that change different fields at once lose no change', async (t) => {
  const service = await openTestServer(t);
  const { id } = await issueToken(service);
  const origins = [SHOP_ORIGIN, 'https://other.example'];
  const expiresAt = '2099-01-01T00:00:00.000Z';
  const bodies = Array.from(
    { length: 16 },
    (_, index) => [{ name: 'new' }, { origins }, { expiresAt }, { designs: null }][index % 4] ?? {},
  );
  const responses = await Promise.all(
    bodies.map((body) => sendRequest(service, 'PATCH', `/v1/tokens/${id}`, body)),
  );
  for (const { statusCode, body } of responses) assert.equal(statusCode, 200, body);
  const token = (await read(service, id)).json();
  assert.deepEqual([token.name, token.origins, token.expiresAt], ['new', origins, expiresAt]);
  assert.equal(await readEtag(service, id), '"17"');
});

test('a token that was read without a lock, before another change, is not changed', async (t) => {
  const service = await openTestServer(t);
  const { id } = await issueToken(service);
  const database = openDatabaseAgain(t, service.dataDirectory);
  const tokens = new TokenStore(database);
  const stale = await tokens.find(id);
  assert.ok(stale !== undefined && !isUnreadable(stale));
  await sendRequest(service, 'PATCH', `/v1/tokens/${id}`, { name: 'new' });
  await assert.rejects(
    runTransaction(database, (trx) => tokens.update({ ...stale, origins: [] }, trx)),
    /was not locked/,
  );
  assert.equal((await read(service, id)).json().name, 'new');
});
