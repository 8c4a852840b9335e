import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CreatedToken } from '@cloche/contract/token';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { openTestServer, type TestServer, type TestServerOptions } from '../../testing/harness.ts';
import { hangingProcessor } from '../../testing/problem-fixture.ts';
import { formatRequestHead, RawConnection } from '../../testing/raw-connection.ts';
import { GLB_HEADERS, issueToken, sendRequest } from '../../testing/requests.ts';
import { createSlowBlobStore } from '../../testing/test-blobs.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import {
  createUpload,
  headUpload,
  readStoredOffset,
  TUS_PATCH_HEADERS,
} from '../../testing/tus-requests.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';

const SECRET = { capabilities: ['read', 'write'], origins: [] };
const MB = 1024 * 1024;

/** A listening server, and a second token of the same user. */
async function openServer(t: TestContext, options: TestServerOptions = {}) {
  const service = await openTestServer(t, {
    ...options,
    listen: true,
    processing: { modelProcessor: hangingProcessor },
  });
  const issued = await issueToken(service, SECRET);
  return { service, issued, client: { ...service, token: issued.token } };
}

async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}

/** Makes a token invalid. */
type Invalidate = (t: TestContext, service: TestServer, token: CreatedToken) => Promise<void>;

const revoke: Invalidate = async (_t, service, { id }) => {
  const response = await sendRequest(service, 'DELETE', `/v1/tokens/${id}`);
  assert.equal(response.statusCode, 204, response.body);
};

const revokeInOtherProcess: Invalidate = async (t, service, { id }) => {
  const now = new Date().toISOString();
  await connectToServerDatabase(t, service).all(
    'UPDATE token SET revoked_at = ? WHERE id = ?',
    now,
    id,
  );
};

const disableUser: Invalidate = async (t, service) => {
  await connectToServerDatabase(t, service).exec(
    `UPDATE "user" SET disabled_at = '${new Date().toISOString()}'`,
  );
};

const causes: [name: string, invalidate: Invalidate, code: string][] = [
  ['is revoked', revoke, 'token.revoked'],
  ['is revoked by another process', revokeInOtherProcess, 'token.revoked'],
  ['loses its user', disableUser, 'token.user-disabled'],
];

const FORM = 'multipart/form-data; boundary=boundary';
const FORM_START =
  '--boundary\r\nContent-Disposition: form-data; name="file"; filename="a.glb"\r\n\r\nglTF';

for (const [name, invalidate, code] of causes) {
  for (const [type, start] of [
    ['model/gltf-binary', 'glTF'],
    [FORM, FORM_START],
  ] as const) {
    test(`401: an upload of ${type} ends when its token ${name}`, async (t) => {
      const { service, issued, client } = await openServer(t);
      const connection = await RawConnection.open(t, service);
      const headers = { 'Content-Type': type, 'Content-Length': MB };
      connection.write(formatRequestHead(client, 'POST /v1/designs', headers)).write(start);
      const drafts = join(service.dataDirectory, 'blobs', 'drafts');
      await waitUntil(async () => (await readdir(drafts)).length > 0);
      await invalidate(t, service, issued);
      const response = await connection.readResponse();
      assert.equal(response?.status, 401);
      assert.equal(JSON.parse(response?.body ?? '').code, code);
    });
  }
}

test('401: a tus upload ends when its token is revoked; what was received remains', async (t) => {
  const { service, issued, client } = await openServer(t);
  const path = await createUpload(client, MB);
  const connection = await RawConnection.open(t, service);
  const headers = { ...TUS_PATCH_HEADERS, 'Upload-Offset': 0, 'Content-Length': MB };
  connection.write(formatRequestHead(client, `PATCH ${path}`, headers)).write('glTF');
  const database = connectToServerDatabase(t, service);
  await waitUntil(async () => (await readStoredOffset(database, path)) === 4);
  await revoke(t, service, issued);
  const response = await connection.readResponse();
  assert.equal(response?.status, 401);
  assert.equal(JSON.parse(response?.body ?? '').code, 'token.revoked');
  assert.equal((await headUpload(service, path)).headers['upload-offset'], '4');
});

test('an event stream ends when its token is revoked', async (t) => {
  const { service, issued, client } = await openServer(t);
  const body = makeBox();
  const created = await sendRequest(client, 'POST', '/v1/designs', body, {
    ...GLB_HEADERS,
    prefer: '',
  });
  const { host, port } = new URL(service.origin);
  const stream = request({
    host: '127.0.0.1',
    port,
    path: `/v1/designs/${created.json().id}/events`,
    headers: { host, authorization: `Bearer ${issued.token}` },
  }).end();
  t.after(() => stream.destroy());
  const [response] = (await once(stream, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  await once(response, 'data');
  await revoke(t, service, issued);
  response.resume();
  await once(response, 'end');
});

test('401: a waiting request ends when its token is revoked', async (t) => {
  const { service, issued, client } = await openServer(t);
  const model = makeBox();
  const connection = await RawConnection.open(t, service);
  const headers = { ...GLB_HEADERS, 'Content-Length': model.length, Prefer: 'wait=60' };
  connection.write(formatRequestHead(client, 'POST /v1/designs', headers)).write(model);
  const list = async () => (await sendRequest(service, 'GET', '/v1/designs')).json().items;
  await waitUntil(async () => (await list()).length > 0);
  await revoke(t, service, issued);
  const response = await connection.readResponse();
  assert.equal(response?.status, 401);
  assert.equal(JSON.parse(response?.body ?? '').code, 'token.revoked');
});

test('no error is unhandled if a waiting request loses its token while its file is being deleted', async (t) => {
  const disk = await DiskBlobStore.open(await openTemporaryDirectory(t));
  // Longer than until the next check of the token.
  const { service } = await openServer(t, { blobs: createSlowBlobStore(disk, 1000) });
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', onUnhandled);
  t.after(() => process.off('unhandledRejection', onUnhandled));
  const created = { ...GLB_HEADERS, prefer: '' };
  const design = await sendRequest(service, 'POST', '/v1/designs', makeBox(), created);
  const database = connectToServerDatabase(t, service);
  const countRevisions = async () =>
    Number((await database.get('SELECT count(*) AS count FROM revision'))?.count);
  for (const [index, [method, path]] of [
    ['POST', '/v1/designs'] as const,
    ['PUT', `/v1/designs/${design.json().id}/model`] as const,
  ].entries()) {
    const issued = await issueToken(service, SECRET);
    const client = { ...service, token: issued.token };
    const headers = { ...GLB_HEADERS, prefer: 'wait=60' };
    const response = sendRequest(client, method, path, makeBox({ name: method }), headers);
    await waitUntil(async () => (await countRevisions()) === index + 2);
    await revoke(t, service, issued);
    assert.equal((await response).json().code, 'token.revoked', method);
    assert.deepEqual(unhandled, [], method);
  }
});
