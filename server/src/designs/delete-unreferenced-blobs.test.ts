import assert from 'node:assert/strict';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import type { PosterRenderer } from '@cloche/pipeline/poster/poster-renderer';
import { makeBox } from '@cloche/pipeline/testing/models';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { passthroughProcessor } from '../../testing/fake-processing.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { GLB_HEADERS, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { connectToServerDatabase, openDatabaseAgain } from '../../testing/test-database.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import { deleteUnreferencedBlobs } from './delete-unreferenced-blobs.ts';
import { DesignStore } from './design-store.ts';
import { RevisionStore } from './revision-store.ts';

const HOUR_MS = 60 * 60 * 1000;

/** Opens a server, and its database and blobs a second time. */
async function openStores(t: TestContext) {
  const service = await openTestServer(t);
  const database = openDatabaseAgain(t, service.dataDirectory);
  const blobs = await DiskBlobStore.open(join(service.dataDirectory, 'blobs'));
  /** Deletes blobs as if this many hours had passed. */
  const deleteBlobs = (afterHours: number) =>
    deleteUnreferencedBlobs(
      blobs,
      new RevisionStore(database, new DesignStore(database)),
      new Date(Date.now() + afterHours * HOUR_MS),
    );
  return { service, deleteBlobs, blobs };
}

/** Sets the time of all stored blobs to 1000 hours ago. */
async function makeBlobsOld({ dataDirectory }: TestServer, blobs: BlobStore): Promise<void> {
  const longAgo = new Date(Date.now() - 1000 * HOUR_MS);
  for await (const { ref } of blobs.list()) {
    const path = join(dataDirectory, 'blobs', 'sha256', ref.slice(0, 2), ref);
    await utimes(path, longAgo, longAgo);
  }
}

async function countBlobs(dataDirectory: string): Promise<number> {
  const fileNames = await readdir(join(dataDirectory, 'blobs', 'sha256'), { recursive: true });
  return fileNames.filter((name) => /[0-9a-f]{64}$/.test(name)).length;
}

test('deletes the blobs of a deleted design when they are a day old', async (t) => {
  const { service, deleteBlobs } = await openStores(t);
  const chair = await uploadTestDesign(service, 'chair');
  await uploadTestDesign(service, 'table');
  await sendRequest(service, 'DELETE', `/v1/designs/${chair.id}`);
  assert.equal(await countBlobs(service.dataDirectory), 2);
  assert.equal(await deleteBlobs(23), 0);
  assert.equal(await deleteBlobs(25), 1);
  assert.equal(await countBlobs(service.dataDirectory), 1);
  assert.equal(await deleteBlobs(1000), 0, 'referenced blobs are never deleted');
});

test('keeps a blob while one of two designs references it', async (t) => {
  const { service, deleteBlobs } = await openStores(t);
  const model = makeBox();
  const first = await uploadTestDesign(service, 'first', model);
  const second = await uploadTestDesign(service, 'second', model);
  assert.notEqual(first.id, second.id);
  assert.equal(await countBlobs(service.dataDirectory), 1);
  await sendRequest(service, 'DELETE', `/v1/designs/${first.id}`);
  assert.equal(await deleteBlobs(1000), 0);
  const download = await sendRequest(service, 'GET', `/v1/designs/${second.id}/model`);
  assert.deepEqual(download.rawPayload, model);
  await sendRequest(service, 'DELETE', `/v1/designs/${second.id}`);
  assert.equal(await deleteBlobs(1000), 1);
  assert.equal(await countBlobs(service.dataDirectory), 0);
});

test('deletes the compressed form of a model with it: after a day, or at once on a full disk', async (t) => {
  const { service, deleteBlobs } = await openStores(t);
  const model = makeBox({ name: 'leg '.repeat(5000) });
  const first = await uploadTestDesign(service, 'first', model);
  const second = await uploadTestDesign(service, 'second', model);
  assert.equal(await countBlobs(service.dataDirectory), 2, 'the model, and its compressed form');
  await sendRequest(service, 'DELETE', `/v1/designs/${first.id}`);
  assert.equal(await deleteBlobs(1000), 0, 'the other design references both');
  await sendRequest(service, 'DELETE', `/v1/designs/${second.id}`);
  assert.equal(await deleteBlobs(1000), 2);

  const reserve = { run: <T>(task: () => Promise<T>) => task(), refill: () => true };
  const full = await openTestServer(t, { reserve: { ...reserve, isSpaceLow: async () => true } });
  const third = await uploadTestDesign(full, 'third', model);
  assert.equal(await countBlobs(full.dataDirectory), 2);
  await sendRequest(full, 'DELETE', `/v1/designs/${third.id}`);
  assert.equal(await countBlobs(full.dataDirectory), 0);
});

test('keeps an old blob for a day after it was uploaded again', async (t) => {
  const { service, deleteBlobs, blobs } = await openStores(t);
  const model = makeBox();
  const first = await uploadTestDesign(service, 'first', model);
  await makeBlobsOld(service, blobs);
  await sendRequest(service, 'DELETE', `/v1/designs/${first.id}`);
  const second = await uploadTestDesign(service, 'second', model);
  await sendRequest(service, 'DELETE', `/v1/designs/${second.id}`);
  assert.equal(await deleteBlobs(0), 0);
  assert.equal(await deleteBlobs(25), 1);
});

