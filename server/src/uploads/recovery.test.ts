import assert from 'node:assert/strict';
import { readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** Stops a service, opens another one in its place, and stops that too, for they have one folder. */
async function restart(
  t: TestContext,
  { app, token, dataDirectory }: TestServer,
  look: (service: TestServer) => Promise<void>,
): Promise<void> {
  await shutDownGracefully(app, 100);
  const service = { ...(await openTestServer(t, { dataDirectory })), token };
  try {
    await look(service);
  } finally {
    await shutDownGracefully(service.app, 100);
  }
}

/** Waits until a whole upload has been finished by itself. */
async function waitUntilCompleted(service: TestServer): Promise<void> {
  while (!service.logLines.some((line) => line.includes('whole at the start'))) {
    await sleep(5);
  }
}

async function listUris(service: TestServer): Promise<string[]> {
  const { items } = (await sendRequest(service, 'GET', '/v1/designs')).json();
  return items.map(({ uri }: { uri: string }) => uri);
}

test('a full disk: 507 for the last piece, 423 for who asks, a design when there is room', async (t) => {
  const disk = await DiskBlobStore.open(await openTemporaryDirectory(t));
  const full = createDiskFullBlobStore(disk);
  let now = full;
  const service = await openTestServer(t, {
    blobs: { ...full, createDraft: (...given) => now.createDraft(...given) },
  });
  const path = await createUpload(service, MODEL.length);
  assertTusProblem(await patchUpload(service, path, MODEL), 507, 'server.storage-full');
  assertTusProblem(await headUpload(service, path), 423, 'upload.busy');
  assert.deepEqual(await listUploadDirectory(service), ['bytes', 'note']);
  now = disk;
  const { statusCode, headers } = await headUpload(service, path);
  assert.deepEqual([statusCode, [headers['cloche-design']]], [200, await listUris(service)]);
  assert.deepEqual(await listUploadDirectory(service), ['note']);
});

test('204: who asks while the design is made hears of the same one', async (t) => {
  const blobs = await BlockingBlobStore.open(t);
  const service = await openTestServer(t, { blobs });
  const path = await createUpload(service, MODEL.length);
  const last = patchUpload(service, path, MODEL);
  await blobs.keepStarted;
  const others = [
    headUpload(service, path),
    patchUpload(service, path, Buffer.alloc(0), MODEL.length),
  ];
  await sleep(50);
  blobs.release();
  const answers = await Promise.all([last, ...others]);
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [204, 200, 204],
  );
  const designs = answers.map(({ headers }) => headers['cloche-design']);
  assert.deepEqual([...new Set(designs)], await listUris(service));
});

test('stopped between the last byte and the design: finished at the next start', async (t) => {
  const first = await openTestServer(t);
  const path = await createUpload(first, MODEL.length, uploadMetadataHeader({ name: 'Oak chair' }));
  await patchUpload(first, path, MODEL.subarray(0, 100));
  await shutDownGracefully(first.app, 100);
  // The bytes came, and the service got no further.
  await writeFile(join(first.dataDirectory, 'uploads', basename(path)), MODEL);
  await restart(t, first, async (second) => {
    await waitUntilCompleted(second);
    const uris = await listUris(second);
    assert.equal(uris.length, 1);
    assert.deepEqual([(await headUpload(second, path)).headers['cloche-design']], uris);
    assert.deepEqual(await listUploadDirectory(second), ['note']);
  });
});

test('stopped between the design and the note of it: no second design', async (t) => {
  const first = await openTestServer(t);
  const path = await createUpload(first, MODEL.length);
  const note = join(first.dataDirectory, 'uploads', `${basename(path)}.json`);
  const before = await readFile(note);
  const design = (await patchUpload(first, path, MODEL)).headers['cloche-design'];
  await shutDownGracefully(first.app, 100);
  await writeFile(note, before);
  await writeFile(join(first.dataDirectory, 'uploads', basename(path)), MODEL);
  await restart(t, first, async (second) => {
    await waitUntilCompleted(second);
    assert.deepEqual(await listUris(second), [design]);
    assert.equal((await headUpload(second, path)).headers['cloche-design'], design);
  });
});

test('a design that was deleted stays deleted, however often its upload is asked', async (t) => {
  const first = await openTestServer(t);
  const path = await createUpload(first, MODEL.length);
  const design = String((await patchUpload(first, path, MODEL)).headers['cloche-design']);
  await sendRequest(first, 'DELETE', `/v1/designs/${design.slice('cloche:design:'.length)}`);
  await restart(t, first, async (second) => {
    assert.equal((await headUpload(second, path)).headers['cloche-design'], design);
    assert.deepEqual(await listUris(second), []);
  });
});

test('404: the design whose revision it was to be is no more', async (t) => {
  const service = await openTestServer(t);
  const other = await createUpload(service, MODEL.length);
  const design = String((await patchUpload(service, other, MODEL)).headers['cloche-design']);
  const path = await createUpload(service, MODEL.length, uploadMetadataHeader({ design }));
  await sendRequest(service, 'DELETE', `/v1/designs/${design.slice('cloche:design:'.length)}`);
  assertTusProblem(await patchUpload(service, path, MODEL), 404, 'design.unknown');
  assert.deepEqual(await listUris(service), []);
});

test('what a crash left half made is thrown away', async (t) => {
  const first = await openTestServer(t);
  const path = await createUpload(first, MODEL.length);
  const folder = join(first.dataDirectory, 'uploads');
  await shutDownGracefully(first.app, 100);
  const id = 'f'.repeat(32);
  for (const name of [id, `${'e'.repeat(32)}.json`, `${id}.json.new`]) {
    await writeFile(join(folder, name), '{');
  }
  await restart(t, first, async (second) => {
    assert.deepEqual(await listUploadDirectory(second), ['bytes', 'note']);
    assert.equal((await headUpload(second, path)).statusCode, 200);
  });
});

test('what is over is swept, and those that were not finished are counted', async (t) => {
  const service = await openTestServer(t);
  await createUpload(service, MODEL.length);
  await patchUpload(service, await createUpload(service, MODEL.length), MODEL);
  const tusUploads = await TusUploadStore.open(join(service.dataDirectory, 'uploads'));
  const said: object[] = [];
  const log = { info: (facts: object) => said.push(facts), error: () => {} };
  const sweep = (ms: number) => {
    const now = () => new Date(Date.now() + ms);
    return deleteExpiredUploads({ tusUploads, locker: new UploadLocker(0), log, now });
  };
  await sweep(DAY_MS - 60_000);
  assert.deepEqual(await listUploadDirectory(service), ['bytes', 'note', 'note']);
  await sweep(DAY_MS);
  assert.deepEqual([await listUploadDirectory(service), said], [[], [{ swept: 1 }]]);
});

test('507: no room for a piece; what came is kept', async (t) => {
  const service = await openTestServer(t);
  const path = await createUpload(service, MODEL.length);
  // A device that is always full stands in for the file.
  const file = join(service.dataDirectory, 'uploads', basename(path));
  if (!(await stat('/dev/full').catch(() => undefined))) return t.skip('no /dev/full here');
  await rm(file);
  await symlink('/dev/full', file);
  assertTusProblem(await patchUpload(service, path, MODEL), 507, 'server.storage-full');
});
