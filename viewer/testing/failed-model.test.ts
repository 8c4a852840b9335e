import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { it } from 'node:test';
import type { Frame } from 'playwright-core';
import { openSharedChromium } from '../../e2e/shared-chromium.ts';
import { createBoxGlb } from './box-models.ts';
import { openEmbeddedViewer, waitForControls } from './embedded-viewer.ts';
import { createTexturedBox } from './textured-box.ts';

type TestWindow = Window & {
  liveTextures?: Set<unknown>;
  uploadCount?: number;
  /** From now on, no shader can be compiled. */
  failShaders?: boolean;
};

it('a model whose shaders cannot be compiled leaves no textures on the GPU', async (t) => {
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const preview = createBoxGlb();
  const model = await createTexturedBox();
  const responses: ServerResponse[] = [];
  const requested = Promise.withResolvers<void>();
  const { frame } = await openEmbeddedViewer(
    t,
    browser,
    {
      modelHandler(response) {
        responses.push(response);
        requested.resolve();
      },
      files: { '/preview.glb': preview },
      config: {
        model: { url: '/model.glb', bytes: model.byteLength },
        preview: { url: '/preview.glb', bytes: preview.byteLength },
      },
    },
    { script: countTextures },
  );
  await waitForControls(frame);
  await requested.promise;
  const before = await readCounts(frame);
  await frame.evaluate(() => {
    (window as TestWindow).failShaders = true;
  });
  for (const response of responses) response.writeHead(200).end(model);
  await frame.getByText('Only a preview could be loaded.').waitFor();
  const after = await readCounts(frame);
  assert.ok(after.uploads > before.uploads, 'textures of the model were uploaded');
  assert.equal(after.live, before.live);
});

function readCounts(frame: Frame) {
  return frame.evaluate(() => {
    const { liveTextures, uploadCount = 0 } = window as TestWindow;
    return { live: liveTextures?.size, uploads: uploadCount };
  });
}

/** Runs in each document before all scripts. */
function countTextures(): void {
  const page = window as TestWindow;
  const live = new Set<unknown>();
  Object.assign(page, { liveTextures: live, uploadCount: 0 });
  const { createTexture, deleteTexture, getProgramParameter } = WebGL2RenderingContext.prototype;
  Object.assign(WebGL2RenderingContext.prototype, {
    createTexture(this: WebGL2RenderingContext) {
      const texture = createTexture.call(this);
      live.add(texture);
      page.uploadCount = (page.uploadCount ?? 0) + 1;
      return texture;
    },
    deleteTexture(this: WebGL2RenderingContext, texture: WebGLTexture) {
      live.delete(texture);
      deleteTexture.call(this, texture);
    },
    getProgramParameter(this: WebGL2RenderingContext, program: WebGLProgram, name: number) {
      if (page.failShaders && name === this.LINK_STATUS) return false;
      return getProgramParameter.call(this, program, name);
    },
  });
}
