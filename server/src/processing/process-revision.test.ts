import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { getWorkerFlags } from '@cloche/pipeline/formats/registry';
import type { ModelProcessor, WorkerResult } from '@cloche/pipeline/model-processor';
import { makeStep } from '@cloche/pipeline/testing/formats/step';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import {
  fetchDesign,
  fetchDesignEvents,
  fetchFramedDocument,
} from '../../testing/design-requests.ts';
import {
  createBlockingProcessor,
  passthroughProcessor,
  ZERO_COUNTS,
} from '../../testing/fake-processing.ts';
import { apiHeaders, openTestServer } from '../../testing/harness.ts';
import {
  GLB_HEADERS,
  sendRequest,
  UNKNOWN_DESIGN_ID,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { createDiskFullBlobStore } from '../../testing/test-blobs.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';

const WITHOUT_WAIT = { ...GLB_HEADERS, prefer: '' };
const RETRYABLE_FAILURE: WorkerResult = {
  ok: false,
  code: 'design.failed',
  detail: 'Crashed.',
  retryable: true,
};

test('201: the response waits for processing only with Prefer: wait', async (t) => {
  const blocking = createBlockingProcessor();
  const service = await openTestServer(t, { processing: { modelProcessor: blocking.processor } });
  const first = await sendRequest(service, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT);
  assert.equal(first.statusCode, 201);
  const { id, status, revision, stats } = first.json();
  assert.deepEqual([status, revision, stats], ['queued', null, null]);

  await blocking.started;
  const inProgress = await fetchDesign(service, id);
  assert.equal(inProgress.status, 'processing');
  assert.deepEqual(inProgress.progress, { step: 'textures', percent: 43, preview: false });
  assert.equal((await sendRequest(service, 'GET', `/v1/designs/${id}/model`)).statusCode, 200);

  const tooShort = await sendRequest(service, 'POST', '/v1/designs', makeBox(), {
    ...GLB_HEADERS,
    prefer: 'wait=1',
  });
  assert.equal(tooShort.headers['preference-applied'], 'wait=1');
  assert.notEqual(tooShort.json().status, 'ready');
  blocking.release();
  const longEnough = await sendRequest(service, 'POST', '/v1/designs', makeBox(), {
    ...GLB_HEADERS,
    prefer: 'wait=60',
  });
  assert.equal(longEnough.json().status, 'ready');
  assert.equal(longEnough.json().progress, null);
});

test('the bounds are those that the worker computed from all vertices', async (t) => {
  const bounds = { min: [-1, -2, -3], max: [4, 5, 6] } as const;
  const modelProcessor: ModelProcessor = {
    async run(...args) {
      const result = await passthroughProcessor.run(...args);
      const { min, max } = bounds;
      if (result.ok) result.report.bounds = { min: [...min], max: [...max] };
      return result;
    },
  };
  const service = await openTestServer(t, { processing: { modelProcessor } });
  const { id } = await uploadTestDesign(service);
  assert.deepEqual((await fetchDesign(service, id)).stats?.bounds, bounds);
});

test('200: the event stream sends progress, and ends when the design is ready', async (t) => {
  const blocking = createBlockingProcessor();
  const service = await openTestServer(t, { processing: { modelProcessor: blocking.processor } });
  const { id } = (
    await sendRequest(service, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT)
  ).json();
  await blocking.started;
  const events = await fetchDesignEvents(service, id, (text) => {
    if (text.includes('event: progress')) blocking.release();
  });
  const progress = events.filter(([name]) => name === 'progress').map(([, data]) => data);
  assert.deepEqual(progress[0], { step: 'textures', percent: 43, preview: false });
  const designs = events.filter(([name]) => name === 'design').map(([, data]) => data as never);
  assert.deepEqual(
    designs.map(({ status }) => status),
    ['processing', 'ready'],
  );
  assert.deepEqual(designs.at(-1), await fetchDesign(service, id));
  assert.deepEqual(
    (await fetchDesignEvents(service, id)).map(([name]) => name),
    ['design'],
    'for a design that is ready, the stream has one event',
  );
});

test('the event stream ends when its token is revoked', async (t) => {
  const blocking = createBlockingProcessor();
  const service = await openTestServer(t, { processing: { modelProcessor: blocking.processor } });
  const { id } = (
    await sendRequest(service, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT)
  ).json();
  await blocking.started;
  const reader = (
    await sendRequest(service, 'POST', '/v1/tokens', { capabilities: ['read'] })
  ).json();
  const events = await service.app.inject({
    url: `/v1/designs/${id}/events`,
    headers: apiHeaders(reader.token),
    payloadAsStream: true,
  });
  assert.equal(events.statusCode, 200);
  await sendRequest(service, 'DELETE', `/v1/tokens/${reader.id}`);
  await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { name: 'For nobody' });
  // Ends although the design is still being processed.
  assert.doesNotMatch(await text(events.stream()), /For nobody/);
  blocking.release();
});

