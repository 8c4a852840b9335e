import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ModelProcessor, WorkerResult } from '@cloche/pipeline/model-processor';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import {
  fetchDesign,
  fetchDesignEvents,
  fetchFramedDocument,
  GLB_CONTENT_TYPE,
} from '../../testing/design-requests.ts';
import { createBlockingProcessor, passthroughProcessor } from '../../testing/fake-processing.ts';
import { openTestServer } from '../../testing/harness.ts';
import { openServerDatabase, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';

const WITHOUT_WAIT = { ...GLB_CONTENT_TYPE, prefer: '' };
const TRANSIENT_FAILURE: WorkerResult = {
  ok: false,
  code: 'design.failed',
  detail: 'Crashed.',
  retryable: true,
};

test('201: the answer does not wait for processing, unless it is asked to', async (t) => {
  const held = createBlockingProcessor();
  const service = await openTestServer(t, { processing: { modelProcessor: held.maker } });
  const first = await sendRequest(service, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT);
  assert.equal(first.statusCode, 201);
  const { id, status, revision, stats } = first.json();
  assert.deepEqual([status, revision, stats], ['queued', null, null]);

  await held.begun;
  const under = await fetchDesign(service, id);
  assert.equal(under.status, 'processing');
  assert.deepEqual(under.progress, { step: 'textures', percent: 43 });
  assert.equal((await sendRequest(service, 'GET', `/v1/designs/${id}/model`)).statusCode, 200);

  const short = await sendRequest(service, 'POST', '/v1/designs', makeBox(), {
    ...GLB_CONTENT_TYPE,
    prefer: 'wait=1',
  });
  assert.equal(short.headers['preference-applied'], 'wait=1');
  assert.notEqual(short.json().status, 'ready');
  held.letGo();
  const whole = await sendRequest(service, 'POST', '/v1/designs', makeBox(), {
    ...GLB_CONTENT_TYPE,
    prefer: 'wait=60',
  });
  assert.equal(whole.json().status, 'ready');
  assert.equal(whole.json().progress, null);
});

test('200: events tell steps as they happen, and end with the design', async (t) => {
  const held = createBlockingProcessor();
  const service = await openTestServer(t, { processing: { modelProcessor: held.maker } });
  const { id } = (
    await sendRequest(service, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT)
  ).json();
  await held.begun;
  const heard = fetchDesignEvents(service, id);
  setTimeout(held.letGo, 50);
  const all = await heard;
  const progress = all.filter(([name]) => name === 'progress').map(([, data]) => data);
  assert.deepEqual(progress[0], { step: 'textures', percent: 43 });
  const designs = all.filter(([name]) => name === 'design').map(([, data]) => data as never);
  assert.deepEqual(
    designs.map(({ status }) => status),
    ['processing', 'ready'],
  );
  assert.deepEqual(designs.at(-1), await fetchDesign(service, id));
  assert.deepEqual(
    (await fetchDesignEvents(service, id)).map(([name]) => name),
    ['design'],
    'what is over',
  );
});

test('404: the events of what is not there', async (t) => {
  const service = await openTestServer(t);
  const nobody = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
  const answer = await sendRequest(service, 'GET', `/v1/designs/${nobody}/events`);
  assert.equal(answer.json().code, 'design.unknown');
});

test('503: a frame that is opened too early tries again, and then shows', async (t) => {
  const held = createBlockingProcessor();
  const service = await openTestServer(t, { processing: { modelProcessor: held.maker } });
  const { id } = (
    await sendRequest(service, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT)
  ).json();
  const early = (await fetchFramedDocument(service, id)).answer;
  assert.equal(early.statusCode, 503);
  assert.equal(early.headers.refresh, '3');
  assert.match(early.body, /being prepared/);
  held.letGo();
  await fetchDesignEvents(service, id);
  assert.equal((await fetchFramedDocument(service, id)).answer.statusCode, 200);
});

test('who waits is answered when the service stops, with the design as it is', async (t) => {
  const held = createBlockingProcessor();
  const service = await openTestServer(t, { processing: { modelProcessor: held.maker } });
  const answer = sendRequest(service, 'POST', '/v1/designs', makeBox(), {
    ...GLB_CONTENT_TYPE,
    prefer: 'wait=60',
  });
  await held.begun;
  await service.app.close();
  assert.equal((await answer).statusCode, 201);
  assert.notEqual((await answer).json().status, 'ready');
});

test('what breaks off by chance is tried again', async (t) => {
  const outcomes = [TRANSIENT_FAILURE];
  const modelProcessor: ModelProcessor = {
    run: async (...given) => outcomes.shift() ?? passthroughProcessor.run(...given),
  };
  const service = await openTestServer(t, { processing: { modelProcessor } });
  assert.equal((await uploadTestDesign(service)).status, 'ready');
  assert.deepEqual(outcomes, []);
});

test('what breaks off every time is failed after three attempts, and nothing is stuck', async (t) => {
  let runs = 0;
  const modelProcessor: ModelProcessor = {
    run: async () => {
      runs += 1;
      throw new Error('out of luck');
    },
  };
  const service = await openTestServer(t, { processing: { modelProcessor } });
  const design = await uploadTestDesign(service);
  assert.equal(design.status, 'failed');
  assert.equal(design.problem?.code, 'design.failed');
  assert.equal(runs, 3);
  const database = openServerDatabase(t, service);
  assert.equal(database.prepare('SELECT count(*) AS n FROM job').get()?.n, 0);
  assert.deepEqual(await readdir(join(service.dataDirectory, 'work')), []);
  const { answer } = await fetchFramedDocument(service, design.id);
  assert.equal(answer.statusCode, 422);
  assert.match(answer.body, /could not be processed/);
});

test('what was begun when the service stopped is ready after the next start', async (t) => {
  const folder = await openTemporaryDirectory(t);
  const blobs = await DiskBlobStore.open(join(folder, 'blobs'));
  const held = createBlockingProcessor();
  const service = await openTestServer(t, { processing: { modelProcessor: held.maker }, blobs });
  const { id } = (
    await sendRequest(service, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT)
  ).json();
  await held.begun;
  await service.app.close();

  const database = openServerDatabase(t, service);
  const row = database.prepare('SELECT attempts, leased_until FROM job').get();
  assert.deepEqual({ ...row }, { attempts: 0, leased_until: null }, 'as if never begun');
  // As kill -9 leaves it: begun, with a lease that nobody will renew.
  database.exec(`UPDATE job SET attempts = 1, leased_until = '2999-01-01T00:00:00.000Z'`);
  const opened = await openTestServer(t, { blobs, dataDirectory: service.dataDirectory });
  const second = { ...opened, token: service.token };
  await fetchDesignEvents(second, id);
  assert.equal((await fetchDesign(second, id)).status, 'ready');
});

test('a design that is deleted while it is processed leaves nothing', async (t) => {
  const held = createBlockingProcessor();
  const service = await openTestServer(t, { processing: { modelProcessor: held.maker } });
  const { id } = (
    await sendRequest(service, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT)
  ).json();
  await held.begun;
  assert.equal((await sendRequest(service, 'DELETE', `/v1/designs/${id}`)).statusCode, 204);
  const work = join(service.dataDirectory, 'work');
  while ((await readdir(work)).length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  const database = openServerDatabase(t, service);
  assert.equal(
    database.prepare('SELECT count(*) AS n FROM revision WHERE design_id = ?').get(id)?.n,
    0,
  );
});

test('what a maker makes is checked as if a stranger had sent it', async (t) => {
  const spoiled: ModelProcessor = {
    async run(folder) {
      await writeFile(join(folder, 'out', 'model.glb'), makeBox().subarray(0, 700));
      return { ok: true, report: WORKER_REPORT };
    },
  };
  const service = await openTestServer(t, { processing: { modelProcessor: spoiled } });
  const design = await uploadTestDesign(service);
  assert.equal(design.status, 'failed');
  assert.equal(design.problem?.code, 'design.failed');
});

const WORKER_REPORT = {
  before: {
    ...{ bytes: 1, triangles: 0, vertices: 0, nodes: 0, meshes: 0 },
    ...{ materials: 0, textures: 0, animations: 0, variants: 0 },
  },
  steps: [],
  warnings: [],
};

test('a disk that fills up in the middle: tried again, then failed, and the room given back', async (t) => {
  const folder = await openTemporaryDirectory(t);
  const inner = await DiskBlobStore.open(join(folder, 'blobs'));
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  const blobs: BlobStore = {
    createDraft: async (bytes, options) => {
      const draft = await inner.createDraft(bytes, options);
      // The upload fits, what is made of it does not.
      if (isFull) {
        await draft[Symbol.asyncDispose]();
        return inner.createDraft(failingStream(full), options);
      }
      isFull = true;
      return draft;
    },
    open: (...given) => inner.open(...given),
    read: (...given) => inner.read(...given),
    copyToFile: (...given) => inner.copyToFile(...given),
    remove: (...given) => inner.remove(...given),
    list: () => inner.list(),
  };
  let isFull = false;
  const service = await openTestServer(t, { blobs });
  const design = await uploadTestDesign(service);
  assert.equal(design.status, 'failed');
  assert.equal(design.problem?.code, 'server.storage-full');
  assert.deepEqual(await readdir(join(folder, 'blobs', 'drafts')), []);
  assert.deepEqual(await readdir(join(service.dataDirectory, 'work')), []);
});

// biome-ignore lint/correctness/useYield: a stream that fails at its first byte
async function* failingStream(error: Error): AsyncGenerator<Uint8Array> {
  throw error;
}

test('503: a queue that is full takes nothing more, and says when to come again', async (t) => {
  const held = createBlockingProcessor();
  const service = await openTestServer(t, {
    processing: { modelProcessor: held.maker, maxQueuedJobs: 2 },
  });
  for (const _ of [1, 2])
    await sendRequest(service, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT);
  const third = await sendRequest(service, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT);
  assert.equal(third.statusCode, 503);
  assert.equal(third.headers['retry-after'], '10');
  assert.equal((await sendRequest(service, 'GET', '/v1/designs')).json().items.length, 2);
  held.letGo();
});

test('what is set about models reaches whoever makes them', async (t) => {
  let task: { options?: object } = {};
  const modelProcessor: ModelProcessor = {
    async run(folder, options) {
      task = JSON.parse(await readFile(join(folder, 'task.json'), 'utf8'));
      return passthroughProcessor.run(folder, options);
    },
  };
  const options = { maxTextureSize: 512 };
  const service = await openTestServer(t, {
    processing: { modelProcessor, processingOptions: options },
  });
  await uploadTestDesign(service, 'chair');
  assert.deepEqual(task.options, options);
});
