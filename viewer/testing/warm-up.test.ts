import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Frame } from 'playwright-core';
import { openSharedChromium } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { createBoxGlb } from './box-models.ts';
import { openEmbeddedViewer, waitUntilLoaded } from './embedded-viewer.ts';
import { PRETEND_GPU } from './pretend-gpu.ts';
import { createBoxShadow } from './shadow-image.ts';

type Calls = {
  linkProgram: number;
  drawElements: number;
  /** Uploads of a face of the environment map, or of one of its mip levels. */
  uploadFace: number;
};

for (const hasGpu of [true, false])
  it(`while the model is loaded, ${hasGpu ? 'with a GPU shadow and environment are' : 'without a GPU the shadow is'} prepared, and not again`, async (t) => {
    const browser = await openSharedChromium();
    t.after(() => browser.close());
    const model = createBoxGlb({ shadow: await createBoxShadow() });
    const prepared = Promise.withResolvers<void>();
    const { frame, consoleErrors } = await openEmbeddedViewer(
      t,
      browser,
      {
        modelHandler: (response) => {
          response.writeHead(200, { 'content-length': model.length });
          void prepared.promise.then(() => response.end(model));
        },
      },
      { script: `(${countCalls})(); ${hasGpu ? PRETEND_GPU : ''}` },
    );
    await waitUntil('the shadow is drawn', async () => (await readCalls(frame)).drawElements > 0);
    const isUploaded = async () => (await readCalls(frame)).uploadFace > 0;
    if (hasGpu) await waitUntil('the environment is uploaded', isUploaded);
    // The browser has been idle.
    else await frame.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
    const before = await readCalls(frame);
    assert.equal(before.linkProgram, 1);
    assert.equal(before.uploadFace > 0, hasGpu);
    prepared.resolve();
    assert.equal(await waitUntilLoaded(frame), 'ready');
    const after = await readCalls(frame);
    assert.equal(after.linkProgram, 2, 'the shader of the box is added');
    assert.equal(after.uploadFace, before.uploadFace);
    assert.deepEqual(consoleErrors, []);
  });

const readCalls = (frame: Frame) =>
  frame.evaluate(() => ({ ...(window as never as { calls: Calls }).calls }));

/** Runs in each document before all scripts. */
function countCalls(): void {
  const calls = { linkProgram: 0, drawElements: 0, uploadFace: 0 };
  Object.assign(window, { calls });
  const gl = WebGL2RenderingContext.prototype;
  const { linkProgram, drawElements, texSubImage2D, TEXTURE_CUBE_MAP_POSITIVE_X: firstFace } = gl;
  Object.assign(gl, {
    linkProgram(this: WebGL2RenderingContext, program: WebGLProgram) {
      calls.linkProgram++;
      linkProgram.call(this, program);
    },
    drawElements(this: WebGL2RenderingContext, ...args: Parameters<typeof drawElements>) {
      calls.drawElements++;
      drawElements.apply(this, args);
    },
    texSubImage2D(this: WebGL2RenderingContext, ...args: Parameters<typeof texSubImage2D>) {
      if (args[0] >= firstFace && args[0] < firstFace + 6) calls.uploadFace++;
      texSubImage2D.apply(this, args);
    },
  });
}
