import assert from 'node:assert/strict';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@cloche/contract/problem';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { sendRequest } from '../../testing/requests.ts';
import { BlockingBlobStore, createDiskFullBlobStore } from '../../testing/test-blobs.ts';
import { openDatabaseAgain } from '../../testing/test-database.ts';
import {
  assertTusProblem,
  createUpload,
  headUpload,
  listStoredUploads,
  patchUpload,
  uploadMetadataHeader,
} from '../../testing/tus-requests.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import { shutDownGracefully } from '../http/graceful-shutdown.ts';
import { TokenStore } from '../tokens/token-store.ts';
import { DiskUploadSegments } from './disk-upload-segments.ts';
import { TusUploadStore } from './tus-upload-store.ts';
import { UploadLeases } from './upload-leases.ts';
import { deleteUnneededUploads } from './upload-maintenance.ts';

const MODEL = makeBox();
const DAY_MS = 24 * 60 * 60 * 1000;

/** Stops a server, opens a second server on its data directory, and stops it after `check`. */
async function restart(
  t: TestContext,
  { app, token, dataDirectory }: TestServer,
  check: (service: TestServer) => Promise<void>,
): Promise<void> {
  await shutDownGracefully(app, 100);
  const service = { ...(await openTestServer(t, { dataDirectory })), token };
  try {
    await check(service);
  } finally {
    await shutDownGracefully(service.app, 100);
  }
}

/** Waits until the server has completed an upload by itself. */
async function waitUntilCompleted(service: TestServer): Promise<void> {
  while (!service.logLines.some((line) => line.includes('completed a fully received upload'))) {
    await sleep(5);
  }
}

async function listUris(service: TestServer): Promise<string[]> {
  const { items } = (await sendRequest(service, 'GET', '/v1/designs')).json();
  return items.map(({ uri }: { uri: string }) => uri);
}

test('a full disk: 507 for the last PATCH, 423 for HEAD, and a design once there is space', async (t) => {
  const disk = await DiskBlobStore.open(await openTemporaryDirectory(t));
  const fullDisk = createDiskFullBlobStore(disk);
  let current = fullDisk;
  const service = await openTestServer(t, {
    blobs: { ...fullDisk, createDraft: (...args) => current.createDraft(...args) },
  });
  const path = await createUpload(service, MODEL.length);
  assertTusProblem(await patchUpload(service, path, MODEL), 507, 'server.storage-full');
  assertTusProblem(await headUpload(service, path), 423, 'upload.locked');
  assert.deepEqual(await listStoredUploads(t, service), ['data', 'metadata']);
  current = disk;
  const { statusCode, headers } = await headUpload(service, path);
  assert.deepEqual([statusCode, [headers['cloche-design']]], [200, await listUris(service)]);
  assert.deepEqual(await listStoredUploads(t, service), ['metadata']);
});

test('423: HEAD while the database cannot be read, so that tus clients keep the upload', async (t) => {
  const service = await openTestServer(t);
  const path = await createUpload(service, MODEL.length);
  await patchUpload(service, path, MODEL.subarray(0, 10));
  const outage = () => Promise.reject(new Error('no connection'));
  for (const mock of [
    () => t.mock.method(TusUploadStore.prototype, 'find', outage),
    () => t.mock.method(UploadLeases.prototype, 'acquireOrFind', outage),
    () => t.mock.method(TokenStore.prototype, 'findByTokenString', outage),
  ]) {
    const method = mock();
    const response = await headUpload(service, path);
    assertTusProblem(response, 423, 'upload.locked');
    assert.equal(response.headers['retry-after'], '5');
    method.mock.restore();
  }
  assert.equal((await headUpload(service, path)).headers['upload-offset'], '10');
  const other = `${path.slice(0, -32)}${'0'.repeat(32)}`;
  assertTusProblem(await headUpload(service, other), 404, 'upload.unknown');
});

test('404: an upload whose bytes are missing is removed, so that the client begins again', async (t) => {
  const service = await openTestServer(t);
  const path = await createUpload(service, MODEL.length);
  await patchUpload(service, path, MODEL.subarray(0, 10));
  await rm(join(service.dataDirectory, 'uploads', basename(path)), { recursive: true });
  const last = await patchUpload(service, path, MODEL.subarray(10), 10);
  assertTusProblem(last, 404, 'upload.unknown');
  assertTusProblem(await headUpload(service, path), 404, 'upload.unknown');
  assert.deepEqual(await listStoredUploads(t, service), []);
});

