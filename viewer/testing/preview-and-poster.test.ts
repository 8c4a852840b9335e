import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { openChromium } from '../../e2e/chromium.ts';
import { createBoxGlb } from './box-models.ts';
import {
  findPixels,
  isGreen,
  openEmbeddedViewer,
  readScreenPixels,
  waitForControls,
  waitForPictureChange,
  waitForStablePicture,
  waitUntil,
} from './embedded-viewer.ts';
import { openViewerServer, sendProblem, type ViewerServerOptions } from './test-server.ts';

const BLUE = [0.02, 0.1, 0.7] as const;
const model = createBoxGlb();
const preview = createBoxGlb({ colour: BLUE });
const bounds = {
  min: [-0.5, -0.5, -0.5],
  max: [0.5, 0.5, 0.5],
} satisfies ViewerConfig['model']['bounds'];

const isBlue = (red: number, green: number, blue: number) =>
  blue > 70 && blue > 1.5 * green && blue > 1.6 * red;
const isRed = (red: number, green: number, blue: number) => red > 150 && green < 90 && blue < 90;
const isBackgroundColour = (red: number, green: number, blue: number) =>
  Math.abs(red - 0xc8) < 6 && Math.abs(green - 0xd4) < 6 && Math.abs(blue - 0xe0) < 6;

/** A file that arrives when it is let go. */
function createHeldResponse(file: Uint8Array) {
  const held: ServerResponse[] = [];
  let free = false;
  return {
    answer(response: ServerResponse) {
      if (free) response.writeHead(200).end(file);
      else held.push(response);
    },
    letGo() {
      free = true;
      for (const response of held) response.writeHead(200).end(file);
    },
  };
}

const createConfig = (more: Partial<ViewerConfig> = {}): Partial<ViewerConfig> => ({
  model: { url: '/model.glb', bytes: model.byteLength, bounds },
  preview: { url: '/preview.glb', bytes: preview.byteLength },
  ...more,
});

const waitForState = (page: Page, state: string) =>
  waitUntil(`the state is ${state}`, async () => {
    const now = await page.frames()[1]?.evaluate(() => document.documentElement.dataset.state);
    return now === state;
  });

