import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer } from '../../testing/harness.ts';
import {
  GLB_HEADERS,
  sendRequest,
  type TestClient,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { openDatabaseAgain } from '../../testing/test-database.ts';
import {
  assertTusProblem,
  createUpload,
  patchUpload,
  TUS_HEADERS,
  TUS_PATCH_HEADERS,
  uploadMetadataHeader,
} from '../../testing/tus-requests.ts';
import { TusUploadStore } from './tus-upload-store.ts';

const MODEL = makeBox();
const SIZE = MODEL.length;
const DAY_MS = 24 * 60 * 60 * 1000;

const create = (client: TestClient, headers: Record<string, string>) =>
  sendRequest(client, 'POST', '/v1/uploads', undefined, { ...TUS_HEADERS, ...headers });
const createWithLength = (client: TestClient, sizeBytes: number) =>
  create(client, { 'upload-length': String(sizeBytes) });
const readUsage = async (client: TestClient) =>
  (await sendRequest(client, 'GET', '/v1/usage')).json();
const postModel = (client: TestClient) =>
  sendRequest(client, 'POST', '/v1/designs', MODEL, GLB_HEADERS);

test('of 16 resumable uploads created at once, the 4 within the quota are accepted', async (t) => {
  const service = await openTestServer(t, { quotas: { bytes: 4 * SIZE, designs: 0 } });
  const responses = await Promise.all(
    Array.from({ length: 16 }, () => createWithLength(service, SIZE)),
  );
  const statuses = responses.map(({ statusCode }) => statusCode);
  assert.deepEqual(statuses.sort(), [...Array(4).fill(201), ...Array(12).fill(403)]);
  assertTusProblem(await createWithLength(service, 1), 403, 'upload.quota');
  assert.equal((await postModel(service)).json().code, 'upload.quota');
});

test('of 8 repeated requests at once with one key, none exceeds the quota because of another', async (t) => {
  const service = await openTestServer(t, { quotas: { bytes: SIZE, designs: 1 } });
  const responses = await Promise.all(
    Array.from({ length: 8 }, () =>
      create(service, { 'upload-length': String(SIZE), 'idempotency-key': 'order-66' }),
    ),
  );
  assert.deepEqual(
    responses.map(({ statusCode }) => statusCode),
    Array(8).fill(201),
  );
  assert.equal(new Set(responses.map(({ headers }) => headers.location)).size, 1);
  const other = { 'upload-length': String(SIZE), 'idempotency-key': 'order-67' };
  assertTusProblem(await create(service, other), 403, 'upload.quota');
});

test('the length counts from the creation on, and becomes a stored file', async (t) => {
  const service = await openTestServer(t, { quotas: { bytes: SIZE, designs: 1 } });
  assertTusProblem(await createWithLength(service, SIZE + 1), 403, 'upload.quota');
  const path = await createUpload(service, SIZE);
  const reserved = await readUsage(service);
  assert.deepEqual([reserved.bytes.reserved, reserved.designs.reserved], [SIZE, 1]);
  assert.equal((await patchUpload(service, path, MODEL)).statusCode, 204);
  const { bytes, designs } = await readUsage(service);
  assert.deepEqual(bytes, { stored: SIZE, reserved: 0, limit: SIZE });
  assert.deepEqual(designs, { stored: 1, reserved: 0, limit: 1 });
});

test('an upload that is terminated, rejected or expires releases its quota', async (t) => {
  const service = await openTestServer(t, { quotas: { bytes: SIZE, designs: 0 } });
  const path = await createUpload(service, SIZE);
  assertTusProblem(await createWithLength(service, 1), 403, 'upload.quota');
  await sendRequest(service, 'DELETE', path, undefined, TUS_HEADERS);
  const rejected = await createUpload(service, SIZE);
  assert.equal((await patchUpload(service, rejected, Buffer.alloc(SIZE, 'x'))).statusCode, 422);
  await createUpload(service, SIZE);
  assertTusProblem(await createWithLength(service, 1), 403, 'upload.quota');
  service.advanceTime(DAY_MS);
  await createUpload(service, SIZE);
});

test('an upload without a length counts as the largest file until its length is sent', async (t) => {
  const maxUploadBytes = 3 * SIZE;
  const quotas = { bytes: 4 * SIZE, designs: 0 };
  const service = await openTestServer(t, { maxUploadBytes, quotas });
  const deferred = { 'upload-defer-length': '1' };
  const created = await create(service, deferred);
  assert.equal(created.statusCode, 201, created.body);
  assertTusProblem(await create(service, deferred), 403, 'upload.quota');
  assertTusProblem(await createWithLength(service, SIZE + 1), 403, 'upload.quota');
  const path = new URL(String(created.headers.location)).pathname;
  const headers = {
    ...TUS_PATCH_HEADERS,
    'upload-offset': '0',
    'upload-length': String(SIZE),
  };
  const patched = await sendRequest(service, 'PATCH', path, MODEL.subarray(0, 8), headers);
  assert.equal(patched.statusCode, 204, patched.body);
  assert.equal((await readUsage(service)).bytes.reserved, SIZE);
  assert.equal((await create(service, deferred)).statusCode, 201);
});

test('an upload for a design needs bytes but no further design', async (t) => {
  const service = await openTestServer(t, { quotas: { bytes: 0, designs: 1 } });
  const { id } = await uploadTestDesign(service);
  assertTusProblem(await createWithLength(service, SIZE), 403, 'upload.quota');
  const path = await createUpload(service, SIZE, uploadMetadataHeader({ design: id }));
  assert.equal((await patchUpload(service, path, MODEL)).statusCode, 204);
  assert.equal((await readUsage(service)).designs.stored, 1);
});

test('uploads in progress count on every node', async (t) => {
  const service = await openTestServer(t);
  const path = await createUpload(service, SIZE);
  await createUpload(service, 1);
  await patchUpload(service, path, MODEL.subarray(0, 8));
  const { user } = await readUsage(service);
  const other = new TusUploadStore(openDatabaseAgain(t, service.dataDirectory));
  const expected = { bytes: SIZE + 1, designs: 2 };
  assert.deepEqual(await other.sumPending(user, 1000, new Date()), expected);
  assert.deepEqual(await other.sumPending('usr_other', 1000, new Date()), { bytes: 0, designs: 0 });
});
