import assert from 'node:assert/strict';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Design, Revision } from '@cloche/contract/design';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import { openSandbox } from '@cloche/pipeline/sandbox/sandbox';
import { makeBox } from '@cloche/pipeline/testing/models';
import { findProcessesUsing } from '@cloche/pipeline/testing/processes';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { fetchDesign, fetchDesignEvents, uploadRevision } from '../../testing/design-requests.ts';
import {
  type BlockingProcessor,
  createBlockingProcessor,
  passthroughProcessor,
} from '../../testing/fake-processing.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import {
  GLB_HEADERS,
  issueToken,
  sendRequest,
  UNKNOWN_DESIGN_ID,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

const NO_WAIT = { ...GLB_HEADERS, prefer: '' };

const cancel = (service: Pick<TestServer, 'app' | 'token'>, id: string, number: number | string) =>
  sendRequest(service, 'POST', `/v1/designs/${id}/revisions/${number}/cancel`);
const remove = (service: Pick<TestServer, 'app' | 'token'>, id: string, number: number | string) =>
  sendRequest(service, 'DELETE', `/v1/designs/${id}/revisions/${number}`);

async function listStatuses(service: TestServer, id: string): Promise<[number, string, boolean][]> {
  const { items } = (await sendRequest(service, 'GET', `/v1/designs/${id}/revisions`)).json();
  return items.map(({ number, status, shown }: Revision) => [number, status, shown]);
}

/** Runs the first `count` jobs at once, and blocks the others. */
function blockAfter(count: number, blocking: BlockingProcessor): ModelProcessor {
  let remaining = count;
  return {
    run(directory, options) {
      remaining -= 1;
      const processor = remaining >= 0 ? passthroughProcessor : blocking.processor;
      return processor.run(directory, options);
    },
  };
}

/** Opens a server with a design whose second revision is being processed. */
async function openWithRunningRevision(t: TestContext) {
  const blocking = createBlockingProcessor();
  const processing = { modelProcessor: blockAfter(1, blocking), concurrency: 1 };
  const service = await openTestServer(t, { processing });
  const { id } = await uploadTestDesign(service);
  await uploadRevision(service, id, makeBox({ name: 'second' }), NO_WAIT);
  await blocking.started;
  return { service, id, blocking };
}

const countJobs = async (t: TestContext, service: TestServer) =>
  Number((await connectToServerDatabase(t, service).get('SELECT count(*) AS n FROM job'))?.n);

test('200: a running revision is cancelled; embeds continue to show the current one', async (t) => {
  const { service, id } = await openWithRunningRevision(t);
  const response = await cancel(service, id, 2);
  assert.equal(response.statusCode, 200, response.body);
  const { number, status, shown } = response.json();
  assert.deepEqual({ number, status, shown }, { number: 2, status: 'cancelled', shown: false });
  assert.deepEqual(await readdir(join(service.dataDirectory, 'jobs')), []);
  assert.equal(await countJobs(t, service), 0);
  const { status: designStatus, revision, progress } = await fetchDesign(service, id);
  assert.deepEqual([designStatus, revision, progress], ['cancelled', 1, null]);
  assert.equal((await cancel(service, id, 2)).json().status, 'cancelled');
  assert.equal(
    (await uploadRevision(service, id, makeBox({ name: '3' }), NO_WAIT)).statusCode,
    200,
  );
});

test('200: a queued revision is cancelled and never runs', async (t) => {
  const { service, id, blocking } = await openWithRunningRevision(t);
  await uploadRevision(service, id, makeBox({ name: 'third' }), NO_WAIT);
  assert.equal((await cancel(service, id, 3)).json().status, 'cancelled');
  blocking.release();
  while ((await fetchDesign(service, id)).revision !== 2) await sleep(10);
  assert.equal((await fetchDesign(service, id)).status, 'cancelled');
  assert.equal(blocking.runCount(), 1);
  assert.deepEqual(await listStatuses(service, id), [
    [3, 'cancelled', false],
    [2, 'ready', true],
    [1, 'ready', false],
  ]);
});

