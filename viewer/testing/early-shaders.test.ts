import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openChromium } from '../../e2e/chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { openEmbeddedViewer, waitUntilLoaded } from './embedded-viewer.ts';
import { createLeveledBox } from './leveled-box.ts';

const PACK = '/textures-512.glb';

type TestWindow = Window & {
  /** How many shaders with a texture were compiled. */
  texturedShaders?: number;
};

it('the shaders of a model are compiled before its texture pack has arrived', async (t) => {
  const browser = await openChromium();
  t.after(() => browser.close());
  const served = await createLeveledBox();
  const pack = Promise.withResolvers<void>();
  const { frame } = await openEmbeddedViewer(
    t,
    browser,
    {
      ...served,
      files: {
        ...served.files,
        [PACK]: (response) => {
          void pack.promise.then(() => response.end(served.files?.[PACK]));
        },
      },
    },
    { script: countTexturedShaders },
  );
  const count = () => frame.evaluate(() => (window as TestWindow).texturedShaders ?? 0);
  await waitUntil('the shaders are compiled', async () => (await count()) === 2);
  assert.equal(await frame.evaluate(() => document.documentElement.dataset.state), 'loading');
  pack.resolve();
  assert.equal(await waitUntilLoaded(frame), 'ready');
  assert.equal(await count(), 2, 'they are not compiled again');
});

/** Runs in the page. */
function countTexturedShaders(): void {
  const page = window as TestWindow;
  const { shaderSource } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.shaderSource = function (shader, source) {
    if (/^#define USE_MAP$/m.test(source)) page.texturedShaders = (page.texturedShaders ?? 0) + 1;
    shaderSource.call(this, shader, source);
  };
}
