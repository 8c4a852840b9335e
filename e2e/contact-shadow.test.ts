import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createMeshDocument, createRodMesh } from '@cloche/pipeline/testing/shadow-models';
import { WebIO } from '@gltf-transform/core';
import type { CDPSession, Frame, Page, Route } from 'playwright-core';
import sharp from 'sharp';
import {
  isGreen,
  readScreenPixels,
  waitForStablePicture,
} from '../viewer/testing/embedded-viewer.ts';
import { ApiClient } from './api-client.ts';
import { extendTimeLimits } from './extend-time-limits.ts';
import { makeHighPolyModel } from './round-trip-models.ts';
import { ServiceProcess } from './service-process.ts';
import { openSharedChromium, type SharedBrowser } from './shared-chromium.ts';
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

/** The pixels of a poster that show only shadow: black, with an opacity of at least `minAlpha` of 255. */
function findShadowPixels({ data }: Rgba, minAlpha = 25): number[] {
  const pixels: number[] = [];
  for (let offset = 0; offset < data.length; offset += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(offset, offset + 4);
    if (Math.max(red, green, blue) < 40 && alpha >= minAlpha && alpha < 200)
      pixels.push(offset / 4);
  }
  return pixels;
}

describe('the shadow of an uploaded model', () => {
  it('is in every frame of a load: inline poster, poster, preview, model, and between them', async (t) => {
    const service = await openService(t);
    const client = await ApiClient.create(service);
    const { id, config, poster } = await uploadWithPoster(client, makeHighPolyModel());
    const shadow = findShadowPixels(poster);
    assert.ok(shadow.length > 500, `the shadow has ${shadow.length} pixels`);

    const sites = await TestSites.open(t);
    const { url } = await client.createDocumentRequest(id, sites.getOrigin('shop.test'));
    const html = `<style>body{margin:0}</style><iframe src="${url}" width="${WIDTH}" height="${HEIGHT}" style="border:0;display:block"></iframe>`;
    const browser = await openSharedChromium();
    t.after(() => browser.close());
    const page = await openPage(browser);
    const posterUrls = config.posters?.map(({ url }) => url) ?? [];
    const modelUrls = [config.model, ...(config.levels?.geometries ?? [])].map(({ url }) => url);
    const files = [...posterUrls, config.preview?.url, ...modelUrls];
    const release = await delayRequests(page, files);
    await page.goto(sites.addPage('shop.test', '/', html), { waitUntil: 'commit' });
    const frame = await getFramedDocument(page);
    await frame.waitForSelector('#inline-poster', { state: 'visible' });
    await waitForStablePicture(page);

    const recording = await recordFrames(page);
    const pictures = [await readScreenPixels(page)];
    for (const url of posterUrls) release(url);
    await frame.waitForSelector('html[data-poster] #poster', { state: 'visible' });
    assert.equal(await frame.locator('#inline-poster').isVisible(), false);
    await waitForStablePicture(page);
    pictures.push(await readScreenPixels(page));
    release(config.preview?.url);
    await frame.waitForSelector('html[data-state="preview"]');
    await frame.locator('#toolbar').waitFor({ state: 'visible' });
    // A touch replaces the poster with the preview.
    await page.mouse.click(WIDTH / 2, HEIGHT / 2);
    await waitForStablePicture(page);
    pictures.push(await readScreenPixels(page));
    for (const url of new Set(modelUrls)) release(url);
    await frame.waitForSelector('html[data-state="ready"]');
    await waitForStablePicture(page);
    pictures.push(await readScreenPixels(page));
    pictures.push(...(await recording.stop()));

    const background = meanBrightness(pictures[0] as Rgb, [0, WIDTH - 1]);
    const brightness = pictures.map((picture) => Math.round(meanBrightness(picture, shadow)));
    t.diagnostic(`${shadow.length} pixels on ${background}; ${brightness.length} frames`);
    assert.ok(pictures.length > 3, 'no frame was recorded');
    const reference = brightness[0] as number;
    assert.ok(reference < background - 15, `${reference} on a background of ${background}`);
    for (const [index, value] of brightness.entries()) {
      assert.ok(isModelVisible(pictures[index] as Rgb), `frame ${index} shows no model`);
      assert.ok(Math.abs(value - reference) < TOLERANCE, `${brightness}`);
    }
  });

  it('has no streaks and no gaps below a thin rod', async (t) => {
    const service = await openService(t);
    const client = await ApiClient.create(service);
    const document = createMeshDocument([createRodMesh(0.002, 1, 8)]);
    // Leaning, 10° above the ground.
    const [sin, cos] = [Math.sin((40 * Math.PI) / 180), Math.cos((40 * Math.PI) / 180)];
    document
      .getRoot()
      .listNodes()[0]
      ?.setRotation([sin * 0.4, 0, sin * 0.9165, cos]);
    const { poster } = await uploadWithPoster(client, await new WebIO().writeBinary(document));
    const unevenness = measureUnevenness(sumColumns(poster));
    t.diagnostic(`unevenness ${unevenness.toFixed(3)}`);
    assert.ok(unevenness < 0.05, `${unevenness}`);
  });
});

/** Sums the opacity of the shadow in each column of pixels. Returns the columns that have some. */
function sumColumns(poster: Rgba): number[] {
  const sums = new Array<number>(poster.width).fill(0);
  for (const pixel of findShadowPixels(poster, 5)) {
    const column = pixel % poster.width;
    sums[column] = (sums[column] as number) + (poster.data[4 * pixel + 3] as number);
  }
  return sums.filter((sum) => sum > 0);
}

/** The mean difference between values and their moving average, relative to their mean. Without the ends. */
function measureUnevenness(values: readonly number[]): number {
  assert.ok(values.length > 100, `${values.length} columns`);
  const average = (index: number, radius: number) =>
    mean(values.slice(index - radius, index + radius + 1));
  const middle = [...values.keys()].slice(
    Math.round(values.length * 0.15),
    Math.round(values.length * 0.7),
  );
  const differences = middle.map((index) => Math.abs(average(index, 2) - average(index, 15)));
  return mean(differences) / mean(middle.map((index) => values[index] as number));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Opens a page in which the controls do not cover the shadow. */
async function openPage(browser: SharedBrowser): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width: WIDTH, height: HEIGHT },
    reducedMotion: 'reduce',
  });
  // The viewer's limit for a file that does not arrive would end a load on a slow machine.
  await page.addInitScript(extendTimeLimits);
  await page.addInitScript(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('#toolbar, #progress, #hint { opacity: 0 !important; }');
    document.adoptedStyleSheets = [sheet];
  });
  return page;
}

async function getFramedDocument(page: Page): Promise<Frame> {
  const element = await page.waitForSelector('iframe');
  return (await element.contentFrame()) ?? assert.fail('The iframe has no document.');
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
  return mean(pixels.map((pixel) => data[3 * pixel + 1] as number));
}