test('204: concurrent requests during completion get the same design', async (t) => {
  const blobs = await BlockingBlobStore.open(t);
  const service = await openTestServer(t, { blobs });
  const path = await createUpload(service, MODEL.length);
  const last = patchUpload(service, path, MODEL);
  await blobs.commitStarted;
  const others = [
    headUpload(service, path),
    patchUpload(service, path, Buffer.alloc(0), MODEL.length),
  ];
  await sleep(50);
  blobs.release();
  const responses = await Promise.all([last, ...others]);
  assert.deepEqual(
    responses.map(({ statusCode }) => statusCode),
    [204, 200, 204],
  );
  const designs = responses.map(({ headers }) => headers['cloche-design']);
  assert.deepEqual([...new Set(designs)], await listUris(service));
});

/** Lets the node end as by a crash after the last byte: the upload is not completed. */
async function receiveWithoutCompleting(t: TestContext, service: TestServer, path: string) {
  const complete = t.mock.method(TusUploadStore.prototype, 'listSegments', () => {
    throw new Error('The node has crashed.');
  });
  assert.equal((await patchUpload(service, path, MODEL)).statusCode, 500);
  assert.deepEqual(await listStoredUploads(t, service), ['data', 'metadata']);
  await shutDownGracefully(service.app, 100);
  complete.mock.restore();
}

test('an upload that was fully received before a crash is completed at the next start', async (t) => {
  const first = await openTestServer(t);
  const path = await createUpload(first, MODEL.length, uploadMetadataHeader({ name: 'Oak chair' }));
  await receiveWithoutCompleting(t, first, path);
  await restart(t, first, async (second) => {
    await waitUntilCompleted(second);
    const uris = await listUris(second);
    assert.equal(uris.length, 1);
    assert.deepEqual([(await headUpload(second, path)).headers['cloche-design']], uris);
    assert.deepEqual(await listStoredUploads(t, second), ['metadata']);
  });
});

test('bytes that a crash has left after an upload was completed are deleted at the next start', async (t) => {
  const first = await openTestServer(t);
  const path = await createUpload(first, MODEL.length);
  const removeAll = t.mock.method(DiskUploadSegments.prototype, 'removeAll', () => {
    throw new Error('The node has crashed.');
  });
  const design = (await patchUpload(first, path, MODEL)).headers['cloche-design'];
  await shutDownGracefully(first.app, 100);
  removeAll.mock.restore();
  assert.deepEqual(await listStoredUploads(t, first), ['data', 'metadata']);
  await restart(t, first, async (second) => {
    await waitUntil(
      'the bytes are deleted',
      async () => (await listStoredUploads(t, second)).length === 1,
    );
    assert.equal((await headUpload(second, path)).headers['cloche-design'], design);
    assert.deepEqual(await listUris(second), [design]);
  });
});

test('HEAD on a complete upload does not recreate a deleted design', async (t) => {
  const first = await openTestServer(t);
  const path = await createUpload(first, MODEL.length);
  const design = String((await patchUpload(first, path, MODEL)).headers['cloche-design']);
  await sendRequest(first, 'DELETE', `/v1/designs/${design.slice('cloche:design:'.length)}`);
  await restart(t, first, async (second) => {
    assert.equal((await headUpload(second, path)).headers['cloche-design'], design);
    assert.deepEqual(await listUris(second), []);
  });
});

test('404: the design that the upload revises was deleted before the last PATCH', async (t) => {
  const service = await openTestServer(t);
  const other = await createUpload(service, MODEL.length);
  const design = String((await patchUpload(service, other, MODEL)).headers['cloche-design']);
  const path = await createUpload(service, MODEL.length, uploadMetadataHeader({ design }));
  await sendRequest(service, 'DELETE', `/v1/designs/${design.slice('cloche:design:'.length)}`);
  assertTusProblem(await patchUpload(service, path, MODEL), 404, 'design.unknown');
  assert.deepEqual(await listUris(service), []);
});

test('bytes without their upload are deleted at the start', async (t) => {
  const first = await openTestServer(t);
  const path = await createUpload(first, MODEL.length);
  await patchUpload(first, path, MODEL.subarray(0, 10));
  const directory = join(first.dataDirectory, 'uploads');
  await shutDownGracefully(first.app, 100);
  const id = 'f'.repeat(32);
  await mkdir(join(directory, id));
  await writeFile(join(directory, id, 'segment'), 'bytes');
  await restart(t, first, async (second) => {
    await waitUntil('the bytes are deleted', async () => (await readdir(directory)).length === 1);
    assert.deepEqual(await readdir(directory), [basename(path)]);
    assert.equal((await headUpload(second, path)).headers['upload-offset'], '10');
  });
});

