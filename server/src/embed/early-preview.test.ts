import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WorkerResult } from '@cloche/pipeline/model-processor';
import type { PosterRenderer } from '@cloche/pipeline/poster/poster-renderer';
import { makeBox, makeLargeGlb } from '@cloche/pipeline/testing/models';
import {
  type Attempt,
  createPreviewProcessor,
  EARLY_PREVIEW,
  type EarlyDesign,
  getConfig,
  getDocument,
  load,
  openBlockedDesign,
  openEarlyDesign,
  waitFor,
} from '../../testing/early-preview.ts';
import { createTestProcessing } from '../../testing/fake-processing.ts';
import { GLB_HEADERS, sendRequest } from '../../testing/requests.ts';
import { openDatabaseAgain } from '../../testing/test-database.ts';

const FAILED: WorkerResult = {
  ok: false,
  code: 'design.failed',
  detail: 'No model.',
  retryable: false,
};
const KILLED: WorkerResult = { ...FAILED, retryable: true };
const { validationWorker } = createTestProcessing('');

/** An attempt that ends when the test calls `end`. */
function createHeldAttempt(result: Awaited<ReturnType<Attempt>>) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const attempt: Attempt = async (signal) => {
    started.resolve();
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
    await Promise.race([promise, aborted]);
    signal.throwIfAborted();
    return result;
  };
  return { attempt, started: started.promise, end: resolve };
}

/** Validates artifacts when the test resolves `validated`. */
function createSlowWorker() {
  const validating = Promise.withResolvers<void>();
  const validated = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const worker: typeof validationWorker = {
    ...validationWorker,
    async validate(path, options) {
      if (options.kind !== 'artifact') return validationWorker.validate(path, options);
      validating.resolve();
      await validated.promise;
      return validationWorker.validate(path, options).finally(ended.resolve);
    },
  };
  return { worker, validating, validated, ended };
}

const waitForStatus = (design: EarlyDesign, status: string) =>
  waitFor(async () => (await design.read()).status === status);

async function replaceModel({ service, id }: EarlyDesign): Promise<void> {
  const headers = { ...GLB_HEADERS, prefer: '' };
  const url = `/v1/designs/${id}/model`;
  const response = await sendRequest(service, 'PUT', url, makeBox({ size: 3 }), headers);
  assert.equal(response.statusCode, 200, response.body);
}

/** Asserts that neither new documents nor documents that are open show the preview. */
async function assertGone(
  t: Parameters<typeof openDatabaseAgain>[0],
  design: EarlyDesign,
  { preview, grant }: Awaited<ReturnType<typeof getConfig>>,
): Promise<void> {
  assert.equal((await getDocument(design)).statusCode, 422);
  assert.notEqual((await load(design, preview?.url, grant)).statusCode, 200);
  const database = openDatabaseAgain(t, design.service.dataDirectory);
  assert.deepEqual(await database.selectFrom('early_preview').select('blob').execute(), []);
}

