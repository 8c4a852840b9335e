import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { openEmbeddedViewer, waitForControls } from './embedded-viewer.ts';
import { createLeveledBox } from './leveled-box.ts';
import type { ViewerServerOptions } from './test-server.ts';
import { createTexturedBox } from './textured-box.ts';

it('until the model is drawn, one script, the geometry and one texture pack are requested', async (t) => {
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const { frame } = await openEmbeddedViewer(t, browser, await createLeveledBox());
  await waitForControls(frame);
  const paths = await frame.evaluate(() => {
    const [drawn] = performance.getEntriesByName('cloche-model-frame');
    return performance
      .getEntriesByType('resource')
      .filter(({ startTime }) => startTime < (drawn?.startTime ?? 0))
      .map(({ name }) => new URL(name).pathname.replace(/-[0-9A-Z]{8}\./, '-*.'));
  });
  assert.deepEqual(paths.sort(), [
    '/embed/viewer/viewer-*.js',
    '/geometry.glb',
    '/textures-512.glb',
  ]);
});

it('images are decoded without a request', async (t) => {
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const models = {
    leveled: await createLeveledBox(),
    textured: { model: await createTexturedBox() },
  };
  for (const [name, served] of Object.entries(models))
    assert.deepEqual(await listBlobRequests(t, browser, served), [], name);
});

/** Blob URLs that the viewer requests. */
async function listBlobRequests(
  t: TestContext,
  browser: SharedBrowser,
  served: ViewerServerOptions,
) {
  const { frame, page } = await openEmbeddedViewer(t, browser, served);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await frame.goto(frame.url());
  await waitForControls(frame);
  assert.ok(requests.length > 0);
  return requests.filter((url) => url.startsWith('blob:'));
}
