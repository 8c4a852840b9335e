/**
 * Measures the time from adding the iframe to the first frame with the model, by the performance
 * marks of the viewer, with an empty cache.
 *
 * Chromium emulates the network: no throttle; 20 Mbit/s with 40 ms; 1.6 Mbit/s with 150 ms. Scripts
 * are compressed with Brotli. Median of `ROUNDS`; source files are measured once.
 *
 * November 2026, two cores, no GPU; ms until the first frame / the model, and until the poster:
 *
 *                                 no throttle    20 Mbit/s      1.6 Mbit/s
 *   FlightHelmet, source file    470            3396           37200          7159 kB
 *   … processed model             389            853            5985           852 kB
 *   … after a preview             312 / 1849     438 / 1993     1892 / 6284    93 kB before it
 *   … after poster and preview    330 / 1835     450 / 1989     1868 / 6313    poster 133, 137, 608
 *   WaterBottle, source file     608            4563           48369          9374 kB
 *   … processed model             427            678            2768           212 kB
 *   … after a preview             294 / 1944     383 / 2038     1642 / 3005    62 kB before it
 *   … after poster and preview    295 / 1446     404 / 2044     1657 / 3042    poster 158, 148, 547
 *
 * The first frame is marked when its draw calls were issued. A model that replaces a preview is marked
 * when its shaders are compiled and its textures uploaded. In software rendering this takes a second
 * more; the other scenarios spend that time after their mark.
 */
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { openChromium } from '../../e2e/chromium.ts';
import {
  openViewerServer,
  type ViewerServer,
  type ViewerServerOptions,
} from '../../viewer/testing/test-server.ts';
import { type BenchResult, median } from '../bench-result.ts';
import { type PreparedModel, prepareModel } from './prepare-model.ts';
import { readSourceModels } from './source-models.ts';

type NetworkProfile = { name: string; bytesPerSecond: number; latencyMs: number };
type Scenario = { name: string; serverOptions: ViewerServerOptions };
type FrameTimes = { posterMs: number; firstFrameMs: number; modelMs: number };

const ROUNDS = 3;
const IDLE_WAIT_MS = 1500;
const TIMEOUT_MS = 120_000;
const FRAME_SIZE = { width: '800px', height: '600px' };
const POSTER_SIZE = { width: 480, height: 360 };
// Host names of one site: page and frame share a process, and with it the emulated network.
const HOSTS = { page: 'shop.bench.localhost', frame: 'cloche.bench.localhost' };

const NETWORK_PROFILES: readonly NetworkProfile[] = [
  { name: 'no throttle', bytesPerSecond: -1, latencyMs: 0 },
  { name: '20 Mbit/s', bytesPerSecond: 20e6 / 8, latencyMs: 40 },
  { name: '1.6 Mbit/s', bytesPerSecond: 1.6e6 / 8, latencyMs: 150 },
];

/** Prints all times; returns the time to the first frame with a preview and without one. */
export async function benchFirstFrame(): Promise<BenchResult[]> {
  const browser = await openChromium();
  try {
    const rows: BenchResult[] = [];
    for (const sourceModel of await readSourceModels()) {
      const prepared = await prepareModel(sourceModel);
      console.log(`${prepared.name}, kB: ${formatSizes(prepared)}`);
      const scenarios = createScenarios(prepared, await renderPoster(browser, prepared));
      for (const network of NETWORK_PROFILES)
        rows.push(await compareScenarios(browser, { prepared, scenarios, network }));
    }
    return rows;
  } finally {
    await browser.close();
  }
}

/**
 * Creates the scenarios: the source file, the model, the model after a preview, and the model after a
 * poster and a preview.
 */
function createScenarios(
  { sourceFile, model, preview, bounds }: PreparedModel,
  poster: Uint8Array,
): Scenario[] {
  const toServerOptions = (
    file: Uint8Array,
    extra: Partial<ViewerConfig> = {},
  ): ViewerServerOptions => ({
    model: file,
    files: { '/preview.glb': preview, '/poster.webp': poster },
    config: { model: { url: '/model.glb', bytes: file.byteLength, bounds }, ...extra },
    frameSize: FRAME_SIZE,
    hosts: HOSTS,
  });
  const withPreview = { preview: { url: '/preview.glb', bytes: preview.byteLength } };
  const posterPlaceholder = { background: '#dfe2e7' };
  const posters = [{ url: '/poster.webp', ...POSTER_SIZE }];
  return [
    { name: 'source file', serverOptions: toServerOptions(sourceFile) },
    { name: 'model', serverOptions: toServerOptions(model) },
    { name: 'preview, then model', serverOptions: toServerOptions(model, withPreview) },
    {
      name: 'poster, preview, model',
      serverOptions: toServerOptions(model, { ...withPreview, posterPlaceholder, posters }),
    },
  ];
}

