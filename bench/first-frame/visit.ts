import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { type BenchBrowser, VIEWPORT } from './browser.ts';
import { FrameRecorder, type RecordedFrame } from './frame-recorder.ts';
import { findMilestones } from './milestones.ts';
import type { Network } from './network/network.ts';
import type { NetworkProfile } from './network/profiles.ts';
import type { ByteCount } from './network/worker.ts';
import { waitUntilQuiet } from './wait-until-quiet.ts';

/** What visits of a page with one or many iframes have in common. */
export type LoadOptions = {
  browser: BenchBrowser;
  network: Network;
  profile: NetworkProfile;
  /** The page that gets the iframes. */
  pageUrl: string;
  /** The page in each iframe. */
  frameUrl: string;
  /** The CSS that is added to the pages in the iframes. */
  css: string;
  timeoutMs: number;
};

export type VisitOptions = LoadOptions & {
  /** Stores the pictures here. */
  framesFolder: string | undefined;
};

/** What one visit measured. Times are milliseconds from the insertion of the iframe, bytes as on the wire. */
export type Visit = {
  usefulMs: number | undefined;
  recognizableMs: number | undefined;
  fullMs: number;
  usefulBytes: number | undefined;
  recognizableBytes: number | undefined;
  fullBytes: number;
  totalBytes: number;
  /** Total Blocking Time: of each task of the main thread, what exceeds 50 ms. */
  blockingMs: number;
  memoryBytes: number | undefined;
};

/** Opens a page, inserts the iframe, and measures until nothing changes anymore. */
export async function measureVisit(options: VisitOptions): Promise<Visit> {
  const { browser, network, frameUrl, timeoutMs } = options;
  const page = await browser.context.newPage();
  try {
    const recorder = await openRecordedPage(page, options);
    const start = await page.evaluate(insertFrame, { src: frameUrl, ...VIEWPORT });
    const frame = await getFrame(page);
    const counts = await waitUntilQuiet({ frames: [frame], recorder, network, timeoutMs });
    const blockingMs = await frame.evaluate(() => globalThis.benchBlockingMs ?? 0);
    const memoryBytes = await browser.measureMemory();
    const frames = await recorder.stop();
    if (options.framesFolder !== undefined) await storeFrames(frames, start, options.framesFolder);
    const milestones = await findMilestones(frames);
    const toMs = (at: number | undefined) => at && Math.round(at - start);
    const toBytes = (at: number | undefined) => at && countBytesUntil(counts, at);
    return {
      usefulMs: toMs(milestones.useful),
      recognizableMs: toMs(milestones.recognizable),
      fullMs: Math.round(milestones.full - start),
      usefulBytes: toBytes(milestones.useful),
      recognizableBytes: toBytes(milestones.recognizable),
      fullBytes: countBytesUntil(counts, milestones.full),
      totalBytes: counts.at(-1)?.bytes ?? 0,
      blockingMs: Math.round(blockingMs),
      memoryBytes,
    };
  } finally {
    await page.close();
  }
}

/** Opens the page that gets the iframes, sets the network, and starts to record. */
export async function openRecordedPage(
  page: Page,
  { css, pageUrl, network, profile }: LoadOptions,
): Promise<FrameRecorder> {
  await page.addInitScript(prepareFrame, css);
  await page.goto(pageUrl);
  await network.setProfile(profile);
  return FrameRecorder.start(page);
}

declare global {
  var benchBlockingMs: number | undefined;
}

/** Runs in each page before its scripts: counts long tasks, and adds the CSS. */
function prepareFrame(css: string): void {
  globalThis.benchBlockingMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries())
      globalThis.benchBlockingMs = (globalThis.benchBlockingMs ?? 0) + duration - 50;
  }).observe({ type: 'longtask', buffered: true });
  if (css === '' || top === self) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
}

/** Runs in the page: adds the iframe when the page is idle, and returns the time. */
async function insertFrame({
  src,
  width,
  height,
}: typeof VIEWPORT & { src: string }): Promise<number> {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const frame = document.createElement('iframe');
  Object.assign(frame, {
    src,
    width,
    height,
    allow: 'fullscreen',
    referrerPolicy: 'strict-origin',
  });
  document.body.append(frame);
  return performance.timeOrigin + performance.now();
}

async function getFrame(page: Page): Promise<Frame> {
  const frame = await page.waitForSelector('iframe').then((element) => element.contentFrame());
  if (frame === null) throw new Error('The iframe has no document.');
  return frame;
}

/** The name of a file is its time in milliseconds. */
async function storeFrames(
  frames: readonly RecordedFrame[],
  start: number,
  folder: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { at, image } of frames)
    await writeFile(join(folder, `${String(Math.round(at - start)).padStart(6, '0')}.jpg`), image);
}

function countBytesUntil(counts: readonly ByteCount[], time: number): number {
  return counts.findLast(({ at }) => at <= time)?.bytes ?? 0;
}