test('keeps a blob that is uploaded again during the cleanup', async (t) => {
  const { service, blobs } = await openStores(t);
  const model = makeBox();
  const first = await uploadTestDesign(service, 'first', model);
  await sendRequest(service, 'DELETE', `/v1/designs/${first.id}`);
  let second = first;
  const revisions = {
    // Correct when it was computed, outdated when it is used.
    isBlobNeeded: async () => {
      second = await uploadTestDesign(service, 'second', model);
      return false;
    },
  };
  await makeBlobsOld(service, blobs);
  assert.equal(await deleteUnreferencedBlobs(blobs, revisions, new Date()), 0);
  const download = await sendRequest(service, 'GET', `/v1/designs/${second.id}/model`);
  assert.deepEqual(download.rawPayload, model);
});

test('stops early when the signal aborts', async (t) => {
  const { service, blobs } = await openStores(t);
  await sendRequest(service, 'DELETE', `/v1/designs/${(await uploadTestDesign(service)).id}`);
  const revisions = { isBlobNeeded: async () => false };
  const later = new Date(Date.now() + 25 * HOUR_MS);
  assert.equal(await deleteUnreferencedBlobs(blobs, revisions, later, AbortSignal.abort()), 0);
  assert.equal(await deleteUnreferencedBlobs(blobs, revisions, later), 1);
});

test('deletes model, preview and posters of a deleted design, and logs how many', async (t) => {
  const runHourlyTasks = captureHourlyTasks(t);
  const service = await openTestServer(t, {
    processing: { modelProcessor: createVaryingModelProcessor(), posterRenderer: POSTER_RENDERER },
  });
  const second = makeBox({ name: 'second' });
  const chair = await uploadTestDesign(service, 'chair', makeBox({ name: 'first' }));
  await sendRequest(service, 'PUT', `/v1/designs/${chair.id}/model`, second, GLB_HEADERS);
  const table = await uploadTestDesign(service, 'table', second);
  const database = connectToServerDatabase(t, service);
  const listReferenced = async () => {
    const rows = await database.all(
      'SELECT source_blob AS ref FROM revision UNION SELECT blob FROM artifact ORDER BY ref',
    );
    return rows.map(({ ref }) => String(ref));
  };
  const listStored = async () => {
    const names = await readdir(join(service.dataDirectory, 'blobs', 'sha256'), {
      recursive: true,
    });
    return names.flatMap((name) => name.match(/[0-9a-f]{64}$/) ?? []).toSorted();
  };
  const countLogged = () =>
    service.logLines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'deleted unreferenced blobs')
      .reduce((total, { deletedBlobs }) => total + deletedBlobs, 0);
  // The first cleanup after a start may delete some of the blobs at any time.
  const runMaintenance = async (expectedTotal: number) => {
    service.advanceTime(25 * HOUR_MS);
    runHourlyTasks();
    await waitUntil(`${expectedTotal} blobs are deleted`, () => countLogged() >= expectedTotal);
  };

  // Two distinct source files, and four artifacts of each of three revisions.
  assert.equal((await listReferenced()).length, 14);
  await sendRequest(
    service,
    'DELETE',
    `/v1/designs/${(await uploadTestDesign(service, 'stool')).id}`,
  );
  await runMaintenance(5);
  assert.deepEqual(
    await listStored(),
    await listReferenced(),
    'the blobs of older revisions are referenced',
  );
  assert.equal(countLogged(), 5);

  await sendRequest(service, 'DELETE', `/v1/designs/${chair.id}`);
  assert.equal((await listReferenced()).length, 5);
  await runMaintenance(14);
  assert.deepEqual(
    await listStored(),
    await listReferenced(),
    'the blobs of the other design are referenced',
  );
  assert.equal(countLogged(), 14);
  const download = await sendRequest(service, 'GET', `/v1/designs/${table.id}/model`);
  assert.deepEqual(download.rawPayload, second);
});

/**
 * Returns a function that runs the hourly tasks of all servers that are opened later. With a mocked clock, thousands of
 * shorter intervals would end in the same hour.
 */
function captureHourlyTasks(t: TestContext): () => void {
  const tasks: (() => void)[] = [];
  const { setInterval } = globalThis;
  t.mock.method(globalThis, 'setInterval', ((run: () => void, ms: number, ...args: []) => {
    if (ms === HOUR_MS) tasks.push(() => run(...args));
    return setInterval(run, ms, ...args);
  }) as typeof setInterval);
  return () => {
    for (const run of tasks) run();
  };
}

/** Writes a model and a preview with different bytes in each run. */
function createVaryingModelProcessor(): ModelProcessor {
  let runCount = 0;
  return {
    async run(directory, options) {
      runCount += 1;
      const result = await passthroughProcessor.run(directory, options);
      await writeFile(join(directory, 'out', 'model.glb'), makeBox({ name: `model ${runCount}` }));
      await writeFile(
        join(directory, 'out', 'preview.glb'),
        makeBox({ name: `preview ${runCount}` }),
      );
      return result;
    },
  };
}

let imageCount = 0;
const POSTER_RENDERER: PosterRenderer = {
  async render() {
    imageCount += 2;
    const size = { width: 4, height: 3 };
    return {
      images: [
        { kind: 'poster', bytes: Buffer.from(`poster ${imageCount}`), ...size },
        { kind: 'poster-small', bytes: Buffer.from(`poster ${imageCount + 1}`), ...size },
      ],
      placeholder: { background: '#ffffff' },
      hasOneColor: false,
    };
  },
};