test('the event stream and a waiting request end with the cancelled design', async (t) => {
  const { service, id, blocking } = await openWithRunningRevision(t);
  const waiting = uploadRevision(service, id, makeBox({ name: 'third' }));
  const events = fetchDesignEvents(service, id);
  while ((await listStatuses(service, id))[0]?.[0] !== 3) await sleep(10);
  assert.equal((await cancel(service, id, 3)).statusCode, 200);
  assert.equal((await waiting).json().status, 'cancelled');
  const last = (await events).filter(([name]) => name === 'design').at(-1)?.[1] as Design;
  assert.equal(last.status, 'cancelled');
  blocking.release();
});

test('cancelling deletes the files of the worker process before the response, and ends all of its processes', async (t) => {
  const started = Promise.withResolvers<void>();
  const sandbox = await openSandbox({ entryPoint: 'worker.ts' });
  let result: unknown;
  const modelProcessor: ModelProcessor = {
    async run(directory, options) {
      const script = `import { writeSync } from 'node:fs';
        writeSync(3, JSON.stringify({ step: 'geometry', percent: 10 }) + '\\n');
        for (;;);`;
      await writeFile(join(directory, 'worker.ts'), script);
      // The worker may have another user, and resolves the path of its entry point.
      for (const parent of ['..', '../..']) await chmod(join(directory, parent), 0o711);
      const onProgress: typeof options.onProgress = (step, percent) => {
        options.onProgress(step, percent);
        started.resolve();
      };
      result = await sandbox.run(directory, { ...options, onProgress });
      return result as never;
    },
  };
  const service = await openTestServer(t, { processing: { modelProcessor } });
  const { id } = (await sendRequest(service, 'POST', '/v1/designs', makeBox(), NO_WAIT)).json();
  await started.promise;
  const jobs = join(service.dataDirectory, 'jobs');
  assert.ok(findProcessesUsing(jobs).length > 0);
  assert.equal((await cancel(service, id, 1)).json().status, 'cancelled');
  assert.deepEqual(await readdir(jobs), []);
  // What was killed may end a moment later.
  await waitUntil('no process is left', () => findProcessesUsing(jobs).length === 0);
  assert.equal((result as { code: string }).code, 'server.unavailable');
  assert.ok(!service.logLines.some((line) => line.includes('a processing attempt failed')));
});

test('a cancelled first revision: its embeds say so and do not reload', async (t) => {
  const blocking = createBlockingProcessor();
  const service = await openTestServer(t, { processing: { modelProcessor: blocking.processor } });
  const { id } = (await sendRequest(service, 'POST', '/v1/designs', makeBox(), NO_WAIT)).json();
  await blocking.started;
  await cancel(service, id, 1);
  const { token } = await issueToken(service);
  const response = await service.app.inject({
    url: `/embed/iframe/v1/${id}?token=${token}`,
    headers: {
      host: 'cloche.test',
      accept: 'application/json',
      'sec-fetch-dest': 'iframe',
      referer: 'https://shop.example/',
    },
  });
  assert.equal(response.json().code, 'design.failed');
  assert.match(response.json().detail, /was cancelled/);
  assert.equal(response.headers.refresh, undefined);
});

test('409: a revision that is ready or failed cannot be cancelled; 404: an unknown one', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  assert.equal((await cancel(service, id, 1)).json().code, 'revision.ended');
  assert.equal((await cancel(service, id, 2)).json().code, 'revision.unknown');
  for (const number of ['0', '-1', '01', '1e1', 'x', '9999999999'])
    assert.equal((await cancel(service, id, number)).statusCode, 400, number);
});

test('204: a revision is deleted, and its number is not used again', async (t) => {
  const { service, id, blocking } = await openWithRunningRevision(t);
  assert.equal((await remove(service, id, 2)).statusCode, 204);
  assert.deepEqual(await readdir(join(service.dataDirectory, 'jobs')), []);
  assert.equal(await countJobs(t, service), 0);
  assert.deepEqual(await listStatuses(service, id), [[1, 'ready', true]]);
  assert.equal((await fetchDesign(service, id)).status, 'ready');
  blocking.release();
  const next = await uploadRevision(service, id, makeBox({ name: 'third' }));
  assert.equal(next.json().revision, 3);
  assert.equal((await remove(service, id, 1)).statusCode, 204);
  assert.equal((await remove(service, id, 1)).json().code, 'revision.unknown');
});