describe('what is seen before the model', { concurrency: 3 }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  /** Opens the page with a preview at hand and the model held back. */
  async function openHeld(t: TestContext, served: ViewerServerOptions = {}) {
    const held = createHeldResponse(served.model ?? model);
    const opened = await openEmbeddedViewer(t, browser, {
      modelHandler: held.answer,
      files: { '/preview.glb': preview },
      config: createConfig(),
      ...served,
    });
    return { ...opened, held };
  }

  /** The same, until the preview stands still and can be turned. */
  async function openPreview(t: TestContext, served: ViewerServerOptions = {}) {
    const opened = await openHeld(t, served);
    await waitForState(opened.page, 'preview');
    await waitForControls(opened.frame);
    return opened;
  }

  it('is its colour and a blur, then its poster, before anything else has come', async (t) => {
    const disc = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><circle cx="200" cy="150" r="90" fill="#e01010"/></svg>',
    );
    const poster = createHeldResponse(await sharp(disc).webp().toBuffer());
    const { server, page, consoleErrors } = await openEmbeddedViewer(t, browser, {
      files: { '/preview.glb': () => {}, '/small.webp': poster.answer },
      config: createConfig({
        posterPlaceholder: {
          background: '#c8d4e0',
          thumbHash: 'khiBBAA2CHiHJ6h4dnAI+Hh9gHaIB6h4Bg==',
        },
        posters: [
          { url: '/small.webp', width: 400, height: 300 },
          { url: '/large.webp', width: 800, height: 600 },
        ],
      }),
    });
    assert.ok((await findPixels(page, isBackgroundColour)).count > 200);
    assert.ok((await findPixels(page, isGreen)).count > 10_000);
    poster.letGo();
    await waitUntil('the poster is seen alone', async () => {
      const [red, green] = [await findPixels(page, isRed), await findPixels(page, isGreen)];
      return red.count > 25_000 && green.count === 0;
    });
    const { left, right, top, bottom } = await findPixels(page, isRed);
    // As large as fits, in the middle: 400 pixels are 533 here.
    assert.ok(Math.abs(right - left - 240) < 4 && Math.abs(bottom - top - 240) < 4);
    assert.ok(Math.abs(left + right - 600) < 4 && Math.abs(top + bottom - 400) < 4);
    assert.doesNotMatch(server.requestedPaths.join(' '), /large|model/);
    assert.deepEqual(consoleErrors, []);
  });

  it('is the preview; the model is not asked for before that and the script are there', async (t) => {
    const held = createHeldResponse(preview);
    const { server, page, frame, consoleErrors } = await openEmbeddedViewer(t, browser, {
      model,
      files: { '/preview.glb': held.answer },
      config: createConfig(),
    });
    await frame.waitForFunction(() => globalThis.clocheBootstrap === undefined);
    await new Promise((resolve) => setTimeout(resolve, 500));
    for (const early of [/preview/, /viewer-\w+\.js/, /meshopt/]) {
      assert.match(server.requestedPaths.join(' '), early);
    }
    assert.doesNotMatch(server.requestedPaths.join(' '), /model/);
    held.letGo();
    await waitForState(page, 'ready');
    await waitForStablePicture(page);
    assert.ok((await findPixels(page, isGreen)).count > 10_000);
    assert.equal((await findPixels(page, isBlue)).count, 0);
    assert.deepEqual(consoleErrors, []);
  });

  it('can be turned; the model then takes its place under the same camera', async (t) => {
    const { page, held, consoleErrors } = await openPreview(t);
    const home = await findPixels(page, isBlue);
    assert.ok(home.count > 10_000);
    await waitForPictureChange(page, async () => {
      await page.mouse.move(300, 200);
      await page.mouse.down();
      await page.mouse.move(380, 230, { steps: 3 });
      await page.mouse.up();
    });
    const turned = await findPixels(page, isBlue);
    assert.notEqual(turned.count, home.count);
    held.letGo();
    await waitForState(page, 'ready');
    await waitForStablePicture(page);
    const { left, right, top, bottom } = await findPixels(page, isGreen);
    for (const [now, then] of [
      [left, turned.left],
      [right, turned.right],
      [top, turned.top],
      [bottom, turned.bottom],
    ] as const) {
      assert.ok(Math.abs(now - then) <= 1, `${now}, and ${then} before`);
    }
    assert.deepEqual(consoleErrors, []);
  });

  it('is what follows it, to the eye: no jump, no blink', async (t) => {
    const same = { files: { '/preview.glb': model } };
    const { page, held } = await openPreview(t, same);
    const then = (await readScreenPixels(page)).data;
    held.letGo();
    let ready = false;
    const isReady = waitForState(page, 'ready').then(() => {
      ready = true;
    });
    for (let more = 3; more > 0; more -= Number(ready)) {
      const now = (await readScreenPixels(page)).data;
      const off = now.reduce((sum, value, index) => sum + Math.abs(value - (then[index] ?? 0)), 0);
      // The line of the progress comes and goes meanwhile.
      assert.ok(off / now.length < 0.4, `${off / now.length}`);
    }
    await isReady;
  });

  it('is seen whole even when the preview was of another shape', async (t) => {
    const { page, held } = await openPreview(t, { model: createBoxGlb({ size: [0.4, 2, 0.4] }) });
    held.letGo();
    await waitForState(page, 'ready');
    await waitForStablePicture(page);
    const { top, bottom } = await findPixels(page, isGreen);
    assert.ok((bottom - top) / 400 > 0.7 && (bottom - top) / 400 < 0.85, `${top} to ${bottom}`);
  });

  const failures: [why: string, file: Uint8Array | ((response: ServerResponse) => void)][] = [
    ['breaks off', (response) => response.destroy()],
    ['is no model', new Uint8Array([1, 2, 3])],
  ];
  for (const [why, file] of failures) {
    it(`is the model itself when the preview ${why}`, async (t) => {
      const files = { '/preview.glb': file };
      const { page } = await openEmbeddedViewer(t, browser, {
        model,
        files,
        config: createConfig(),
      });
      await waitForState(page, 'ready');
      await waitForStablePicture(page);
      assert.ok((await findPixels(page, isGreen)).count > 10_000);
    });
  }

  it('stays when the model does not come, until it comes', async (t) => {
    const modelHandler = (response: ServerResponse) =>
      sendProblem(response, 503, 'server.unavailable', 'Not now.');
    const { server, page, frame } = await openPreview(t, { modelHandler });
    const again = frame.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    assert.match(await frame.locator('#preview-notice').innerText(), /Only a likeness/);
    assert.ok((await findPixels(page, isBlue)).count > 10_000);
    server.setOptions({ model, config: createConfig() });
    await again.click();
    await waitForState(page, 'ready');
    assert.equal(await again.isVisible(), false);
  });

  it('is all there is where there is no WebGL: the poster, and words', async (t) => {
    const script = () => {
      const get = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string) {
        return kind === '2d' ? get.call(this, kind) : null;
      } as never;
    };
    const red = { width: 400, height: 300, channels: 3, background: '#e01010' } as const;
    const description = 'Oak, oiled. <img src=x onerror="alert(1)">';
    const served = {
      files: { '/preview.glb': preview, '/p.webp': await sharp({ create: red }).webp().toBuffer() },
      config: createConfig({
        design: { id: '00000000-0000-4000-8000-000000000000', name: 'A chair', description },
        posters: [{ url: '/p.webp', width: 400, height: 300 }],
      }),
    };
    const { page, frame, consoleErrors } = await openEmbeddedViewer(t, browser, served, { script });
    await waitForState(page, 'failed');
    await frame.getByRole('img', { name: 'A chair' }).waitFor();
    await waitForStablePicture(page);
    assert.ok((await findPixels(page, isRed)).count > 100_000);
    assert.equal(await frame.locator('#description').textContent(), description);
    assert.match(await frame.locator('#error').innerText(), /can’t show 3D/);
    assert.deepEqual(consoleErrors, []);
  });

  it('in the page for the picture is nothing: the picture is of the model alone', async (t) => {
    const server = await openViewerServer({ model, config: createConfig({ posterMode: true }) });
    t.after(() => server[Symbol.asyncDispose]());
    const page = await browser.newPage({ viewport: { width: 600, height: 400 } });
    t.after(() => page.close());
    await page.goto(server.frameUrl);
    await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
    const png = await page.screenshot({ omitBackground: true });
    const still = await sharp(png).ensureAlpha().raw().toBuffer();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.background), '#dfe2e7');
    assert.deepEqual([...still.subarray(0, 4)], [0, 0, 0, 0]);
    assert.doesNotMatch(server.requestedPaths.join(' '), /preview|attend/);

    const served = { model, config: createConfig({ preview: undefined } as never) };
    const framed = await openEmbeddedViewer(t, browser, served, { deviceScaleFactor: 1 });
    await waitForState(framed.page, 'ready');
    await waitForControls(framed.frame);
    const { data } = await readScreenPixels(framed.page);
    let [solid, off] = [0, 0];
    for (let pixel = 0; pixel < data.length / 3; pixel++) {
      if (still[pixel * 4 + 3] !== 255) continue;
      solid++;
      for (let part = 0; part < 3; part++) {
        off = Math.max(
          off,
          Math.abs((still[pixel * 4 + part] ?? 0) - (data[pixel * 3 + part] ?? 0)),
        );
      }
    }
    assert.ok(solid > 20_000, `${solid} pixels`);
    assert.ok(off <= 2, `${off}`);
    const shadow = still.filter((value, index) => index % 4 === 3 && value > 20 && value < 200);
    assert.ok(shadow.length > 2000, `${shadow.length} pixels of shadow`);
  });
});
