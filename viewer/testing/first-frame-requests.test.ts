import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openChromium } from '../../e2e/chromium.ts';
import { openEmbeddedViewer, waitForControls } from './embedded-viewer.ts';
import { createLeveledBox } from './leveled-box.ts';

it('until the model is drawn, one script, the geometry and one texture pack are requested', async (t) => {
  const browser = await openChromium();
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
