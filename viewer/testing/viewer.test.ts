import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { createBoxGlb } from './box-models.ts';
import { readScreenPixels, waitForControls, waitForStablePicture } from './embedded-viewer.ts';
import { prepareExposedViewers } from './exposed-viewers.ts';
import { sendProblem, type ViewerServerOptions } from './test-server.ts';

const model = createBoxGlb({ size: [1, 0.6, 2] });

describe('Viewer', { concurrency: 3 }, () => {
  const openViewer = prepareExposedViewers();

  const open = (t: TestContext, served: ViewerServerOptions = {}) =>
    openViewer(t, { model, ...served });

  it('moves the camera with setCamera, and back with resetCamera', async (t) => {
    const { page, frame, consoleErrors } = await open(t);
    await waitForControls(frame);
    const initial = (await readScreenPixels(page)).data;
    await frame.evaluate(() =>
      exposedViewer.viewer.setCamera({ orbit: { theta: 2 } }, { durationMs: 0 }),
    );
    await waitForStablePicture(page);
    assert.equal(await frame.evaluate(() => exposedViewer.viewer.view?.azimuth), 2);
    assert.notDeepEqual((await readScreenPixels(page)).data, initial);
    await frame.evaluate(() => exposedViewer.viewer.resetCamera());
    await waitForStablePicture(page);
    const { view, defaultView } = await frame.evaluate(() => ({
      view: exposedViewer.viewer.view,
      defaultView: exposedViewer.viewer.defaultView,
    }));
    assert.deepEqual(view, defaultView);
    assert.deepEqual(consoleErrors, []);
  });

  it('after loading the controls, carries out earlier camera movements', async (t) => {
    // The first request is repeated if Chromium takes the document for one that is not in view.
    const released = Promise.withResolvers<void>();
    const modelHandler = (response: ServerResponse) =>
      void released.promise.then(() => response.end(model));
    const { frame } = await open(t, { modelHandler });
    await frame.waitForFunction(() => globalThis.exposedViewer !== undefined);
    await frame.evaluate(() => {
      void exposedViewer.viewer.setCamera({ orbit: { theta: 1 } });
      void exposedViewer.viewer.rotate(0.5, 0);
    });
    released.resolve();
    await frame.waitForFunction(() => exposedViewer.viewer.view?.azimuth === 1.5);
  });

  it('emits events in order; does not call a disposed listener', async (t) => {
    const { frame } = await open(t);
    await waitForControls(frame);
    const calls = await frame.evaluate(async () => {
      const { viewer } = exposedViewer;
      let count = 0;
      const subscription = viewer.on('viewchange', () => count++);
      await viewer.rotate(0.1, 0);
      subscription[Symbol.dispose]();
      await viewer.rotate(0.1, 0);
      return count;
    });
    assert.equal(calls, 1);
    const events = await frame.evaluate(() => exposedViewer.events.map(([name]) => name));
    assert.deepEqual(events.slice(0, 3), ['modelchange', 'statechange', 'viewchange']);
  });

  it('reports an error, and loads the design with retry', async (t) => {
    let isAvailable = false;
    const { frame } = await open(t, {
      modelHandler: (response) => {
        if (isAvailable) response.end(model);
        else sendProblem(response, 503, 'server.unavailable', 'Not yet.');
      },
    });
    await frame.waitForFunction(() => globalThis.exposedViewer?.viewer.state === 'failed');
    isAvailable = true;
    await frame.evaluate(() => exposedViewer.viewer.retry());
    const events = await frame.evaluate(() => exposedViewer.events);
    assert.deepEqual(events.slice(0, 5), [
      ['statechange', { state: 'failed' }],
      ['error', { code: 'unavailable' }],
      ['statechange', { state: 'loading' }],
      ['modelchange', { isPreview: false }],
      ['statechange', { state: 'ready' }],
    ]);
  });

  it('encodes the current picture as an image', async (t) => {
    const { frame } = await open(t);
    await waitForControls(frame);
    const image = await frame.evaluate(async () => {
      const bitmap = await createImageBitmap(await exposedViewer.viewer.toBlob());
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      context?.drawImage(bitmap, 0, 0);
      const { data } = context?.getImageData(0, 0, bitmap.width, bitmap.height) ?? { data: [] };
      let green = 0;
      for (let index = 0; index < data.length; index += 4) {
        if ((data[index + 1] ?? 0) > 60 && (data[index] ?? 0) < 60) green++;
      }
      return { width: bitmap.width, height: bitmap.height, green };
    });
    assert.deepEqual([image.width, image.height], [300, 200]);
    assert.ok(image.green > 2000, `${image.green} pixels`);
  });

  it('does not react to input after being disposed', async (t) => {
    const { page, frame, consoleErrors } = await open(t);
    await waitForControls(frame);
    const readView = () => frame.evaluate(() => exposedViewer.viewer.view);
    const before = await readView();
    await frame.evaluate(() => exposedViewer.viewer[Symbol.dispose]());
    await frame.locator('#view').press('ArrowLeft');
    await page.mouse.move(300, 200);
    await page.mouse.down();
    await page.mouse.move(380, 230, { steps: 3 });
    await page.mouse.up();
    await page.waitForTimeout(300);
    assert.deepEqual(await readView(), before);
    assert.deepEqual(consoleErrors, []);
  });
});
