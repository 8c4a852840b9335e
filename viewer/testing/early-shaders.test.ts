import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { Frame } from 'playwright-core';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { openEmbeddedViewer, waitUntilLoaded } from './embedded-viewer.ts';
import { createLeveledBox } from './leveled-box.ts';
import { createTexturedBox } from './textured-box.ts';

const PACK = '/textures-512.glb';

type TestWindow = Window & {
  /** How many shaders with a texture were compiled. */
  texturedShaders?: number;
  /** Lets the images be decoded. */
  decodeImages: () => void;
};

describe('the shaders of a model with textures are compiled, once', { concurrency: 2 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  it('before its texture pack has arrived', async (t) => {
    const served = await createLeveledBox();
    const pack = Promise.withResolvers<void>();
    const sendPack = (response: ServerResponse) =>
      void pack.promise.then(() => response.end(served.files?.[PACK]));
    const files = { ...served.files, [PACK]: sendPack };
    const { frame } = await openEmbeddedViewer(
      t,
      browser,
      { ...served, files },
      { script: countTexturedShaders },
    );
    await waitForShaders(frame);
    pack.resolve();
    // The browser may list the pack after its image has arrived.
    await frame.evaluate(() => (window as never as TestWindow).decodeImages());
    assert.equal(await waitUntilLoaded(frame), 'ready');
    assert.equal(await countShaders(frame), 2);
  });

  for (const format of ['png', 'webp'] as const) {
    it(`before a ${format} inside of its file is decoded`, async (t) => {
      const served = { model: await createTexturedBox(undefined, format) };
      const { frame } = await openEmbeddedViewer(t, browser, served, {
        script: countTexturedShaders,
      });
      await waitForShaders(frame);
      await frame.evaluate(() => (window as never as TestWindow).decodeImages());
      assert.equal(await waitUntilLoaded(frame), 'ready');
      assert.equal(await countShaders(frame), 2);
    });
  }
});

const countShaders = (frame: Frame) =>
  frame.evaluate(() => (window as never as TestWindow).texturedShaders ?? 0);

async function waitForShaders(frame: Frame): Promise<void> {
  await waitUntil('the shaders are compiled', async () => (await countShaders(frame)) === 2);
  assert.equal(await frame.evaluate(() => document.documentElement.dataset.state), 'loading');
}

/** Runs in the page. Images of files are not decoded before the test wants it; those of packs are. */
function countTexturedShaders(): void {
  const page = window as never as TestWindow;
  const { shaderSource } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.shaderSource = function (shader, source) {
    if (/^#define USE_MAP$/m.test(source)) page.texturedShaders = (page.texturedShaders ?? 0) + 1;
    shaderSource.call(this, shader, source);
  };
  const isAllowed = new Promise<void>((resolve) => {
    page.decodeImages = resolve;
  });
  const { createImageBitmap } = window;
  window.createImageBitmap = async (...args: unknown[]) => {
    if (performance.getEntriesByType('resource').every(({ name }) => !name.includes('textures-')))
      await isAllowed;
    return createImageBitmap(...(args as [ImageBitmapSource]));
  };
}