type ComparisonOptions = {
  prepared: PreparedModel;
  scenarios: readonly Scenario[];
  network: NetworkProfile;
};

async function compareScenarios(
  browser: Browser,
  { prepared, scenarios, network }: ComparisonOptions,
): Promise<BenchResult> {
  const firstFrameTimes: number[] = [];
  for (const [index, { name, serverOptions }] of scenarios.entries()) {
    await using server = await openViewerServer(serverOptions);
    const rounds = index === 0 ? 1 : ROUNDS;
    const all: FrameTimes[] = [];
    for (let round = 0; round < rounds; round++)
      all.push(await measureFrameTimes(browser, server, network));
    const { posterMs, firstFrameMs, modelMs } = toMedianTimes(all);
    firstFrameTimes.push(firstFrameMs);
    const posterText = Number.isNaN(posterMs) ? '' : `, poster ${posterMs}`;
    console.log(
      `  ${network.name}: ${name}: first frame ${firstFrameMs} ms, model ${modelMs} ms${posterText}`,
    );
  }
  const [, withoutPreview = 0, withPreview = 0] = firstFrameTimes;
  const label = `first frame of ${prepared.name}, ${network.name}`;
  return {
    label,
    ours: withPreview,
    baseline: withoutPreview,
    ratio: withoutPreview / withPreview,
    unit: 'ms',
    goal: '',
  };
}

/** Opens the page once, in a browser context with an empty cache. */
async function measureFrameTimes(
  browser: Browser,
  server: ViewerServer,
  network: NetworkProfile,
): Promise<FrameTimes> {
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 } });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: network.latencyMs,
      downloadThroughput: network.bytesPerSecond,
      uploadThroughput: network.bytesPerSecond,
    });
    await page.goto(server.hostUrl.replace('/host', '/empty'));
    // Software GL can be busy with the previous page for seconds.
    await page.waitForTimeout(IDLE_WAIT_MS);
    const start = await page.evaluate(insertFrame, { src: server.frameUrl, ...FRAME_SIZE });
    const frame = await page.waitForSelector('iframe').then((element) => element.contentFrame());
    const ready = 'html[data-state="ready"]';
    await frame?.waitForSelector(ready, { timeout: TIMEOUT_MS, state: 'attached' });
    const marks = await frame?.evaluate(() =>
      Object.fromEntries(
        performance
          .getEntriesByType('mark')
          .map(({ name, startTime }) => [name, performance.timeOrigin + startTime]),
      ),
    );
    const getElapsedMs = (name: string) => Math.round((marks?.[name] ?? Number.NaN) - start);
    const firstFrameMs = getElapsedMs('cloche-first-frame');
    const model = getElapsedMs('cloche-model-frame');
    return {
      posterMs: getElapsedMs('cloche-poster'),
      firstFrameMs,
      modelMs: Number.isNaN(model) ? firstFrameMs : model,
    };
  } finally {
    await context.close();
  }
}

/** Runs in the page: adds the iframe and returns the time. */
async function insertFrame({
  src,
  width,
  height,
}: typeof FRAME_SIZE & { src: string }): Promise<number> {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const frame = document.createElement('iframe');
  Object.assign(frame, { src, width: parseInt(width, 10), height: parseInt(height, 10) });
  document.body.append(frame);
  return performance.timeOrigin + performance.now();
}

/** Renders a poster in poster mode, as the service does. */
async function renderPoster(
  browser: Browser,
  { model, bounds }: PreparedModel,
): Promise<Uint8Array> {
  const config = {
    model: { url: '/model.glb', bytes: model.byteLength, bounds },
    posterMode: true,
  };
  await using server = await openViewerServer({ model, config, hosts: HOSTS });
  const page = await browser.newPage({ viewport: POSTER_SIZE });
  await page.goto(server.frameUrl);
  await page.waitForSelector('html[data-state="ready"]', { timeout: 60_000, state: 'attached' });
  const png = await page.screenshot({ omitBackground: true });
  await page.close();
  return sharp(png).webp({ quality: 82 }).toBuffer();
}

function toMedianTimes(all: readonly FrameTimes[]): FrameTimes {
  const medianOf = (name: keyof FrameTimes) => median(all.map((times) => times[name]));
  return {
    posterMs: medianOf('posterMs'),
    firstFrameMs: medianOf('firstFrameMs'),
    modelMs: medianOf('modelMs'),
  };
}

function formatSizes({ sourceFile, model, preview }: PreparedModel): string {
  const toKilobytes = (file: Uint8Array) => Math.round(file.byteLength / 1000);
  return `source file ${toKilobytes(sourceFile)}, model ${toKilobytes(model)}, preview ${toKilobytes(preview)}`;
}
