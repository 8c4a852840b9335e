import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import sharp from 'sharp';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import {
  findPixels,
  openEmbeddedViewer,
  selectInMenu,
  setPixelRatio,
  waitForControls,
  waitUntilLoaded,
} from './embedded-viewer.ts';
import { type Color, createLeveledBox, LEVEL_COLORS, type LevelSize } from './leveled-box.ts';
import { loseContext } from './lose-context.ts';
import type { ViewerServerOptions } from './test-server.ts';

type TestCounts = {
  /** Textures that were created and not deleted. */
  liveTextures?: number;
  /** The uploads of images in each task. */
  uploads?: number[];
  /** The pixels of the largest upload of an image. */
  largestUpload?: number;
  /** Decoded images that were not closed. */
  openImages?: number;
};

type TestWindow = Window & TestCounts;

const isRed = (red: number, green: number, blue: number) => red > 120 && green < 90 && blue < 90;
const isGreen = (red: number, green: number, blue: number) => green > 110 && red < 90 && blue < 90;
const isBlue = (red: number, green: number, blue: number) => blue > 120 && red < 90 && green < 90;
const isPink = (red: number, green: number, blue: number) => red > 120 && blue > 120 && green < 90;
const isBlack = (red: number, green: number, blue: number) => Math.max(red, green, blue) < 60;
const isYellow = (red: number, green: number, blue: number) =>
  red > 120 && green > 110 && blue < 90;