test('404: the events of an unknown design', async (t) => {
  const service = await openTestServer(t);
  const response = await sendRequest(service, 'GET', `/v1/designs/${UNKNOWN_DESIGN_ID}/events`);
  assert.equal(response.json().code, 'design.unknown');
});

test('503: a framed document requested before the design is ready reloads itself', async (t) => {
  const blocking = createBlockingProcessor();
  const service = await openTestServer(t, { processing: { modelProcessor: blocking.processor } });
  const { id } = (
    await sendRequest(service, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT)
  ).json();
  const early = (await fetchFramedDocument(service, id)).response;
  assert.equal(early.statusCode, 503);
  assert.equal(early.headers.refresh, '3');
  assert.match(early.body, /being processed/);
  blocking.release();
  await fetchDesignEvents(service, id);
  assert.equal((await fetchFramedDocument(service, id)).response.statusCode, 200);
});

test('201: a waiting request gets the current design when the server stops', async (t) => {
  const blocking = createBlockingProcessor();
  const service = await openTestServer(t, { processing: { modelProcessor: blocking.processor } });
  const response = sendRequest(service, 'POST', '/v1/designs', makeBox(), {
    ...GLB_HEADERS,
    prefer: 'wait=60',
  });
  await blocking.started;
  await service.app.close();
  assert.equal((await response).statusCode, 201);
  assert.notEqual((await response).json().status, 'ready');
});

test('a retryable failure is retried', async (t) => {
  const failures = [RETRYABLE_FAILURE];
  const modelProcessor: ModelProcessor = {
    run: async (...args) => failures.shift() ?? passthroughProcessor.run(...args),
  };
  const service = await openTestServer(t, { processing: { modelProcessor } });
  assert.equal((await uploadTestDesign(service)).status, 'ready');
  assert.deepEqual(failures, []);
});

const ATTEMPTS = [
  [false, 1],
  ['once', 2],
  [true, 3],
] as const;
for (const [retryable, expectedRuns] of ATTEMPTS) {
  test(`a worker is started ${expectedRuns} times for a failure that is retryable: ${retryable}`, async (t) => {
    let runCount = 0;
    const modelProcessor: ModelProcessor = {
      run: async () => {
        runCount += 1;
        return {
          ok: false,
          code: 'design.failed',
          detail: 'It crashes at the step "read".',
          retryable,
        };
      },
    };
    const service = await openTestServer(t, { processing: { modelProcessor } });
    const { status, problem } = await uploadTestDesign(service);
    const detail = 'It crashes at the step "read".';
    assert.deepEqual([status, problem?.code, problem?.detail], ['failed', 'design.failed', detail]);
    assert.equal(runCount, expectedRuns);
  });
}

test('a design fails after three failed attempts, and no job or directory remains', async (t) => {
  let runCount = 0;
  const modelProcessor: ModelProcessor = {
    run: async () => {
      runCount += 1;
      throw new Error('test failure');
    },
  };
  const service = await openTestServer(t, { processing: { modelProcessor } });
  const design = await uploadTestDesign(service);
  assert.equal(design.status, 'failed');
  assert.equal(design.problem?.code, 'design.failed');
  assert.equal(runCount, 3);
  const database = connectToServerDatabase(t, service);
  assert.equal((await database.get('SELECT count(*) AS n FROM job'))?.n, 0);
  assert.deepEqual(await readdir(join(service.dataDirectory, 'jobs')), []);
  const { response } = await fetchFramedDocument(service, design.id);
  assert.equal(response.statusCode, 422);
  assert.match(response.body, /could not be processed/);
});

test('a job that was running when the server stopped runs after the next start', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const blobs = await DiskBlobStore.open(join(directory, 'blobs'));
  const blocking = createBlockingProcessor();
  const service = await openTestServer(t, {
    processing: { modelProcessor: blocking.processor },
    blobs,
  });
  const { id } = (
    await sendRequest(service, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT)
  ).json();
  await blocking.started;
  await service.app.close();

  const database = connectToServerDatabase(t, service);
  const row = await database.get('SELECT attempts, leased_until FROM job');
  assert.deepEqual(
    { ...row },
    { attempts: 0, leased_until: null },
    'the aborted attempt does not count',
  );
  // As after kill -9: one attempt, with a lease that is never renewed.
  await database.exec(`UPDATE job SET attempts = 1, leased_until = '2999-01-01T00:00:00.000Z'`);
  const restarted = await openTestServer(t, { blobs, dataDirectory: service.dataDirectory });
  const second = { ...restarted, token: service.token };
  await fetchDesignEvents(second, id);
  assert.equal((await fetchDesign(second, id)).status, 'ready');
});