test('expired uploads are deleted, and the log has the number of incomplete uploads among them', async (t) => {
  const service = await openTestServer(t);
  const incomplete = await createUpload(service, MODEL.length);
  await patchUpload(service, incomplete, MODEL.subarray(0, 10));
  await patchUpload(service, await createUpload(service, MODEL.length), MODEL);
  const logged: object[] = [];
  const log = { info: (fields: object) => logged.push(fields), error: () => {} };
  const database = openDatabaseAgain(t, service.dataDirectory);
  const tusUploads = new TusUploadStore(database);
  const segments = await DiskUploadSegments.open(join(service.dataDirectory, 'uploads'));
  const deleteAt = (ms: number) => {
    const now = () => new Date(ms);
    const leases = new UploadLeases({ database, node: 'other', leaseTime: async () => now(), now });
    return deleteUnneededUploads({ tusUploads, segments, leases, log, now });
  };
  await deleteAt(Date.now() + DAY_MS - 60_000);
  assert.deepEqual(await listStoredUploads(t, service), ['data', 'metadata', 'metadata']);
  // A request holds the upload, whatever the time is.
  const leaseTime = async () => new Date(Date.now() + DAY_MS);
  const holder = new UploadLeases({ database, node: 'holder', leaseTime, now: () => new Date() });
  const lease = (await holder.acquire(basename(incomplete))) ?? assert.fail();
  await deleteAt(Date.now() + DAY_MS);
  assert.deepEqual(await listStoredUploads(t, service), ['data', 'metadata']);
  await holder.release(lease);
  await deleteAt(Date.now() + DAY_MS);
  assert.deepEqual([await listStoredUploads(t, service), logged], [[], [{ deletedUploads: 1 }]]);
});

test('an expired upload that cannot be deleted does not keep others from being deleted', async (t) => {
  const service = await openTestServer(t);
  const failing = basename(await createUpload(service, MODEL.length));
  const others = [await createUpload(service, 1), await createUpload(service, 1)];
  const database = openDatabaseAgain(t, service.dataDirectory);
  const tusUploads = new TusUploadStore(database);
  const acquire = t.mock.method(UploadLeases.prototype, 'acquire', async (id: string) => {
    if (id === failing) throw new Error('no connection');
    return { uploadId: id, attempt: 1 };
  });
  const now = () => new Date(Date.now() + DAY_MS);
  const leases = new UploadLeases({ database, node: 'other', leaseTime: async () => now(), now });
  const segments = await DiskUploadSegments.open(join(service.dataDirectory, 'uploads'));
  const failed: unknown[] = [];
  const log = {
    info: () => {},
    error: (fields: object) => failed.push(('upload' in fields && fields.upload) || fields),
  };
  await deleteUnneededUploads({ tusUploads, segments, leases, log, now });
  assert.deepEqual(failed, [failing]);
  for (const path of others) assert.equal(await tusUploads.find(basename(path)), undefined);
  // On a full disk, everything is tried again with more space.
  acquire.mock.mockImplementation(() => Promise.reject(new Problem('server.storage-full')));
  await assert.rejects(deleteUnneededUploads({ tusUploads, segments, leases, log, now }), {
    code: 'server.storage-full',
  });
});

test('507: PATCH on a full disk; what was stored before can be continued', async (t) => {
  const service = await openTestServer(t);
  const path = await createUpload(service, MODEL.length);
  await patchUpload(service, path, MODEL.subarray(0, 10));
  const noSpace = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  const createWriter = t.mock.method(DiskUploadSegments.prototype, 'createWriter', () => ({
    append: () => Promise.reject(noSpace),
    flush: async () => undefined,
    [Symbol.asyncDispose]: async () => {},
  }));
  const rest = MODEL.subarray(10);
  assertTusProblem(await patchUpload(service, path, rest, 10), 507, 'server.storage-full');
  createWriter.mock.restore();
  assert.equal((await headUpload(service, path)).headers['upload-offset'], '10');
  assert.equal((await patchUpload(service, path, rest, 10)).statusCode, 204);
});
