import assert from 'node:assert/strict';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import type { PosterRenderer } from '@cloche/pipeline/poster/poster-renderer';
import { makeBox } from '@cloche/pipeline/testing/models';
import { passthroughProcessor } from '../../testing/fake-processing.ts';
import { openTestServer } from '../../testing/harness.ts';
import { openServerDatabase, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import { openSqlite } from '../database/sqlite.ts';
import { deleteUnreferencedBlobs } from './delete-unreferenced-blobs.ts';
import { DesignStore } from './design-store.ts';
import { RevisionStore } from './revision-store.ts';

const HOUR = 60 * 60 * 1000;

/** A service with its shelves at hand, for what no request does. */
async function openStores(t: TestContext) {
  const service = await openTestServer(t);
  const database = openSqlite(join(service.dataDirectory, 'cloche.sqlite'));
  t.after(() => database.destroy());
  const blobs = await DiskBlobStore.open(join(service.dataDirectory, 'blobs'));
  const sweep = (hours: number) =>
    deleteUnreferencedBlobs(
      blobs,
      new RevisionStore(database, new DesignStore(database)),
      new Date(Date.now() + hours * HOUR),
    );
  return { service, sweep, blobs };
}

async function countBlobs(folder: string): Promise<number> {
  const kept = await readdir(join(folder, 'blobs', 'kept'), { recursive: true });
  return kept.filter((name) => /[0-9a-f]{64}$/.test(name)).length;
}

test('the bytes of a deleted design stay for a day, then go', async (t) => {
  const { service, sweep } = await openStores(t);
  const chair = await uploadTestDesign(service, 'chair');
  await uploadTestDesign(service, 'table');
  await sendRequest(service, 'DELETE', `/v1/designs/${chair.id}`);
  assert.equal(await countBlobs(service.dataDirectory), 2);
  assert.equal(await sweep(23), 0);
  assert.equal(await sweep(25), 1);
  assert.equal(await countBlobs(service.dataDirectory), 1);
  assert.equal(await sweep(1000), 0, 'what a design has is never swept');
});

test('the same bytes twice are one file, and two designs', async (t) => {
  const { service, sweep } = await openStores(t);
  const box = makeBox();
  const first = await uploadTestDesign(service, 'first', box);
  const second = await uploadTestDesign(service, 'second', box);
  assert.notEqual(first.id, second.id);
  assert.equal(await countBlobs(service.dataDirectory), 1);
  await sendRequest(service, 'DELETE', `/v1/designs/${first.id}`);
  assert.equal(await sweep(1000), 0);
  const model = await sendRequest(service, 'GET', `/v1/designs/${second.id}/model`);
  assert.deepEqual(model.rawPayload, box);
  await sendRequest(service, 'DELETE', `/v1/designs/${second.id}`);
  assert.equal(await sweep(1000), 1);
  assert.equal(await countBlobs(service.dataDirectory), 0);
});

test('bytes sent once more are fresh, though they lay here long', async (t) => {
  const { service, sweep } = await openStores(t);
  const box = makeBox();
  const first = await uploadTestDesign(service, 'first', box);
  const [shelf = '', name = ''] = await readdir(join(service.dataDirectory, 'blobs', 'kept'), {
    recursive: true,
  });
  const longAgo = new Date(Date.now() - 1000 * HOUR);
  await utimes(join(service.dataDirectory, 'blobs', 'kept', name || shelf), longAgo, longAgo);
  await sendRequest(service, 'DELETE', `/v1/designs/${first.id}`);
  const second = await uploadTestDesign(service, 'second', box);
  await sendRequest(service, 'DELETE', `/v1/designs/${second.id}`);
  assert.equal(await sweep(0), 0);
  assert.equal(await sweep(25), 1);
});

test('bytes that come again while they are swept stay', async (t) => {
  const { service, blobs } = await openStores(t);
  const box = makeBox();
  const first = await uploadTestDesign(service, 'first', box);
  await sendRequest(service, 'DELETE', `/v1/designs/${first.id}`);
  let second = first;
  const designs = {
    // The answer is true when it is given, and no more when it is heard.
    isBlobReferenced: async () => {
      second = await uploadTestDesign(service, 'second', box);
      return false;
    },
  } as unknown as RevisionStore;
  for await (const { ref } of blobs.list()) {
    const longAgo = new Date(Date.now() - 1000 * HOUR);
    await utimes(
      join(service.dataDirectory, 'blobs', 'kept', ref.slice(0, 2), ref),
      longAgo,
      longAgo,
    );
  }
  assert.equal(await deleteUnreferencedBlobs(blobs, designs, new Date()), 0);
  const model = await sendRequest(service, 'GET', `/v1/designs/${second.id}/model`);
  assert.deepEqual(model.rawPayload, box);
});

test('a sweep ends early when the service stops', async (t) => {
  const { service, blobs } = await openStores(t);
  await sendRequest(service, 'DELETE', `/v1/designs/${(await uploadTestDesign(service)).id}`);
  const nobody = { isBlobReferenced: async () => false } as unknown as RevisionStore;
  const later = new Date(Date.now() + 25 * HOUR);
  assert.equal(await deleteUnreferencedBlobs(blobs, nobody, later, AbortSignal.abort()), 0);
  assert.equal(await deleteUnreferencedBlobs(blobs, nobody, later), 1);
});

test('model, preview and pictures go with their design, and the log says how many', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const service = await openTestServer(t, {
    processing: { modelProcessor: createVaryingModelProcessor(), poster: POSTER_RENDERER },
  });
  const second = makeBox({ name: 'second' });
  const chair = await uploadTestDesign(service, 'chair', makeBox({ name: 'first' }));
  await sendRequest(service, 'PUT', `/v1/designs/${chair.id}/model`, second, GLB_HEADERS);
  const table = await uploadTestDesign(service, 'table', second);
  const database = openServerDatabase(t, service);
  const named = () =>
    database
      .prepare('SELECT source AS ref FROM revision UNION SELECT blob FROM artifact ORDER BY ref')
      .all()
      .map(({ ref }) => String(ref));
  const kept = async () => {
    const names = await readdir(join(service.dataDirectory, 'blobs', 'kept'), { recursive: true });
    return names.flatMap((name) => name.match(/[0-9a-f]{64}$/) ?? []).toSorted();
  };
  const said = () =>
    service.logLines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'removed files that no design has')
      .map(({ swept }) => swept);
  const sweep = async () => {
    const before = said().length;
    service.advanceTime(25 * HOUR);
    t.mock.timers.tick(HOUR);
    while (said().length === before) await turn();
  };

  // Two sources, one of them sent twice, and four files made of each of three uploads.
  assert.equal(named().length, 14);
  await sendRequest(
    service,
    'DELETE',
    `/v1/designs/${(await uploadTestDesign(service, 'stool')).id}`,
  );
  await sweep();
  assert.deepEqual(await kept(), named(), 'an older revision may be shown again');
  assert.deepEqual(said(), [5]);

  await sendRequest(service, 'DELETE', `/v1/designs/${chair.id}`);
  assert.equal(named().length, 5);
  await sweep();
  assert.deepEqual(await kept(), named(), 'what the other design has stays');
  assert.deepEqual(said(), [5, 9]);
  const model = await sendRequest(service, 'GET', `/v1/designs/${table.id}/model`);
  assert.deepEqual(model.rawPayload, second);
});

const GLB_HEADERS = { 'content-type': 'model/gltf-binary' };

/** Makes other bytes of a file each time, and a preview of them. */
function createVaryingModelProcessor(): ModelProcessor {
  let runs = 0;
  return {
    async run(folder, options) {
      runs += 1;
      const outcome = await passthroughProcessor.run(folder, options);
      await writeFile(join(folder, 'out', 'model.glb'), makeBox({ name: `model ${runs}` }));
      await writeFile(join(folder, 'out', 'preview.glb'), makeBox({ name: `preview ${runs}` }));
      return outcome;
    },
  };
}

let pictureCount = 0;
const POSTER_RENDERER: PosterRenderer = {
  async render() {
    pictureCount += 2;
    const size = { width: 4, height: 3 };
    return {
      pictures: [
        { kind: 'poster', bytes: Buffer.from(`picture ${pictureCount}`), ...size },
        { kind: 'poster-small', bytes: Buffer.from(`picture ${pictureCount + 1}`), ...size },
      ],
      look: { background: '#ffffff' },
    };
  },
};
