import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { type BenchBrowser, VIEWPORT } from './browser.ts';
import { FrameRecorder, type RecordedFrame } from './frame-recorder.ts';
import { findMilestones } from './milestones.ts';
import type { Network } from './network/network.ts';
import type { NetworkProfile } from './network/profiles.ts';
import type { ByteCount } from './network/worker.ts';

export type VisitOptions = {
  browser: BenchBrowser;
  network: Network;
  profile: NetworkProfile;
  /** The page that gets the iframe. */
  pageUrl: string;
  /** The page in the iframe. */
  frameUrl: string;
  /** The CSS that is added to the page in the iframe. */
  css: string;
  timeoutMs: number;
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

/** A load is over when its page reports it and nothing was drawn or received for this time. */
const QUIET_MS = 2500;
const IDLE_LIMIT_MS = 1000;
const POLL_INTERVAL_MS = 250;

/** Opens a page, inserts the iframe, and measures until nothing changes anymore. */
export async function measureVisit(options: VisitOptions): Promise<Visit> {
  const { browser, network, profile, pageUrl, frameUrl, timeoutMs } = options;
  const page = await browser.context.newPage();
  try {
    await page.addInitScript(prepareFrame, options.css);
    await page.goto(pageUrl);
    await network.setProfile(profile);
    const recorder = await FrameRecorder.start(page);
    const start = await page.evaluate(insertFrame, { src: frameUrl, ...VIEWPORT });
    const frame = await getFrame(page);
    const counts: ByteCount[] = [];
    const deadline = Date.now() + timeoutMs;
    for (let ready = false; ; ) {
      await page.waitForTimeout(POLL_INTERVAL_MS);
      counts.push(...(await network.takeCounts()));
      ready ||= await isReady(frame);
      const lastChangeAt = Math.max(recorder.lastChangeAt, counts.at(-1)?.at ?? 0);
      const isQuiet = ready && Date.now() - lastChangeAt > QUIET_MS;
      if (isQuiet && (await isIdle(frame)) && recorder.lastChangeAt <= lastChangeAt) break;
      if (Date.now() > deadline)
        throw new Error(`No ${ready ? 'final picture' : 'model'} after ${timeoutMs / 1000} s.`);
    }
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
  for (const { at, jpeg } of frames)
    await writeFile(join(folder, `${String(Math.round(at - start)).padStart(6, '0')}.jpg`), jpeg);
}

/** Cloche and the pages in bench/peers report readiness in the same way. */
async function isReady(frame: Frame): Promise<boolean> {
  const state = await frame
    .evaluate(() => document.documentElement.dataset.state)
    // The document is replaced when the page in the iframe has arrived.
    .catch(() => undefined);
  if (state === 'failed' || state === 'refused') throw new Error(`The page ${state}.`);
  return state === 'ready';
}

/** Says whether the page draws two frames at once. Otherwise its thread or the GPU is still busy. */
async function isIdle(frame: Frame): Promise<boolean> {
  const start = Date.now();
  await frame.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  return Date.now() - start < IDLE_LIMIT_MS;
}

function countBytesUntil(counts: readonly ByteCount[], time: number): number {
  return counts.findLast(({ at }) => at <= time)?.bytes ?? 0;
}
