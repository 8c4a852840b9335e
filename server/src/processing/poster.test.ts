import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import type { PosterRenderer } from '@cloche/pipeline/poster/poster-renderer';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestPoster } from '@cloche/pipeline/testing/poster';
import { passthroughProcessor } from '../../testing/fake-processing.ts';
import { openTestServer } from '../../testing/harness.ts';
import { uploadTestDesign } from '../../testing/requests.ts';
import { BlockingBlobStore } from '../../testing/test-blobs.ts';

test('when no poster can be rendered, the design is ready, with a warning', async (t) => {
  const { renderer } = await openTestPoster(t, { browser: { kind: 'path', path: '/bin/false' } });
  const service = await openTestServer(t, { processing: { posterRenderer: renderer } });
  const { status, report } = await uploadTestDesign(service);
  assert.equal(status, 'ready');
  assert.deepEqual(
    report?.warnings.map(({ code }) => code),
    ['poster.failed'],
  );
  assert.match(service.logLines.join(), /No browser starts/);
});

test('a poster of one color is a warning', async (t) => {
  const image = { width: 1, height: 1, bytes: Buffer.from('an image') };
  const posterRenderer: PosterRenderer = {
    render: async () => ({
      images: [{ ...image, kind: 'poster' }],
      placeholder: { background: '#ffffff' },
      hasOneColor: true,
    }),
  };
  const service = await openTestServer(t, { processing: { posterRenderer } });
  const { status, report } = await uploadTestDesign(service);
  assert.equal(status, 'ready');
  assert.deepEqual(
    report?.warnings.map(({ code }) => code),
    ['poster.blank'],
  );
});

test('the browser is launched once, while the model is written', async (t) => {
  const calls: string[] = [];
  const modelProcessor: ModelProcessor = {
    async run(directory, options) {
      options.onProgress('textures', 50);
      calls.push('textures');
      for (const percent of [90, 98]) options.onProgress('write', percent);
      calls.push('written');
      return passthroughProcessor.run(directory, options);
    },
  };
  const posterRenderer: PosterRenderer = {
    launch: () => void calls.push('launch'),
    async render() {
      calls.push('render');
      throw new Error('No poster.');
    },
  };
  const service = await openTestServer(t, { processing: { modelProcessor, posterRenderer } });
  await uploadTestDesign(service);
  assert.deepEqual(calls, ['textures', 'launch', 'written', 'render']);
});

test('the model is compressed while the poster is rendered', async (t) => {
  const blobs = await BlockingBlobStore.open(t);
  blobs.release();
  const compressed = Promise.withResolvers<void>();
  const createDraft = blobs.createDraft.bind(blobs);
  let draftCount = 0;
  blobs.createDraft = async (...args) => {
    const draft = await createDraft(...args);
    draftCount += 1;
    // The third one, after the source file and the model.
    if (draftCount === 3) compressed.resolve();
    return draft;
  };
  const posterRenderer: PosterRenderer = {
    async render({ signal }) {
      await Promise.race([compressed.promise, once(signal, 'abort')]);
      throw new Error('No poster.');
    },
  };
  const service = await openTestServer(t, { blobs, processing: { posterRenderer } });
  const model = makeBox({ name: 'leg '.repeat(5000) });
  const { status } = await uploadTestDesign(service, 'chair', model);
  assert.equal(status, 'ready');
  assert.equal(draftCount, 3);
});