describe('the preview of a first revision', () => {
  it('is shown while the model is made, then the model', async (t) => {
    const design = await openBlockedDesign(t);
    await design.waitForPreview();
    assert.equal((await design.read()).revision, null);
    const { preview, grant, pendingModelUrl, model } = await getConfig(design);
    assert.equal(model.url, '');
    assert.deepEqual((await load(design, preview?.url, grant)).rawPayload, EARLY_PREVIEW);
    const early = await load(design, pendingModelUrl, grant);
    assert.deepEqual([early.statusCode, early.json().code], [503, 'design.not-ready']);
    assert.equal(early.headers['retry-after'], '1');
    const otherFile = `/embed/assets/${'0'.repeat(64)}.glb`;
    assert.equal((await load(design, otherFile, grant)).json().code, 'embed.asset');
    design.release();
    await waitForStatus(design, 'ready');
    const ready = (await load(design, pendingModelUrl, grant)).json();
    assert.deepEqual((await load(design, ready.model.url, grant)).rawPayload, makeBox());
    const later = await getConfig(design);
    assert.equal(later.pendingModelUrl, undefined);
    assert.equal(later.model.url, ready.model.url);
    const database = openDatabaseAgain(t, design.service.dataDirectory);
    assert.deepEqual(await database.selectFrom('early_preview').select('blob').execute(), []);
  });

  it('is shown by viewers that may ask at once again, when the model is nearly ready', async (t) => {
    const rendering = Promise.withResolvers<void>();
    const rendered = Promise.withResolvers<never>();
    const posterRenderer: PosterRenderer = {
      render() {
        rendering.resolve();
        return rendered.promise;
      },
    };
    const design = await openBlockedDesign(t, { processing: { posterRenderer } });
    t.after(() => rendered.reject(new Error('No poster.')));
    await design.waitForPreview();
    const { grant, pendingModelUrl } = await getConfig(design);
    design.release();
    await rendering.promise;
    const { statusCode, headers } = await load(design, pendingModelUrl, grant);
    assert.deepEqual([statusCode, headers['retry-after']], [503, '0']);
  });

  it('is sent like any artifact: with its type, whole, as a range, and 304', async (t) => {
    const design = await openBlockedDesign(t);
    await design.waitForPreview();
    const { preview, grant } = await getConfig(design);
    const { headers } = await load(design, preview?.url, grant);
    assert.equal(headers['content-type'], 'model/gltf-binary');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    assert.match(String(headers['cache-control']), /^private, /);
    const range = await load(design, preview?.url, grant, { range: 'bytes=0-3' });
    assert.deepEqual([range.statusCode, range.body], [206, 'glTF']);
    const known = { 'if-none-match': String(headers.etag) };
    assert.equal((await load(design, preview?.url, grant, known)).statusCode, 304);
  });

  it('of a model that is small after all is replaced by the model, and not published', async (t) => {
    const { attempt, end } = createHeldAttempt('small');
    const modelProcessor = createPreviewProcessor([attempt]);
    const design = await openEarlyDesign(t, { processing: { modelProcessor } });
    await design.waitForPreview();
    const { preview, pendingModelUrl, grant } = await getConfig(design);
    end();
    await waitForStatus(design, 'ready');
    const { model } = (await load(design, pendingModelUrl, grant)).json();
    assert.deepEqual((await load(design, model.url, grant)).rawPayload, makeBox());
    assert.equal((await load(design, preview?.url, grant)).json().code, 'embed.asset');
    assert.equal((await getConfig(design)).preview, undefined);
  });

  it('counts for no quota', async (t) => {
    const design = await openBlockedDesign(t);
    await design.waitForPreview();
    const { bytes } = (await sendRequest(design.service, 'GET', '/v1/usage')).json();
    assert.equal(bytes.stored, makeBox().length);
  });

  it('is not shown for an embed with a variant, which it does not have', async (t) => {
    const design = await openBlockedDesign(t);
    await design.waitForPreview();
    for (const query of ['&variant-name=Red', '&animation-name=Walk']) {
      const response = await getDocument(design, { query });
      assert.equal(response.statusCode, 503, query);
    }
  });

  const unusable: [reason: string, preview: Buffer][] = [
    ['that is damaged', EARLY_PREVIEW.subarray(0, 700)],
    ['that is larger than the pipeline makes it', makeLargeGlb(200_004)],
  ];
  for (const [reason, preview] of unusable) {
    it(`${reason} is not shown`, async (t) => {
      const design = await openBlockedDesign(t, { preview });
      const { logLines } = design.service;
      await waitFor(async () => logLines.some((line) => line.includes('could not be shown early')));
      assert.equal((await getDocument(design)).statusCode, 503);
      assert.equal((await design.read()).progress?.preview, false);
    });
  }

  it('is not shown if the revision was cancelled while it was validated', async (t) => {
    const { worker, validating, validated } = createSlowWorker();
    const design = await openBlockedDesign(t, { processing: { validationWorker: worker } });
    await validating.promise;
    const url = `/v1/designs/${design.id}/revisions/1/cancel`;
    const cancelled = sendRequest(design.service, 'POST', url);
    await waitForStatus(design, 'cancelled');
    validated.resolve();
    await cancelled;
    await design.service.app.close();
    const database = openDatabaseAgain(t, design.service.dataDirectory);
    assert.deepEqual(await database.selectFrom('early_preview').select('blob').execute(), []);
  });

  it('is not shown if another runner has the job since', async (t) => {
    const { worker, validating, validated, ended } = createSlowWorker();
    const design = await openBlockedDesign(t, { processing: { validationWorker: worker } });
    await validating.promise;
    const database = openDatabaseAgain(t, design.service.dataDirectory);
    await database.updateTable('job').set({ node: 'other', attempts: 2 }).execute();
    validated.resolve();
    await ended.promise;
    design.release();
    await design.service.app.close();
    assert.deepEqual(await database.selectFrom('early_preview').select('blob').execute(), []);
    assert.equal(
      (await database.selectFrom('job').select('node').executeTakeFirst())?.node,
      'other',
    );
  });
});

