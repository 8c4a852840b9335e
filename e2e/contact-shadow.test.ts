import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createMeshDocument, createRodMesh } from '@cloche/pipeline/testing/shadow-models';
import { WebIO } from '@gltf-transform/core';
import type { Browser, CDPSession, Page, Route } from 'playwright-core';
import sharp from 'sharp';
import { waitUntil } from '../scripts/wait-until.ts';
import { isGreen, readScreenPixels } from '../viewer/testing/embedded-viewer.ts';
import { ApiClient } from './api-client.ts';
import { openChromium } from './chromium.ts';
import { makeHighPolyModel } from './round-trip-models.ts';
import { ServiceProcess } from './service-process.ts';
import { TestSites } from './test-sites.ts';

const [WIDTH, HEIGHT] = [480, 360];
/** Of the mean brightness of the shadow's pixels. */
const TOLERANCE = 5;

type Rgba = { data: Buffer; width: number; height: number };

/** Opens a service that renders posters. */
async function openService(t: TestContext) {
  return ServiceProcess.open(t, { CLOCHE_CHROMIUM: process.env.CLOCHE_CHROMIUM });
}

/** Uploads a model and downloads its poster, in the size of the frame. */
async function uploadWithPoster(client: ApiClient, model: Uint8Array) {
  const { body, text } = await client.upload(model);
  assert.equal(body.status, 'ready', text);
  const config = await client.getViewerConfig(body.id);
  const bytes = await client.getArtifact(config, config.posters?.at(-1)?.url);
  const { data, info } = await sharp(bytes)
    .resize(WIDTH, HEIGHT)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { id: body.id, config, poster: { data, width: info.width, height: info.height } };
}

/** The pixels of a poster that show only shadow: black, with a visible opacity. */
function findShadowPixels({ data }: Rgba): number[] {
  const pixels: number[] = [];
  for (let offset = 0; offset < data.length; offset += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(offset, offset + 4);
    if (Math.max(red, green, blue) < 40 && alpha > 25 && alpha < 200) pixels.push(offset / 4);
  }
  return pixels;
}

describe('the shadow of an uploaded model', () => {
  it('is in every frame of a load: poster, preview, model, and between them', async (t) => {
    const service = await openService(t);
    const client = await ApiClient.create(service);
    const { id, config, poster } = await uploadWithPoster(client, makeHighPolyModel());
    const shadow = findShadowPixels(poster);
    assert.ok(shadow.length > 500, `the shadow has ${shadow.length} pixels`);

    const sites = await TestSites.open(t);
    const { url } = await client.createDocumentRequest(id, sites.getOrigin('shop.test'));
    const html = `<style>body{margin:0}</style><iframe src="${url}" width="${WIDTH}" height="${HEIGHT}" style="border:0;display:block"></iframe>`;
    const browser = await openChromium();
    t.after(() => browser.close());
    const page = await openPage(browser);
    const release = await delayRequests(page, [config.preview?.url, config.model.url]);
    const frames = await recordFrames(page);
    await page.goto(sites.addPage('shop.test', '/', html));

    const waitForPicture = (name: string) =>
      waitUntil(name, async () => isModelVisible(await readScreenPixels(page)));
    const waitForState = (state: string) =>
      page.frames()[1]?.waitForSelector(`html[data-state="${state}"]`);
    await waitForPicture('the poster is visible');
    release(config.preview?.url);
    await waitForState('preview');
    await page.frames()[1]?.locator('#toolbar').waitFor({ state: 'visible' });
    release(config.model.url);
    await waitForState('ready');
    await waitForPicture('the model is visible');
    const last = await readScreenPixels(page);
    const reference = meanBrightness(last, shadow);
    const background = meanBrightness(last, [0, WIDTH - 1]);
    assert.ok(background - reference > 15, `${reference} on a background of ${background}`);

    const recorded = (await frames.stop()).filter(isModelVisible);
    const brightness = recorded.map((frame) => Math.round(meanBrightness(frame, shadow)));
    t.diagnostic(`${recorded.length} frames, brightness ${brightness.join(' ')}`);
    assert.ok(recorded.length >= 3, `${recorded.length} frames`);
    for (const value of brightness) {
      assert.ok(Math.abs(value - reference) < TOLERANCE, `${brightness}, at last ${reference}`);
    }
  });

  it('has no streaks below a thin rod', async (t) => {
    const service = await openService(t);
    const client = await ApiClient.create(service);
    const model = await new WebIO().writeBinary(createMeshDocument([createRodMesh(0.01, 1)]));
    const { poster } = await uploadWithPoster(client, model);
    const shadow = findShadowPixels(poster);
    assert.ok(shadow.length > 5, `the shadow has ${shadow.length} pixels`);
    const rows = Map.groupBy(shadow, (pixel) => Math.floor(pixel / WIDTH));
    for (const [row] of rows) assertOneMaximum(poster, row);
  });
});

/** Asserts that the opacity of a row of pixels increases, and then decreases. */
function assertOneMaximum({ data }: Rgba, row: number): void {
  const alphas = Array.from({ length: WIDTH }, (_, x) => data[(row * WIDTH + x) * 4 + 3] as number);
  const peak = alphas.indexOf(Math.max(...alphas));
  const isAscending = (values: number[]) => {
    let max = 0;
    return values.every((value) => {
      max = Math.max(max, value);
      return value > max - TOLERANCE;
    });
  };
  const text = `row ${row}: ${alphas}`;
  assert.ok(isAscending(alphas.slice(0, peak + 1)), text);
  assert.ok(isAscending(alphas.slice(peak).reverse()), text);
}

/** Opens a page in which the controls do not cover the shadow. */
async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width: WIDTH, height: HEIGHT },
    reducedMotion: 'reduce',
  });
  await page.addInitScript(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('#toolbar, #progress, #hint { opacity: 0 !important; }');
    document.adoptedStyleSheets = [sheet];
  });
  return page;
}

/** Delays the responses for some paths until they are released. */
async function delayRequests(page: Page, paths: readonly (string | undefined)[]) {
  const released = new Map(paths.map((path) => [path, Promise.withResolvers<void>()]));
  for (const [path, { promise }] of released) {
    assert.ok(path, 'the model has no preview');
    await page.route(`**${path}`, async (route: Route) => {
      await promise;
      await route.continue();
    });
  }
  return (path: string | undefined) => released.get(path)?.resolve();
}

/** Records every frame that the browser shows. */
async function recordFrames(page: Page) {
  const session: CDPSession = await page.context().newCDPSession(page);
  const pngs: string[] = [];
  session.on('Page.screencastFrame', ({ data, sessionId }) => {
    pngs.push(data);
    session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
  });
  await session.send('Page.startScreencast', { format: 'png', everyNthFrame: 1 });
  return {
    async stop() {
      await session.send('Page.stopScreencast');
      return Promise.all(pngs.map((png) => readPng(Buffer.from(png, 'base64'))));
    },
  };
}

async function readPng(png: Buffer): Promise<Rgb> {
  const { data, info } = await sharp(png)
    .resize(WIDTH, HEIGHT)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width };
}

/** Pixels: red, green, blue, red, … */
type Rgb = { data: Buffer; width: number };

function isModelVisible({ data }: Rgb): boolean {
  const offset = 3 * (WIDTH * (HEIGHT / 2) + WIDTH / 2);
  return isGreen(data[offset] ?? 0, data[offset + 1] ?? 0, data[offset + 2] ?? 0);
}

function meanBrightness({ data }: Rgb, pixels: readonly number[]): number {
  const values = pixels.map((pixel) => data[3 * pixel + 1] as number);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
