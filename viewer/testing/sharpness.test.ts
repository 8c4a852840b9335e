import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { Frame, Page } from 'playwright-core';
import sharp from 'sharp';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { createBoxGlb } from './box-models.ts';
import {
  findPixels,
  isGreen,
  openEmbeddedViewer,
  waitForStablePicture,
} from './embedded-viewer.ts';
import { renderInlinePoster } from './inline-poster.ts';
import { createLeveledBox } from './leveled-box.ts';
import { measureSharpness, recordPictures } from './sharpness.ts';
import { openViewerServer } from './test-server.ts';

const VIEWPORT = { width: 600, height: 400 };
const SMALL_VIEWPORT = { width: 240, height: 180 };
/** Half the pixels of the frame, as the smallest poster that is chosen. */
const POSTER_SIZE = { width: 400, height: 300 };
/** Green, and without a texture. */
const preview = createBoxGlb();
const bounds = {
  min: [-0.5, -0.5, -0.5],
  max: [0.5, 0.5, 0.5],
} satisfies ViewerConfig['model']['bounds'];
const isRed = (red: number, green: number, blue: number) => red > 1.5 * Math.max(green, blue);
/** A frame may be less sharp than the one before by this share. */
const TOLERANCE = 0.02;
/** The pack that the frame needs. */
const FIRST_PACK = '/textures-512.glb';

/** Renders a texture of red dots in many shades. `blur` is in pixels. */
function renderDots(size: number, blur = 0): Promise<Buffer> {
  const pixels = new Uint8Array(256 * 256 * 3);
  let random = 1;
  for (let index = 0; index < pixels.length; index += 3) {
    random = (random * 16807) % 2147483647;
    pixels.set([90 + (random % 160), 30, 30], index);
  }
  const raw = { width: 256, height: 256, channels: 3 } as const;
  const image = sharp(pixels, { raw });
  return (blur === 0 ? image : image.blur(blur)).resize(size).png().toBuffer();
}

function createTexturedBox(texture: Uint8Array) {
  return createBoxGlb({
    color: [1, 1, 1],
    extraBufferViews: [texture],
    change(gltf) {
      gltf.images = [{ bufferView: 4, mimeType: 'image/png' }];
      gltf.textures = [{ source: 0 }];
      const [material] = gltf.materials as [{ pbrMetallicRoughness: object }];
      Object.assign(material.pbrMetallicRoughness, { baseColorTexture: { index: 0 } });
    },
  });
}

/** A file that is sent after `release` has been called. */
class DelayedFile {
  readonly #released = Promise.withResolvers<void>();
  readonly #file: Uint8Array;

  constructor(file: Uint8Array) {
    this.#file = file;
  }

  readonly handle = (response: ServerResponse) => {
    void this.#released.promise.then(() => response.writeHead(200).end(this.#file));
  };

  release(): void {
    this.#released.resolve();
  }
}

/** Records the pictures of a load whose files are sent one by one, each when the page shows the one before. */
async function recordSteps(
  page: Page,
  frame: Frame,
  [poster, preview, last]: [DelayedFile, DelayedFile, DelayedFile],
) {
  const recording = await recordPictures(page);
  await frame.waitForSelector('#inline-poster', { state: 'attached' });
  await waitForStablePicture(page);
  for (const [file, state] of [
    [poster, 'data-poster'],
    [preview, 'data-interactive'],
    [last, 'data-state="ready"'],
  ] as const) {
    file.release();
    await frame.waitForSelector(`html[${state}]`, { state: 'attached' });
    await waitForStablePicture(page);
  }
  return recording.stop();
}

