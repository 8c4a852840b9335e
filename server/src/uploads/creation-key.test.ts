import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { sendRequest } from '../../testing/requests.ts';
import {
  listStoredUploads,
  patchUpload,
  TUS_HEADERS,
  TUS_PATCH_HEADERS,
} from '../../testing/tus-requests.ts';
import { TusUploadStore } from './tus-upload-store.ts';

const KEY = { 'idempotency-key': 'order-66' };
const MODEL = makeBox();

const create = (
  service: Pick<TestServer, 'app' | 'token'>,
  body?: Buffer,
  headers: Record<string, string> = {},
) =>
  sendRequest(service, 'POST', '/v1/uploads', body, {
    ...(body === undefined ? TUS_HEADERS : TUS_PATCH_HEADERS),
    'upload-length': String(MODEL.length),
    ...KEY,
    ...headers,
  });

const toPath = (response: Awaited<ReturnType<typeof create>>) =>
  new URL(String(response.headers.location)).pathname;

test('201: a retry returns the same upload with its current offset', async (t) => {
  const service = await openTestServer(t);
  const first = await create(service);
  await patchUpload(service, toPath(first), MODEL.subarray(0, 10));
  const retry = await create(service);
  assert.equal(retry.headers.location, first.headers.location);
  assert.equal(retry.headers['upload-offset'], '10');
  assert.equal(retry.headers['upload-expires'], first.headers['upload-expires']);
  assert.deepEqual(await listStoredUploads(t, service), ['data', 'metadata']);
});

test('201: bytes in a repeated creation are not stored again', async (t) => {
  const service = await openTestServer(t);
  const first = await create(service, MODEL.subarray(0, 20));
  assert.equal(first.headers['upload-offset'], '20');
  const retry = await create(service, MODEL.subarray(0, 20));
  assert.equal(retry.headers.location, first.headers.location);
  assert.equal(retry.headers['upload-offset'], '20');
  const last = await patchUpload(service, toPath(first), MODEL.subarray(20), 20);
  assert.match(String(last.headers['cloche-design']), /^cloche:design:/);
});

test('422: other bytes with the same key, also after a restart', async (t) => {
  const service = await openTestServer(t);
  await create(service, MODEL.subarray(0, 20));
  const other = Buffer.from(MODEL.subarray(0, 20));
  other[19] = (other[19] ?? 0) ^ 1;
  for (const body of [other, MODEL.subarray(0, 19)]) {
    const response = await create(service, body);
    assert.equal(response.statusCode, 422);
    assert.equal(response.json().code, 'idempotency.reused');
  }
  await service.app.close();
  const { app } = await openTestServer(t, { dataDirectory: service.dataDirectory });
  const restarted = { app, token: service.token };
  assert.equal((await create(restarted, other)).statusCode, 422);
  assert.equal((await create(restarted, MODEL.subarray(0, 20))).statusCode, 201);
});

test('422: other bytes with the same key, if the node was killed during the first request', async (t) => {
  const service = await openTestServer(t);
  t.mock.method(TusUploadStore.prototype, 'setInitialBytes', () =>
    Promise.reject(new Error('no connection')),
  );
  const first = await create(service, MODEL.subarray(0, 20));
  assert.equal(first.statusCode, 201);
  await patchUpload(service, toPath(first), MODEL.subarray(20, 30), 20);
  const other = Buffer.from(MODEL.subarray(0, 20));
  other[19] = (other[19] ?? 0) ^ 1;
  assert.equal((await create(service, other)).json().code, 'idempotency.reused');
  for (const body of [MODEL.subarray(0, 20), MODEL]) {
    const retry = await create(service, body);
    assert.deepEqual([retry.statusCode, retry.headers['upload-offset']], [201, '30']);
  }
});

test('an error of the first request is not hidden by another one', async (t) => {
  const service = await openTestServer(t);
  const rejected = Buffer.alloc(MODEL.length, 'x');
  const outage = () => Promise.reject(new Error('no connection'));
  t.mock.method(TusUploadStore.prototype, 'setInitialBytes', outage);
  assert.equal((await create(service, rejected)).statusCode, 422);
  t.mock.method(TusUploadStore.prototype, 'remove', outage);
  const withoutKey = await sendRequest(service, 'POST', '/v1/uploads', rejected, {
    ...TUS_PATCH_HEADERS,
    'upload-length': String(rejected.length),
  });
  assert.equal(withoutKey.statusCode, 422);
});

test('201: a whole file in the creation makes one design, however often it is repeated', async (t) => {
  const service = await openTestServer(t);
  const first = await create(service, MODEL);
  const retry = await create(service, MODEL);
  assert.equal(first.statusCode, 201, first.body);
  assert.equal(retry.headers['cloche-design'], first.headers['cloche-design']);
  assert.equal((await sendRequest(service, 'GET', '/v1/designs')).json().items.length, 1);
});

test('422: a file that was rejected is rejected again, with the same problem', async (t) => {
  const service = await openTestServer(t);
  const body = Buffer.alloc(MODEL.length, 'x');
  const first = await create(service, body);
  assert.equal(first.statusCode, 422);
  const retry = await create(service, body);
  assert.equal(retry.statusCode, 422);
  assert.deepEqual(retry.json(), first.json());
  assert.deepEqual(await listStoredUploads(t, service), ['metadata']);
});

test('201: a key is valid as long as its upload exists', async (t) => {
  const service = await openTestServer(t);
  const first = await create(service);
  await sendRequest(service, 'DELETE', toPath(first), undefined, TUS_HEADERS);
  const second = await create(service);
  assert.notEqual(second.headers.location, first.headers.location);
  service.advanceTime(24 * 60 * 60 * 1000);
  const third = await create(service);
  assert.notEqual(third.headers.location, second.headers.location);
  assert.equal((await create(service)).headers.location, third.headers.location);
});

test('a refused creation does not use up its key', async (t) => {
  const service = await openTestServer(t);
  const tooLarge = await create(service, undefined, { 'upload-length': '99999999' });
  assert.equal(tooLarge.statusCode, 413);
  assert.equal((await create(service)).statusCode, 201);
});

test('without a key, every creation is a new upload', async (t) => {
  const service = await openTestServer(t);
  const headers = { ...TUS_HEADERS, 'upload-length': '8' };
  const send = () => sendRequest(service, 'POST', '/v1/uploads', undefined, headers);
  assert.notEqual((await send()).headers.location, (await send()).headers.location);
});