describe('texture levels', { concurrency: 2 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  async function open(t: TestContext, served: ViewerServerOptions, script = countGpuUse) {
    const opened = await openEmbeddedViewer(t, browser, served, {
      reducedMotion: 'reduce',
      deviceScaleFactor: 1,
      script,
    });
    await waitUntilLoaded(opened.frame);
    const { frame, page, server } = opened;
    return {
      ...opened,
      packs: () => server.requestedPaths.filter((path) => path.startsWith('/textures-')),
      read: <Key extends keyof TestCounts>(key: Key) =>
        frame.evaluate((name) => (window as TestWindow)[name], key) as Promise<
          Required<TestCounts>[Key]
        >,
      zoomIn: async (steps: number) => {
        for (let step = 0; step < steps; step++) await frame.locator('#view').press('+');
      },
      see: (matches: Parameters<typeof findPixels>[1], label: string, minPixels = 10_000) =>
        waitUntil(label, async () => (await findPixels(page, matches)).count > minPixels),
    };
  }

  it('the pack that fits the picture is loaded with the geometry, and larger ones after zooming in', async (t) => {
    const { packs, server, frame, see, zoomIn, read, consoleErrors } = await open(
      t,
      await createLeveledBox(),
    );
    await waitForControls(frame);
    await see(isRed, 'the smallest images');
    assert.deepEqual(packs(), ['/textures-512.glb']);
    assert.ok(server.requestedPaths.includes('/geometry.glb'));
    assert.ok(!server.requestedPaths.includes('/model.glb'));
    const before = { textures: await read('liveTextures'), images: await read('openImages') };
    assert.equal(before.images, 0, 'the decoded images are released');
    const uploadsBefore = (await read('uploads')).length;

    await zoomIn(4);
    await see(isGreen, 'larger images');
    assert.deepEqual(packs(), ['/textures-512.glb', '/textures-1024.glb']);
    assert.ok((await read('uploads')).slice(uploadsBefore).every((count) => count === 1));
    await waitUntil(
      'the old images are released',
      async () =>
        (await read('liveTextures')) === before.textures && (await read('openImages')) === 0,
    );

    await frame.locator('#view').press('r');
    await zoomIn(1);
    await see(isGreen, 'never smaller images');
    assert.equal(packs().length, 2);
    assert.deepEqual(consoleErrors, []);
  });

  it('a larger iframe gets larger images', async (t) => {
    const served = await createLeveledBox({ uvPerMeter: 0.25 });
    const frameSize = { width: '300px', height: '200px' };
    const { packs, page, frame, see } = await open(t, { ...served, frameSize });
    await waitForControls(frame);
    assert.deepEqual(packs(), ['/textures-512.glb']);
    await page.setViewportSize({ width: 900, height: 600 });
    await page.locator('iframe').evaluate((iframe) => {
      Object.assign(iframe.style, { width: '900px', height: '600px' });
    });
    await waitUntil('the pack is requested', async () => packs().includes('/textures-2048.glb'));
    await see(isBlue, 'the largest images');
    assert.deepEqual(packs(), ['/textures-512.glb', '/textures-2048.glb']);
  });

  it('a page that is zoomed, or moved to a sharper screen, gets a sharper picture and larger images', async (t) => {
    const frameSize = { width: '600px', height: '400px' };
    const served = { ...(await createLeveledBox()), frameSize };
    const { packs, page, frame, see } = await open(t, served);
    await waitForControls(frame);
    assert.deepEqual(packs(), ['/textures-512.glb']);
    const readWidth = () => frame.locator('#view canvas').evaluate(getDeviceWidth);
    const width = await readWidth();
    await setPixelRatio(page, 2);
    await waitUntil('the picture is sharper', async () => (await readWidth()) === 2 * width);
    await see(isGreen, 'the larger images');
    assert.deepEqual(packs(), ['/textures-512.glb', '/textures-1024.glb']);
  });

  it('images of 4096 pixels are loaded after the model is shown, and uploaded in parts', async (t) => {
    const served = await createLeveledBox({ uvPerMeter: 0.1, maxSize: 4096, renderImage });
    const { packs, frame, see, read, zoomIn, consoleErrors } = await open(t, served);
    await waitForControls(frame);
    await see(isPink, 'the top half of the largest images');
    await see(isYellow, 'their bottom half');
    assert.deepEqual(packs(), ['/textures-2048.glb', '/textures-4096.glb']);
    const uploads = (await read('uploads')).length;
    assert.ok(uploads > 16, `${uploads} uploads`);
    assert.equal(
      await read('largestUpload'),
      1024 ** 2,
      'the parts of the first images are smaller',
    );
    await waitUntil('all are released', async () => (await read('openImages')) === 0);
    assert.deepEqual(consoleErrors, []);

    // Far away, they are drawn from the smaller copies that the GPU has made of them.
    for (let step = 0; step < 4; step++) await frame.locator('#view').press('-');
    await waitForControls(frame);
    await see(isPink, 'the top half in a small picture', 500);
    await see(isYellow, 'the bottom half in a small picture', 500);
    await zoomIn(8);
    assert.equal(packs().length, 2);
  });

  for (const [reason, script] of [
    ['has too little memory', limitMemory],
    ['supports no such textures', limitTextureSize],
  ] as const)
    it(`images of 4096 pixels are not loaded by a device that ${reason}`, async (t) => {
      const served = await createLeveledBox({ uvPerMeter: 0.1, maxSize: 4096, renderImage });
      const { packs, frame, see, zoomIn } = await open(t, served, script);
      await waitForControls(frame);
      await see(isBlue, 'smaller images');
      await zoomIn(1);
      await waitForControls(frame);
      assert.deepEqual(packs(), ['/textures-2048.glb']);
    });

  it('a download that a larger one replaces is aborted', async (t) => {
    const served = await createLeveledBox();
    const aborted = Promise.withResolvers<void>();
    const files = {
      ...served.files,
      '/textures-1024.glb': (response: { on(event: 'close', listener: () => void): unknown }) => {
        response.on('close', () => aborted.resolve());
      },
    };
    const { packs, frame, see, zoomIn } = await open(t, { ...served, files });
    await waitForControls(frame);
    await zoomIn(4);
    await waitUntil('the pack is requested', async () => packs().includes('/textures-1024.glb'));
    await zoomIn(4);
    await aborted.promise;
    await see(isBlue, 'the largest images');
  });

  it('the images stay if larger ones cannot be loaded', async (t) => {
    const served = await createLeveledBox();
    const { '/textures-1024.glb': _, ...files } = served.files ?? {};
    const { packs, frame, see, zoomIn } = await open(t, { ...served, files });
    await waitForControls(frame);
    await zoomIn(4);
    await waitUntil('the pack is requested', async () => packs().includes('/textures-1024.glb'));
    await see(isRed, 'the images as before');
    assert.equal(await frame.evaluate(() => document.documentElement.dataset.state), 'ready');
    assert.equal(await frame.locator('#error').isVisible(), false);
  });

  it('a model without its first pack is an error, not a model without textures', async (t) => {
    const served = await createLeveledBox();
    const { '/textures-512.glb': _, ...files } = served.files ?? {};
    const { frame } = await open(t, { ...served, files });
    assert.equal(await frame.evaluate(() => document.documentElement.dataset.state), 'failed');
  });

  it('a model is shown without an image that is damaged', async (t) => {
    const served = await createLeveledBox({ renderImage: async () => new Uint8Array(64) });
    const { frame, page, consoleErrors } = await open(t, served);
    assert.equal(await frame.evaluate(() => document.documentElement.dataset.state), 'ready');
    await waitForControls(frame);
    await frame.locator('#toolbar').evaluate((toolbar) => toolbar.remove());
    // The color without an image is that of the background, more or less.
    const { count } = await findPixels(page, isBlack);
    assert.ok(count < 100, `${count} black pixels`);
    assert.match(
      consoleErrors.join('\n'),
      /^Cloche: Error: Image 0 of the model cannot be decoded\./,
    );
  });

  it('a damaged image does not concern the others, also after the loss of the WebGL context', async (t) => {
    // The first image is in the first material, the second one in that of the variant.
    const renderImage = async () => new Uint8Array(64);
    const served = await createLeveledBox({ variant: true, renderImage });
    const { frame, see } = await open(t, served);
    await waitForControls(frame);
    await selectInMenu(frame, 'Variants', 'Yellow');
    await see(isYellow, 'the variant');
    await frame.evaluate(loseContext);
    await frame.waitForFunction(() => document.documentElement.dataset.contextLost === undefined);
    await see(isYellow, 'the variant again');
  });

  it('a variant has the images of the current level', async (t) => {
    const { frame, see, zoomIn } = await open(t, await createLeveledBox({ variant: true }));
    await waitForControls(frame);
    await zoomIn(4);
    await see(isGreen, 'larger images');
    await selectInMenu(frame, 'Variants', 'Yellow');
    await see(isYellow, 'the variant');
    await zoomIn(4);
    await selectInMenu(frame, 'Variants', 'Original');
    await see(isBlue, 'the largest images');
    await selectInMenu(frame, 'Variants', 'Yellow');
    await see(isYellow, 'the variant');
  });

  it('after the loss of the WebGL context, the images are back', async (t) => {
    const { frame, see, zoomIn, packs, read, consoleErrors } = await open(
      t,
      await createLeveledBox(),
    );
    await waitForControls(frame);
    await zoomIn(4);
    await see(isGreen, 'larger images');
    await frame.evaluate(loseContext);
    await frame.waitForFunction(() => document.documentElement.dataset.contextLost === undefined);
    await see(isGreen, 'the same images');
    assert.equal(packs().length, 2, 'nothing is requested again');
    await waitUntil('the images are released', async () => (await read('openImages')) === 0);
    assert.deepEqual(
      consoleErrors.filter((text) => !text.includes('Context Lost')),
      [],
    );
  });
});