test('a design that is deleted while it is processed leaves no files and no rows', async (t) => {
  const blocking = createBlockingProcessor();
  const service = await openTestServer(t, { processing: { modelProcessor: blocking.processor } });
  const { id } = (
    await sendRequest(service, 'POST', '/v1/designs', makeBox(), WITHOUT_WAIT)
  ).json();
  await blocking.started;
  assert.equal((await sendRequest(service, 'DELETE', `/v1/designs/${id}`)).statusCode, 204);
  const workDirectory = join(service.dataDirectory, 'jobs');
  while ((await readdir(workDirectory)).length > 0)
    await new Promise((resolve) => setTimeout(resolve, 10));
  const database = connectToServerDatabase(t, service);
  assert.equal(
    (await database.get('SELECT count(*) AS n FROM revision WHERE design_id = ?', id))?.n,
    0,
  );
});

test('the output of the model processor is validated as untrusted input', async (t) => {
  let runCount = 0;
  const truncatingProcessor: ModelProcessor = {
    async run(directory) {
      runCount += 1;
      await writeFile(join(directory, 'out', 'model.glb'), makeBox().subarray(0, 700));
      return { ok: true, report: WORKER_REPORT };
    },
  };
  const service = await openTestServer(t, { processing: { modelProcessor: truncatingProcessor } });
  const design = await uploadTestDesign(service);
  assert.equal(design.status, 'failed');
  assert.equal(design.problem?.code, 'design.failed');
  assert.match(design.problem?.detail ?? '', /The model that was made of the file is not valid: /);
  assert.equal(runCount, 1, 'the same file would have the same result again');
});

test('the decoded size and the flags of the format are passed to the model processor', async (t) => {
  let decodedBytes: number | undefined;
  let workerFlags: readonly string[] | undefined;
  const modelProcessor: ModelProcessor = {
    async run(directory, options) {
      ({ decodedBytes, workerFlags } = options);
      return passthroughProcessor.run(directory, options);
    },
  };
  const service = await openTestServer(t, { processing: { modelProcessor } });
  await uploadTestDesign(service);
  assert.ok(decodedBytes !== undefined && decodedBytes > makeBox().length);
  assert.deepEqual(workerFlags, []);
  await sendRequest(service, 'POST', '/v1/designs', makeStep(), GLB_HEADERS);
  assert.deepEqual(workerFlags, getWorkerFlags('step'));
  assert.ok(workerFlags?.length > 0);
});

const WORKER_REPORT = {
  before: { ...ZERO_COUNTS, bytes: 1 },
  steps: [],
  warnings: [],
};

test('when the disk is full during processing, the design fails and its files are deleted', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const disk = await DiskBlobStore.open(join(directory, 'blobs'));
  const fullDisk = createDiskFullBlobStore(disk);
  let draftCount = 0;
  const blobs: BlobStore = {
    ...fullDisk,
    createDraft(...args) {
      draftCount += 1;
      // The source file fits, the artifacts do not.
      return (draftCount === 1 ? disk : fullDisk).createDraft(...args);
    },
  };
  const service = await openTestServer(t, { blobs });
  const design = await uploadTestDesign(service);
  assert.equal(design.status, 'failed');
  assert.equal(design.problem?.code, 'server.storage-full');
  assert.deepEqual(await readdir(join(directory, 'blobs', 'drafts')), []);
  assert.deepEqual(await readdir(join(service.dataDirectory, 'jobs')), []);
});

test('the processing options are passed to the model processor; those of the design override them', async (t) => {
  let workerJob: { options?: object } = {};
  const modelProcessor: ModelProcessor = {
    async run(directory, options) {
      workerJob = JSON.parse(await readFile(join(directory, 'job.json'), 'utf8'));
      return passthroughProcessor.run(directory, options);
    },
  };
  const options = { maxTextureSize: 512, maxTriangles: 200_000 };
  const service = await openTestServer(t, {
    processing: { modelProcessor, processingOptions: options },
  });
  const { id } = await uploadTestDesign(service, 'chair');
  assert.deepEqual(workerJob.options, options);
  const replaceModel = async (limits: object) => {
    await sendRequest(service, 'PATCH', `/v1/designs/${id}`, limits);
    await sendRequest(service, 'PUT', `/v1/designs/${id}/model`, makeBox(), {
      ...GLB_HEADERS,
      prefer: 'wait=30',
    });
    return workerJob.options;
  };
  const triangles = { maxTriangles: 3_000_000 };
  assert.deepEqual(await replaceModel(triangles), { ...options, ...triangles });
  const both = { ...triangles, maxTextureSize: 4096 };
  assert.deepEqual(await replaceModel({ maxTextureSize: 4096 }), both);
  assert.deepEqual(await replaceModel({ maxTriangles: null }), {
    ...options,
    maxTextureSize: 4096,
  });
  assert.deepEqual(await replaceModel({ maxTextureSize: null }), options);
});
