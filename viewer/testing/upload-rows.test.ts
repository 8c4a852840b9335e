import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import {
  openEmbeddedViewer,
  readScreenPixels,
  waitForControls,
  waitUntilLoaded,
} from './embedded-viewer.ts';
import { PRETEND_GPU } from './pretend-gpu.ts';
import { createImageBox } from './textured-box.ts';

declare global {
  /** The tops and heights of the parts in which images were uploaded; no heights: at once. */
  var uploadedParts: [top: number, height: number | undefined][] | undefined;
}

/** Not a multiple of the rows of a part. */
const [WIDTH, HEIGHT] = [500, 412];
const MAX_PART_BYTES = 256 * 1024;

/** A box whose faces show a quarter of an image in which all rows differ so large that the picture is of the image itself, not of its mipmaps. */
async function createGradientBox() {
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 3);
  for (let row = 0; row < HEIGHT; row += 1)
    for (let column = 0; column < WIDTH; column += 1)
      pixels.set(
        [(255 * row) / HEIGHT, 255 - (255 * row) / HEIGHT, 100],
        3 * (row * WIDTH + column),
      );
  const raw = { width: WIDTH, height: HEIGHT, channels: 3 } as const;
  const image = await sharp(pixels, { raw }).png().toBuffer();
  const transform = { offset: [0.3, 0.45], scale: [0.25, 0.25] };
  return createImageBox(image, { extensions: { KHR_texture_transform: transform } });
}

/** Records how bitmaps are uploaded. */
function recordUploads(): void {
  globalThis.uploadedParts = [];
  const { texSubImage2D } = WebGL2RenderingContext.prototype as unknown as Record<
    string,
    (...values: unknown[]) => void
  >;
  Object.assign(WebGL2RenderingContext.prototype, {
    texSubImage2D(...values: unknown[]) {
      if (values.at(-1) instanceof ImageBitmap)
        globalThis.uploadedParts?.push([
          values[3] as number,
          values.length > 7 ? (values[5] as number) : undefined,
        ]);
      texSubImage2D?.apply(this, values);
    },
  });
}

describe('the upload of images', { concurrency: 2 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  async function open(t: it.TestContext, { hasGpu }: { hasGpu: boolean }) {
    const served = { model: await createGradientBox() };
    const script = `(${recordUploads})(); ${hasGpu ? PRETEND_GPU : ''}`;
    const viewer = await openEmbeddedViewer(t, browser, served, { script });
    const { page, frame, consoleErrors } = viewer;
    assert.equal(await waitUntilLoaded(frame), 'ready');
    await waitForControls(frame);
    assert.deepEqual(consoleErrors, []);
    const uploads = (await frame.evaluate(() => globalThis.uploadedParts)) ?? [];
    return { uploads, data: (await readScreenPixels(page)).data };
  }

  it('is in parts without a GPU, and the picture is the same', async (t) => {
    const whole = await open(t, { hasGpu: true });
    assert.deepEqual(whole.uploads, [[0, undefined]]);
    const { uploads, data } = await open(t, { hasGpu: false });
    assert.ok(uploads.length > 2, `${uploads.length} parts`);
    let end = 0;
    for (const [top, height = 0] of uploads) {
      assert.equal(top, end);
      assert.ok(4 * WIDTH * height <= MAX_PART_BYTES, `${height} rows`);
      end = top + height;
    }
    assert.equal(end, HEIGHT);
    let sum = 0;
    for (const [index, value] of data.entries()) sum += Math.abs(value - (whole.data[index] ?? 0));
    // The mipmaps of the two differ.
    assert.ok(sum / data.length < 1, `The pictures differ by ${sum / data.length} of 255.`);
  });
});
