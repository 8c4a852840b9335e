import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import {
  findPixels,
  openEmbeddedViewer,
  readScreenPixels,
  waitForControls,
  waitUntilLoaded,
} from './embedded-viewer.ts';
import { PRETEND_GPU } from './pretend-gpu.ts';
import { openViewerServer } from './test-server.ts';
import { createImageBox } from './textured-box.ts';

declare global {
  /** Calls of `generateMipmap`. The environment map has its own mipmaps. */
  var generatedMipmaps: number | undefined;
}

const SIZE = 256;

/** A box whose faces have, in their upper halves, stripes that are narrower than a pixel of the screen. */
async function createStripedBox(alpha = 255) {
  const pixels = Buffer.alloc(SIZE * SIZE * 4, 255);
  for (let at = 0; at < pixels.length / 2; at += 4) {
    const isRed = (at / 4) % 2 === 0;
    pixels.set(isRed ? [230, 0, 0, 255] : [0, 0, 230, 255], at);
  }
  // One texel.
  pixels[3] = alpha;
  const raw = { width: SIZE, height: SIZE, channels: 4 } as const;
  return createImageBox(await sharp(pixels, { raw }).png().toBuffer());
}

/** Counts the textures whose mipmaps WebGL generates. */
function countMipmaps(): void {
  globalThis.generatedMipmaps = 0;
  const { generateMipmap } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.generateMipmap = function (target) {
    globalThis.generatedMipmaps = (globalThis.generatedMipmaps ?? 0) + 1;
    generateMipmap.call(this, target);
  };
}

/** WebGL averages light, so its stripes are lighter: the pictures differ by 6. With levels that are upside down, it is 51. */
function assertSimilar(actual: Uint8Array, expected: Uint8Array): void {
  let sum = 0;
  for (const [index, value] of actual.entries()) sum += Math.abs(value - (expected[index] ?? 0));
  assert.ok(sum / actual.length < 10, `The pictures differ by ${sum / actual.length} of 255.`);
}

describe('the mipmaps of color textures', { concurrency: 2 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  async function open(
    t: it.TestContext,
    { alpha, hasGpu = false }: { alpha?: number; hasGpu?: boolean },
  ) {
    const served = { model: await createStripedBox(alpha) };
    const script = `(${countMipmaps})(); ${hasGpu ? PRETEND_GPU : ''}`;
    const viewer = await openEmbeddedViewer(t, browser, served, { script });
    const { page, frame, consoleErrors } = viewer;
    assert.equal(await waitUntilLoaded(frame), 'ready');
    await waitForControls(frame);
    assert.deepEqual(consoleErrors, []);
    const isPurple = (red: number, green: number, blue: number) =>
      red > 60 && blue > 60 && green < red / 2 && Math.abs(red - blue) < 40;
    const { count } = await findPixels(page, isPurple);
    const { data } = await readScreenPixels(page);
    const generated = await frame.evaluate(() => globalThis.generatedMipmaps);
    return { generated, purple: count, data };
  }

  it('are made by a canvas without a GPU, and look similar', async (t) => {
    const withGpu = await open(t, { hasGpu: true });
    assert.equal(withGpu.generated, 1);
    assert.ok(withGpu.purple > 10_000, `${withGpu.purple} pixels with the mean color`);
    const without = await open(t, {});
    assert.equal(without.generated, 0);
    assert.ok(
      without.purple > withGpu.purple * 0.98,
      `${without.purple} pixels, ${withGpu.purple} with a GPU`,
    );
    assertSimilar(without.data, withGpu.data);
  });

  it('are left to WebGL if one texel of the image is transparent', async (t) => {
    const { generated } = await open(t, { alpha: 0 });
    assert.equal(generated, 1);
  });

  it('are left to WebGL in posters, which all visitors see', async (t) => {
    const config = { posterMode: true };
    await using server = await openViewerServer({ model: await createStripedBox(), config });
    const page = await browser.newPage();
    t.after(() => page.close());
    await page.addInitScript(countMipmaps);
    await page.goto(server.frameUrl);
    await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
    assert.equal(await page.evaluate(() => globalThis.generatedMipmaps), 1);
  });
});