describe('the sharpness of a design that loads', { concurrency: 2 }, () => {
  let browser: SharedBrowser;
  let model: Uint8Array<ArrayBuffer>;
  let poster: Buffer;
  before(async () => {
    browser = await openSharedChromium();
    model = createTexturedBox(await renderDots(512));
    poster = await renderPoster();
  });
  after(() => browser.close());

  /** Renders the poster as the service does. */
  async function renderPoster(): Promise<Buffer> {
    const config = { model: { url: '/model.glb', bytes: model.byteLength, bounds } };
    await using server = await openViewerServer({ model, config: { ...config, posterMode: true } });
    await using page = await browser.newPage({ viewport: POSTER_SIZE });
    await page.goto(server.frameUrl);
    await page.waitForSelector('html[data-state="ready"]', { state: 'attached' });
    return sharp(await page.screenshot({ omitBackground: true }))
      .webp({ quality: 85 })
      .toBuffer();
  }

  /** Opens a page whose files are sent one by one. */
  async function openDelayed(t: TestContext, viewport = VIEWPORT) {
    const files = {
      poster: new DelayedFile(poster),
      preview: new DelayedFile(preview),
      model: new DelayedFile(model),
    };
    const served = {
      inlinePoster: await renderInlinePoster(poster),
      modelHandler: files.model.handle,
      files: { '/preview.glb': files.preview.handle, '/poster.webp': files.poster.handle },
      config: {
        model: { url: '/model.glb', bytes: model.byteLength, bounds },
        preview: { url: '/preview.glb', bytes: preview.byteLength },
        posters: [{ url: '/poster.webp', ...POSTER_SIZE }],
        posterPlaceholder: { background: '#dfe2e7' },
      },
    };
    const options = { viewport, deviceScaleFactor: 1, script: hideSurroundings };
    return { ...(await openEmbeddedViewer(t, browser, served, options)), files };
  }

  /** Opens a page that shows the poster, and has drawn the preview below it. */
  async function openPoster(t: TestContext) {
    const { files, ...opened } = await openDelayed(t);
    files.poster.release();
    await opened.frame.waitForSelector('html[data-poster]', { state: 'attached' });
    files.preview.release();
    await opened.frame.waitForSelector('html[data-interactive]', { state: 'attached' });
    return opened;
  }

  it('no picture is less sharp than the one before', async (t) => {
    const { page, frame, files } = await openDelayed(t);
    const pictures = await recordSteps(page, frame, [files.poster, files.preview, files.model]);
    assertNeverLessSharp(t, await measureSharpness(pictures, isRed));
  });

  it('no picture is less sharp than the one before, in a frame that is smaller than the poster', async (t) => {
    const { page, frame, files } = await openDelayed(t, SMALL_VIEWPORT);
    const pictures = await recordSteps(page, frame, [files.poster, files.preview, files.model]);
    assertNeverLessSharp(t, await measureSharpness(pictures, isRed));
  });

  it('no picture is less sharp than the one before, with texture packs and a blurred preview', async (t) => {
    const leveled = await createLeveledBox({ renderImage: (size) => renderDots(size) });
    const blurred = createTexturedBox(await renderDots(64, 8));
    const files = {
      poster: new DelayedFile(poster),
      preview: new DelayedFile(blurred),
      pack: new DelayedFile(leveled.files?.[FIRST_PACK] as Uint8Array),
    };
    const served = {
      ...leveled,
      inlinePoster: await renderInlinePoster(poster),
      files: {
        ...leveled.files,
        [FIRST_PACK]: files.pack.handle,
        '/preview.glb': files.preview.handle,
        '/poster.webp': files.poster.handle,
      },
      config: {
        ...leveled.config,
        preview: { url: '/preview.glb', bytes: blurred.byteLength },
        posters: [{ url: '/poster.webp', ...POSTER_SIZE }],
        posterPlaceholder: { background: '#dfe2e7' },
      },
    };
    const options = { viewport: VIEWPORT, deviceScaleFactor: 1, script: hideSurroundings };
    const { page, frame, server } = await openEmbeddedViewer(t, browser, served, options);
    const pictures = await recordSteps(page, frame, [files.poster, files.preview, files.pack]);
    assert.ok(server.requestedPaths.includes(FIRST_PACK));
    assertNeverLessSharp(t, await measureSharpness(pictures, isRed));
  });

  const touches: [name: string, touch: (page: Page, frame: Frame) => Promise<unknown>][] = [
    ['a pressed pointer', ({ mouse }) => mouse.down()],
    ['a key that moves the camera', (_, frame) => frame.locator('#view').press('ArrowLeft')],
    ['a button of the toolbar', (_, frame) => frame.evaluate(clickZoomIn)],
  ];
  for (const [name, touch] of touches) {
    it(`${name} replaces the poster with the preview, other input does not`, async (t) => {
      const { page, frame } = await openPoster(t);
      await page.mouse.move(300, 200);
      await page.mouse.wheel(0, 10);
      await page.mouse.move(310, 210);
      await frame.locator('#view').press('a');
      await frame.locator('#view').focus();
      assert.deepEqual(await frame.evaluate(readVisibility), { poster: true, canvas: false });
      await touch(page, frame);
      await waitUntil('the preview is visible', async () => {
        const { poster, canvas } = await frame.evaluate(readVisibility);
        return !poster && canvas;
      });
      await waitUntil(
        'it is on the screen',
        async () => (await findPixels(page, isGreen)).count > 10_000,
      );
    });
  }
});

function assertNeverLessSharp(t: TestContext, sharpness: readonly number[]): void {
  const text = sharpness.map((value) => value.toFixed(3)).join(' ');
  t.diagnostic(text);
  assert.ok(new Set(sharpness).size >= 3, `both posters and the model differ: ${text}`);
  for (const [index, value] of sharpness.entries())
    assert.ok(value >= (sharpness[index - 1] ?? 0) * (1 - TOLERANCE), text);
}

/**
 * Leaves only pictures of the design. Runs in all pages before their scripts. The first frame may have no picture yet: the
 * dither of the background's gradient would count as sharpness.
 */
function hideSurroundings(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    '#toolbar, #hint, #progress { opacity: 0 !important } body { background: #dfe2e7 !important }',
  );
  document.adoptedStyleSheets.push(sheet);
}

/** Runs in the framed document. */
function readVisibility() {
  const getStyle = (selector: string) =>
    getComputedStyle(document.querySelector(selector) as HTMLElement);
  return {
    poster: getStyle('#poster').visibility === 'visible',
    canvas: getStyle('#view canvas').opacity === '1',
  };
}

/** Runs in the framed document. */
function clickZoomIn(): void {
  document.getElementById('zoom-in')?.click();
}