describe('the preview of a revision that does not become ready is gone', () => {
  it('after it was cancelled', async (t) => {
    const design = await openBlockedDesign(t);
    await design.waitForPreview();
    const config = await getConfig(design);
    await sendRequest(design.service, 'POST', `/v1/designs/${design.id}/revisions/1/cancel`);
    const { pendingModelUrl, grant } = config;
    assert.equal((await load(design, pendingModelUrl, grant)).json().code, 'design.failed');
    await assertGone(t, design, config);
  });

  for (const [reason, result] of [
    ['no model could be made', FAILED],
    ['every attempt has failed', KILLED],
  ] as const) {
    it(`after ${reason}`, async (t) => {
      const { attempt, end } = createHeldAttempt(result);
      const modelProcessor = createPreviewProcessor([attempt]);
      const design = await openEarlyDesign(t, { processing: { modelProcessor } });
      await design.waitForPreview();
      const config = await getConfig(design);
      end();
      await waitForStatus(design, 'failed');
      const { pendingModelUrl, grant } = config;
      assert.equal((await load(design, pendingModelUrl, grant)).json().code, 'design.failed');
      await assertGone(t, design, config);
    });
  }
});

describe('the preview stays', () => {
  it('while a job is tried again whose worker was killed', async (t) => {
    const [first, second] = [createHeldAttempt(KILLED), createHeldAttempt('ready')];
    const modelProcessor = createPreviewProcessor([first.attempt, second.attempt]);
    const design = await openEarlyDesign(t, { processing: { modelProcessor, retryDelayMs: 3000 } });
    await design.waitForPreview();
    const { preview, pendingModelUrl, grant } = await getConfig(design);
    first.end();
    await waitFor(async () => (await design.read()).progress === null);
    assert.equal((await load(design, preview?.url, grant)).statusCode, 200);
    await second.started;
    await design.waitForPreview();
    const waiting = await load(design, pendingModelUrl, grant);
    assert.equal(waiting.json().code, 'design.not-ready');
    second.end();
    await waitForStatus(design, 'ready');
    assert.equal((await load(design, pendingModelUrl, grant)).statusCode, 200);
  });
});

describe('a design with several revisions', () => {
  it('shows the preview of the latest, and each document then the model of its preview', async (t) => {
    const design = await openBlockedDesign(t);
    await design.waitForPreview();
    const first = await getConfig(design);
    await replaceModel(design);
    await waitFor(async () => toRevisionId(await getConfig(design)) !== toRevisionId(first));
    const second = await getConfig(design);
    design.release();
    await waitForStatus(design, 'ready');
    await waitFor(
      async () => (await load(design, first.pendingModelUrl, first.grant)).statusCode === 200,
    );
    const sizes: [typeof first, number | undefined][] = [
      [first, undefined],
      [second, 3],
    ];
    for (const [{ pendingModelUrl, grant }, size] of sizes) {
      const { model } = (await load(design, pendingModelUrl, grant)).json();
      const expected = makeBox(size === undefined ? {} : { size });
      assert.deepEqual((await load(design, model.url, grant)).rawPayload, expected);
    }
  });

  it('shows the preview of the first one again after a later one was cancelled', async (t) => {
    const design = await openBlockedDesign(t);
    await design.waitForPreview();
    const first = await getConfig(design);
    await replaceModel(design);
    await waitFor(async () => toRevisionId(await getConfig(design)) !== toRevisionId(first));
    await sendRequest(design.service, 'POST', `/v1/designs/${design.id}/revisions/2/cancel`);
    const waiting = await load(design, first.pendingModelUrl, first.grant);
    assert.equal(waiting.json().code, 'design.not-ready');
    assert.equal((await getConfig(design)).preview?.url, first.preview?.url);
    design.release();
    await waitFor(async () => (await design.read()).revision === 1);
    assert.equal((await load(design, first.pendingModelUrl, first.grant)).statusCode, 200);
  });

  it('ends a document whose revision was cancelled when another one is shown', async (t) => {
    const design = await openBlockedDesign(t);
    await design.waitForPreview();
    const first = await getConfig(design);
    await replaceModel(design);
    await waitFor(async () => toRevisionId(await getConfig(design)) !== toRevisionId(first));
    const { pendingModelUrl, grant } = await getConfig(design);
    await sendRequest(design.service, 'POST', `/v1/designs/${design.id}/revisions/2/cancel`);
    design.release();
    await waitFor(async () => (await design.read()).revision === 1);
    const response = await load(design, pendingModelUrl, grant);
    assert.deepEqual([response.statusCode, response.json().reason], [403, 'outdated']);
  });

  it('never shows the preview of a later one', async (t) => {
    const { attempt, started } = createHeldAttempt('ready');
    const modelProcessor = createPreviewProcessor([async () => 'ready', attempt]);
    const design = await openEarlyDesign(t, { processing: { modelProcessor } });
    await waitForStatus(design, 'ready');
    const before = await getConfig(design);
    await replaceModel(design);
    await started;
    await design.waitForPreview();
    const after = await getConfig(design);
    assert.equal(toRevisionId(after), toRevisionId(before));
    assert.deepEqual({ ...after, grant: '' }, { ...before, grant: '' });
  });
});

/** The third part of a grant. The others change with the time. */
function toRevisionId({ grant }: { grant: string }): string | undefined {
  return grant.split('.')[2];
}