test('409: neither the revision that is shown nor the only one can be deleted', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  await uploadRevision(service, id, makeBox({ name: 'second' }));
  const shown = await remove(service, id, 2);
  assert.equal(shown.statusCode, 409);
  assert.equal(shown.json().code, 'revision.shown');
  assert.match(shown.json().detail, /PATCH/);
  await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { revision: 1 });
  assert.equal((await remove(service, id, 2)).statusCode, 204);
  assert.equal((await remove(service, id, 1)).json().code, 'revision.shown');
});

test('403 and 404: cancelling and deleting need access to the design', async (t) => {
  const service = await openTestServer(t);
  const [{ id }, other] = [await uploadTestDesign(service), await uploadTestDesign(service)];
  const scopes = [
    { capabilities: ['read'], origins: [] },
    { capabilities: ['read', 'write'], origins: [], designs: [other.id] },
  ];
  for (const scope of scopes) {
    const { token } = await issueToken(service, scope);
    for (const act of [cancel, remove])
      assert.equal((await act({ app: service.app, token }, id, 1)).statusCode, 403);
  }
  for (const act of [cancel, remove])
    assert.equal((await act(service, UNKNOWN_DESIGN_ID, 1)).json().code, 'design.unknown');
});

test('a rollback made while an upload is being processed stays in effect', async (t) => {
  const blocking = createBlockingProcessor();
  const processing = { modelProcessor: blockAfter(2, blocking) };
  const service = await openTestServer(t, { processing });
  const { id } = await uploadTestDesign(service);
  await uploadRevision(service, id, makeBox({ name: 'second' }));
  await uploadRevision(service, id, makeBox({ name: 'third' }), NO_WAIT);
  await blocking.started;
  const rollback = await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { revision: 1 });
  assert.equal(rollback.json().revision, 1);
  blocking.release();
  await fetchDesignEvents(service, id);
  assert.equal((await fetchDesign(service, id)).status, 'ready');
  assert.deepEqual(await listStatuses(service, id), [
    [3, 'ready', false],
    [2, 'ready', false],
    [1, 'ready', true],
  ]);
  // A model that is uploaded after the rollback is shown.
  const next = await uploadRevision(service, id, makeBox({ name: 'fourth' }));
  assert.equal(next.json().revision, 4);
});

test('a change of the name while a revision becomes ready does not show the old one again', async (t) => {
  const { service, id, blocking } = await openWithRunningRevision(t);
  await fetchDesign(service, id);
  blocking.release();
  const events = fetchDesignEvents(service, id);
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      sendRequest(service, 'PATCH', `/v1/designs/${id}`, { name: `chair ${index}` }),
    ),
  );
  await events;
  assert.equal((await fetchDesign(service, id)).revision, 2);
});

test('200: the list of revisions has pages', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  for (let number = 2; number <= 5; number += 1)
    await uploadRevision(service, id, makeBox({ name: `${number}` }));
  const url = `/v1/designs/${id}/revisions`;
  const numbers: number[] = [];
  const pageSizes: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = `?limit=2${cursor && `&cursor=${cursor}`}`;
    const page = (await sendRequest(service, 'GET', url + query)).json();
    numbers.push(...page.items.map(({ number }: Revision) => number));
    pageSizes.push(page.items.length);
    cursor = page.nextCursor;
  }
  assert.deepEqual(numbers, [5, 4, 3, 2, 1]);
  assert.deepEqual(pageSizes, [2, 2, 1]);
  const other = await uploadTestDesign(service);
  const { nextCursor } = (await sendRequest(service, 'GET', `${url}?limit=2`)).json();
  const foreign = `/v1/designs/${other.id}/revisions?cursor=${nextCursor}`;
  assert.equal((await sendRequest(service, 'GET', foreign)).json().code, 'request.cursor');
});

test('a change or a deletion reaches an event stream at once', async (t) => {
  const { service, id } = await openWithRunningRevision(t);
  // The poll interval is longer than this test may take: only a notification can end the stream.
  const poll = t.mock.timers;
  poll.enable({ apis: ['setTimeout'] });
  t.after(() => poll.reset());
  const opened = Promise.withResolvers<void>();
  const renamed = Promise.withResolvers<void>();
  const events = fetchDesignEvents(service, id, (text) => {
    opened.resolve();
    if (text.includes('New name')) renamed.resolve();
  });
  await opened.promise;
  await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { name: 'New name' });
  await renamed.promise;
  await sendRequest(service, 'DELETE', `/v1/designs/${id}`);
  await events;
});
