/**
 * How long until the design is seen: from the moment when a page gets its frame to the first frame
 * with the model's pixels, by the viewer's own marks, with an empty cache.
 *
 * Lines are Chromium's emulation: no throttle; 20 Mbit/s with 40 ms; 1.6 Mbit/s with 150 ms. Scripts
 * come as brotli. Median of `ROUNDS`; uploads as they are, megabytes, are measured once.
 *
 * November 2026, two cores and no GPU; ms until the first frame / until the model, and until the poster:
 *
 *                                 no throttle    20 Mbit/s      1.6 Mbit/s
 *   FlightHelmet as uploaded      470            3396           37200          7159 kB
 *   … as we make it               389            853            5985           852 kB
 *   … after a preview             312 / 1849     438 / 1993     1892 / 6284    93 kB before it
 *   … after poster and preview    330 / 1835     450 / 1989     1868 / 6313    poster 133, 137, 608
 *   WaterBottle as uploaded       608            4563           48369          9374 kB
 *   … as we make it               427            678            2768           212 kB
 *   … after a preview             294 / 1944     383 / 2038     1642 / 3005    62 kB before it
 *   … after poster and preview    295 / 1446     404 / 2044     1657 / 3042    poster 158, 148, 547
 *
 * A first frame is marked when its commands are given, the model after a preview when its shaders are
 * compiled and its textures are with the GPU, so that the change is not seen: in software that is a
 * second more, which the other ways spend after their mark.
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
type Scenario = { name: string; served: ViewerServerOptions };
type FrameTimes = { posterMs: number; firstFrameMs: number; modelMs: number };

const ROUNDS = 3;
const IDLE_WAIT_MS = 1500;
const TIMEOUT_MS = 120_000;
const FRAME_SIZE = { width: '800px', height: '600px' };
const POSTER_SIZE = { width: 480, height: 360 };
// Of one site, so that one process, and with it one emulated line, serves page and frame.
const HOSTS = { page: 'shop.bench.localhost', frame: 'cloche.bench.localhost' };

const NETWORK_PROFILES: readonly NetworkProfile[] = [
  { name: 'no throttle', bytesPerSecond: -1, latencyMs: 0 },
  { name: '20 Mbit/s', bytesPerSecond: 20e6 / 8, latencyMs: 40 },
  { name: '1.6 Mbit/s', bytesPerSecond: 1.6e6 / 8, latencyMs: 150 },
];

/** Prints all times, and gives the first frame with a preview against that without one. */
export async function benchFirstFrame(): Promise<BenchResult[]> {
  const browser = await openChromium();
  try {
    const rows: BenchResult[] = [];
    for (const upload of await readSourceModels()) {
      const prepared = await prepareModel(upload);
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

/** What there was before, and step by step what there is now. */
function createScenarios(
  { sourceFile, model, preview, bounds }: PreparedModel,
  poster: Uint8Array,
): Scenario[] {
  const told = (file: Uint8Array, more: Partial<ViewerConfig> = {}): ViewerServerOptions => ({
    model: file,
    files: { '/preview.glb': preview, '/poster.webp': poster },
    config: { model: { url: '/model.glb', bytes: file.byteLength, bounds }, ...more },
    frameSize: FRAME_SIZE,
    hosts: HOSTS,
  });
  const first = { preview: { url: '/preview.glb', bytes: preview.byteLength } };
  const posterPlaceholder = { background: '#dfe2e7' };
  const posters = [{ url: '/poster.webp', ...POSTER_SIZE }];
  return [
    { name: 'the upload as it is', served: told(sourceFile) },
    { name: 'the model', served: told(model) },
    { name: 'preview, then model', served: told(model, first) },
    {
      name: 'poster, preview, model',
      served: told(model, { ...first, posterPlaceholder, posters }),
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
  const firsts: number[] = [];
  for (const [index, { name, served }] of scenarios.entries()) {
    await using server = await openViewerServer(served);
    const rounds = index === 0 ? 1 : ROUNDS;
    const all: FrameTimes[] = [];
    for (let round = 0; round < rounds; round++)
      all.push(await measureFrameTimes(browser, server, network));
    const { posterMs, firstFrameMs, modelMs } = toMedianTimes(all);
    firsts.push(firstFrameMs);
    const posterText = Number.isNaN(posterMs) ? '' : `, poster ${posterMs}`;
    console.log(
      `  ${network.name}: ${name}: first frame ${firstFrameMs} ms, model ${modelMs} ms${posterText}`,
    );
  }
  const [, without = 0, preview = 0] = firsts;
  const label = `first frame of ${prepared.name}, ${network.name}`;
  return {
    label,
    ours: preview,
    baseline: without,
    ratio: without / preview,
    unit: 'ms',
    goal: '',
  };
}

/** Opens the page once, in a browser that has seen nothing. */
async function measureFrameTimes(
  browser: Browser,
  server: ViewerServer,
  line: NetworkProfile,
): Promise<FrameTimes> {
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 } });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: line.latencyMs,
      downloadThroughput: line.bytesPerSecond,
      uploadThroughput: line.bytesPerSecond,
    });
    await page.goto(server.hostUrl.replace('/host', '/empty'));
    // Software GL is busy for seconds, now and then, with the page that was left.
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
    const since = (name: string) => Math.round((marks?.[name] ?? Number.NaN) - start);
    const firstFrameMs = since('cloche-first-frame');
    const model = since('cloche-model-frame');
    return {
      posterMs: since('cloche-poster'),
      firstFrameMs,
      modelMs: Number.isNaN(model) ? firstFrameMs : model,
    };
  } finally {
    await context.close();
  }
}

/** In the page: frames the document, and says when. */
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

/** As the service does it: with the page that stands for its picture. */
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
  const of = (name: keyof FrameTimes) => median(all.map((times) => times[name]));
  return { posterMs: of('posterMs'), firstFrameMs: of('firstFrameMs'), modelMs: of('modelMs') };
}

function formatSizes({ sourceFile, model, preview }: PreparedModel): string {
  const kilo = (file: Uint8Array) => Math.round(file.byteLength / 1000);
  return `upload ${kilo(sourceFile)}, model ${kilo(model)}, preview ${kilo(preview)}`;
}
