import assert from 'node:assert/strict';
import { readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Design } from '@cloche/contract/design';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { sendRequest } from '../../testing/requests.ts';
import { BlockingBlobStore, createDiskFullBlobStore } from '../../testing/test-blobs.ts';
import {
  assertTusProblem,
  createUpload,
  headUpload,
  listUploadDirectory,
  patchUpload,
  uploadMetadataHeader,
} from '../../testing/tus-requests.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import { shutDownGracefully } from '../http/graceful-shutdown.ts';
import { TusUploadStore } from './tus-upload-store.ts';
import { UploadLocker } from './upload-locker.ts';
import { deleteExpiredUploads } from './upload-maintenance.ts';

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
  assert.deepEqual(await listUploadDirectory(service), ['data', 'metadata']);
  current = disk;
  const { statusCode, headers } = await headUpload(service, path);
  assert.deepEqual([statusCode, [headers['cloche-design']]], [200, await listUris(service)]);
  assert.deepEqual(await listUploadDirectory(service), ['metadata']);
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

test('an upload that was fully received before a crash is completed at the next start', async (t) => {
  const first = await openTestServer(t);
  const path = await createUpload(first, MODEL.length, uploadMetadataHeader({ name: 'Oak chair' }));
  await patchUpload(first, path, MODEL.subarray(0, 100));
  await shutDownGracefully(first.app, 100);
  // As after a crash between the last byte and the design.
  await writeFile(join(first.dataDirectory, 'uploads', basename(path)), MODEL);
  await restart(t, first, async (second) => {
    await waitUntilCompleted(second);
    const uris = await listUris(second);
    assert.equal(uris.length, 1);
    assert.deepEqual([(await headUpload(second, path)).headers['cloche-design']], uris);
    assert.deepEqual(await listUploadDirectory(second), ['metadata']);
  });
});

test('a crash between creating the design and storing the result creates no second design', async (t) => {
  const first = await openTestServer(t);
  const path = await createUpload(first, MODEL.length);
  const metadataPath = join(first.dataDirectory, 'uploads', `${basename(path)}.json`);
  const before = await readFile(metadataPath);
  const design = (await patchUpload(first, path, MODEL)).headers['cloche-design'];
  await shutDownGracefully(first.app, 100);
  await writeFile(metadataPath, before);
  await writeFile(join(first.dataDirectory, 'uploads', basename(path)), MODEL);
  await restart(t, first, async (second) => {
    await waitUntilCompleted(second);
    assert.deepEqual(await listUris(second), [design]);
    assert.equal((await headUpload(second, path)).headers['cloche-design'], design);
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

test('files without their counterpart, as after a crash, are deleted at the start', async (t) => {
  const first = await openTestServer(t);
  const path = await createUpload(first, MODEL.length);
  const directory = join(first.dataDirectory, 'uploads');
  await shutDownGracefully(first.app, 100);
  const id = 'f'.repeat(32);
  for (const name of [id, `${'e'.repeat(32)}.json`, `${id}.json.new`]) {
    await writeFile(join(directory, name), '{');
  }
  await restart(t, first, async (second) => {
    assert.deepEqual(await listUploadDirectory(second), ['data', 'metadata']);
    assert.equal((await headUpload(second, path)).statusCode, 200);
  });
});

test('an upload that an older release began, without fields that designs have now, is completed', async (t) => {
  const first = await openTestServer(t);
  const path = await createUpload(first, MODEL.length, uploadMetadataHeader({ name: 'Oak chair' }));
  const file = join(first.dataDirectory, 'uploads', `${basename(path)}.json`);
  const upload = JSON.parse(await readFile(file, 'utf8'));
  const { name, description } = upload.parsedMetadata.fields;
  upload.parsedMetadata.fields = { name, description };
  await writeFile(file, JSON.stringify(upload));
  await restart(t, first, async (second) => {
    const response = await patchUpload(second, path, MODEL);
    assert.equal(response.statusCode, 204, response.body);
    const { items } = (await sendRequest(second, 'GET', '/v1/designs')).json();
    assert.deepEqual(
      items.map(({ name, viewer, shared, tags }: Design) => ({ name, viewer, shared, tags })),
      [{ name: 'Oak chair', viewer: {}, shared: false, tags: [] }],
    );
  });
});

test('expired uploads are deleted, and the log has the number of incomplete uploads among them', async (t) => {
  const service = await openTestServer(t);
  await createUpload(service, MODEL.length);
  await patchUpload(service, await createUpload(service, MODEL.length), MODEL);
  const tusUploads = await TusUploadStore.open(join(service.dataDirectory, 'uploads'));
  const logged: object[] = [];
  const log = { info: (fields: object) => logged.push(fields), error: () => {} };
  const deleteExpired = (afterMs: number) => {
    const now = () => new Date(Date.now() + afterMs);
    return deleteExpiredUploads({ tusUploads, locker: new UploadLocker(0), log, now });
  };
  await deleteExpired(DAY_MS - 60_000);
  assert.deepEqual(await listUploadDirectory(service), ['data', 'metadata', 'metadata']);
  await deleteExpired(DAY_MS);
  assert.deepEqual([await listUploadDirectory(service), logged], [[], [{ deletedUploads: 1 }]]);
});

test('507: PATCH on a full disk', async (t) => {
  const service = await openTestServer(t);
  const path = await createUpload(service, MODEL.length);
  // /dev/full fails each write with ENOSPC.
  const file = join(service.dataDirectory, 'uploads', basename(path));
  if (!(await stat('/dev/full').catch(() => undefined)))
    return t.skip('this system has no /dev/full');
  await rm(file);
  await symlink('/dev/full', file);
  assertTusProblem(await patchUpload(service, path, MODEL), 507, 'server.storage-full');
});
