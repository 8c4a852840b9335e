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
import type { Framed } from '@cloche/contract/framed';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { openChromium } from '../../e2e/chromium.ts';
import { openServer, type Served, type Server } from '../../viewer/testing/serve.ts';
import { median, type Row } from '../table.ts';
import { type Made, make } from './make.ts';
import { readUploads } from './models.ts';

type Line = { name: string; bytesPerSecond: number; latencyMs: number };
type Way = { name: string; served: Served };
type Times = { poster: number; first: number; model: number };

const ROUNDS = 3;
const SETTLE_MS = 1500;
const PATIENCE_MS = 120_000;
const FRAME = { width: '800px', height: '600px' };
const POSTER = { width: 480, height: 360 };
// Of one site, so that one process, and with it one emulated line, serves page and frame.
const HOSTS = { page: 'shop.bench.localhost', frame: 'cloche.bench.localhost' };

const LINES: readonly Line[] = [
  { name: 'no throttle', bytesPerSecond: -1, latencyMs: 0 },
  { name: '20 Mbit/s', bytesPerSecond: 20e6 / 8, latencyMs: 40 },
  { name: '1.6 Mbit/s', bytesPerSecond: 1.6e6 / 8, latencyMs: 150 },
];

/** Prints all times, and gives the first frame with a preview against that without one. */
export async function benchFirstFrame(): Promise<Row[]> {
  const browser = await openChromium();
  try {
    const rows: Row[] = [];
    for (const upload of await readUploads()) {
      const made = await make(upload);
      console.log(`${made.name}, kB: ${describe(made)}`);
      const ways = waysOf(made, await takePoster(browser, made));
      for (const line of LINES) rows.push(await compare(browser, { made, ways, line }));
    }
    return rows;
  } finally {
    await browser.close();
  }
}

/** What there was before, and step by step what there is now. */
function waysOf({ upload, model, preview, bounds }: Made, poster: Uint8Array): Way[] {
  const told = (file: Uint8Array, more: Partial<Framed> = {}): Served => ({
    model: file,
    files: { '/preview.glb': preview, '/poster.webp': poster },
    framed: { model: { url: '/model.glb', bytes: file.byteLength, bounds }, ...more },
    frame: FRAME,
    hosts: HOSTS,
  });
  const first = { preview: { url: '/preview.glb', bytes: preview.byteLength } };
  const look = { background: '#dfe2e7' };
  const posters = [{ url: '/poster.webp', ...POSTER }];
  return [
    { name: 'the upload as it is', served: told(upload) },
    { name: 'the model', served: told(model) },
    { name: 'preview, then model', served: told(model, first) },
    { name: 'poster, preview, model', served: told(model, { ...first, look, posters }) },
  ];
}

type Trial = { made: Made; ways: readonly Way[]; line: Line };

async function compare(browser: Browser, { made, ways, line }: Trial): Promise<Row> {
  const firsts: number[] = [];
  for (const [index, { name, served }] of ways.entries()) {
    await using server = await openServer(served);
    const rounds = index === 0 ? 1 : ROUNDS;
    const all: Times[] = [];
    for (let round = 0; round < rounds; round++) all.push(await time(browser, server, line));
    const { poster, first, model } = medians(all);
    firsts.push(first);
    const posterText = Number.isNaN(poster) ? '' : `, poster ${poster}`;
    console.log(`  ${line.name}: ${name}: first frame ${first} ms, model ${model} ms${posterText}`);
  }
  const [, without = 0, preview = 0] = firsts;
  const what = `first frame of ${made.name}, ${line.name}`;
  return { what, ours: preview, other: without, ratio: without / preview, unit: 'ms', target: '' };
}

/** Opens the page once, in a browser that has seen nothing. */
async function time(browser: Browser, server: Server, line: Line): Promise<Times> {
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
    await page.waitForTimeout(SETTLE_MS);
    const start = await page.evaluate(openFrame, { src: server.frameUrl, ...FRAME });
    const frame = await page.waitForSelector('iframe').then((element) => element.contentFrame());
    const ready = 'html[data-state="ready"]';
    await frame?.waitForSelector(ready, { timeout: PATIENCE_MS, state: 'attached' });
    const marks = await frame?.evaluate(() =>
      Object.fromEntries(
        performance
          .getEntriesByType('mark')
          .map(({ name, startTime }) => [name, performance.timeOrigin + startTime]),
      ),
    );
    const since = (name: string) => Math.round((marks?.[name] ?? Number.NaN) - start);
    const first = since('cloche-first-frame');
    const model = since('cloche-model-frame');
    return { poster: since('cloche-poster'), first, model: Number.isNaN(model) ? first : model };
  } finally {
    await context.close();
  }
}

/** In the page: frames the document, and says when. */
async function openFrame({ src, width, height }: typeof FRAME & { src: string }): Promise<number> {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const frame = document.createElement('iframe');
  Object.assign(frame, { src, width: parseInt(width, 10), height: parseInt(height, 10) });
  document.body.append(frame);
  return performance.timeOrigin + performance.now();
}

/** As the service does it: with the page that stands for its picture. */
async function takePoster(browser: Browser, { model, bounds }: Made): Promise<Uint8Array> {
  const framed = { model: { url: '/model.glb', bytes: model.byteLength, bounds }, still: true };
  await using server = await openServer({ model, framed, hosts: HOSTS });
  const page = await browser.newPage({ viewport: POSTER });
  await page.goto(server.frameUrl);
  await page.waitForSelector('html[data-state="ready"]', { timeout: 60_000, state: 'attached' });
  const png = await page.screenshot({ omitBackground: true });
  await page.close();
  return sharp(png).webp({ quality: 82 }).toBuffer();
}

function medians(all: readonly Times[]): Times {
  const of = (name: keyof Times) => median(all.map((times) => times[name]));
  return { poster: of('poster'), first: of('first'), model: of('model') };
}

function describe({ upload, model, preview }: Made): string {
  const kilo = (file: Uint8Array) => Math.round(file.byteLength / 1000);
  return `upload ${kilo(upload)}, model ${kilo(model)}, preview ${kilo(preview)}`;
}