/** An image in its full size. The largest one has two colors. */
async function renderImage(size: LevelSize): Promise<Uint8Array> {
  const toImage = (background: Color, height: number) =>
    sharp({ create: { width: size, height, channels: 3, background } }).png();
  const image = toImage(LEVEL_COLORS[size], size);
  if (size < 4096) return image.toBuffer();
  const half = await toImage({ r: 220, g: 200, b: 20 }, size / 2).toBuffer();
  return image.composite([{ input: half, gravity: 'south' }]).toBuffer();
}

/** Runs in the page: the device reports 1 GiB of memory. */
function limitMemory(): void {
  Object.defineProperty(navigator, 'deviceMemory', { value: 1 });
}

/** Runs in the page: the graphics card has textures of at most 2048 pixels. */
function limitTextureSize(): void {
  const { getParameter } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.getParameter = function (name: number) {
    return name === this.MAX_TEXTURE_SIZE ? 2048 : getParameter.call(this, name);
  };
}

/** Runs in the page: counts textures, decoded images, and the uploads of each task. */
function countGpuUse(): void {
  const page = window as TestWindow;
  Object.assign(page, { liveTextures: 0, openImages: 0, uploads: [], largestUpload: 0 });
  const { createTexture, deleteTexture, texSubImage2D } = WebGL2RenderingContext.prototype;
  Object.assign(WebGL2RenderingContext.prototype, {
    createTexture(this: WebGL2RenderingContext) {
      page.liveTextures = (page.liveTextures ?? 0) + 1;
      return createTexture.call(this);
    },
    deleteTexture(this: WebGL2RenderingContext, texture: WebGLTexture) {
      page.liveTextures = (page.liveTextures ?? 0) - 1;
      deleteTexture.call(this, texture);
    },
    texSubImage2D(this: WebGL2RenderingContext, ...args: unknown[]) {
      const image = args.at(-1);
      if (image instanceof ImageBitmap) {
        countUpload();
        // The size is an argument if it is not that of the image.
        const [width = 0, height = 0] = args.slice(4) as number[];
        const pixels = args.length === 9 ? width * height : image.width * image.height;
        page.largestUpload = Math.max(page.largestUpload ?? 0, pixels);
      }
      texSubImage2D.apply(this, args as never);
    },
  });
  let isCounting = false;
  const countUpload = () => {
    const uploads = page.uploads ?? [];
    if (isCounting) uploads[uploads.length - 1] = (uploads.at(-1) ?? 0) + 1;
    else uploads.push(1);
    isCounting = true;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      isCounting = false;
    };
    port2.postMessage(undefined);
  };
  const { createImageBitmap } = window;
  window.createImageBitmap = async (...args: unknown[]) => {
    const bitmap = await createImageBitmap(...(args as [ImageBitmapSource]));
    page.openImages = (page.openImages ?? 0) + 1;
    return bitmap;
  };
  const { close } = ImageBitmap.prototype;
  ImageBitmap.prototype.close = function () {
    page.openImages = (page.openImages ?? 0) - 1;
    close.call(this);
  };
}

/** Runs in the framed document. */
function getDeviceWidth(canvas: Element): number {
  return (canvas as HTMLCanvasElement).width;
}
