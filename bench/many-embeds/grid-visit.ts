import type { Frame, Page } from 'playwright-core';
import sharp from 'sharp';
import type { RecordedFrame } from '../first-frame/frame-recorder.ts';
import { findMilestones } from '../first-frame/milestones.ts';
import { type LoadOptions, openRecordedPage } from '../first-frame/visit.ts';
import { waitUntilQuiet } from '../first-frame/wait-until-quiet.ts';
import { COLUMNS, listCellsInView } from './page-grid.ts';

export type GridVisitOptions = LoadOptions & {
  frameCount: number;
  frameSize: { width: number; height: number };
  embeds: number;
};

/** What a visit of a page with many embeds measured. */
export type GridVisit = {
  /** Milliseconds from the insertion of the iframes until every embed in view shows its final picture. */
  fullMs: number;
  memoryBytes: number | undefined;
};

/** Opens a page, inserts the iframes, and measures until nothing in view changes anymore. */
export async function measureGridVisit(options: GridVisitOptions): Promise<GridVisit> {
  const { browser, network, embeds, timeoutMs } = options;
  const page = await browser.context.newPage();
  try {
    const recorder = await openRecordedPage(page, options);
    const { frameUrl: src, frameCount: count, frameSize } = options;
    const start = await page.evaluate(insertFrames, { src, count, columns: COLUMNS, ...frameSize });
    const frames = (await listFrames(page)).slice(0, listCellsInView(embeds).length);
    await waitUntilQuiet({ frames, recorder, network, timeoutMs });
    const memoryBytes = await browser.measureMemory();
    const fullAt = await findFullTime(await recorder.stop(), embeds);
    return { fullMs: Math.round(fullAt - start), memoryBytes };
  } finally {
    await page.close();
  }
}

/** Runs in the page: adds the iframes when the page is idle, and returns the time. */
async function insertFrames({
  src,
  count,
  columns,
  width,
  height,
}: {
  src: string;
  count: number;
  columns: number;
  width: number;
  height: number;
}): Promise<number> {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  document.body.style.cssText = `display:grid;grid-template-columns:repeat(${columns},${width}px)`;
  const frames = Array.from({ length: count }, () =>
    Object.assign(document.createElement('iframe'), {
      src,
      width,
      height,
      allow: 'fullscreen',
      referrerPolicy: 'strict-origin',
    }),
  );
  document.body.append(...frames);
  return performance.timeOrigin + performance.now();
}

async function listFrames(page: Page): Promise<Frame[]> {
  const elements = await page.locator('iframe').elementHandles();
  return Promise.all(
    elements.map(async (element) => {
      const frame = await element.contentFrame();
      if (frame === null) throw new Error('An iframe has no document.');
      return frame;
    }),
  );
}

/** The time at which the last embed in view is full. Each is compared with its own last picture. */
async function findFullTime(frames: readonly RecordedFrame[], embeds: number): Promise<number> {
  const times: number[] = [];
  for (const cell of listCellsInView(embeds)) {
    const pictures: RecordedFrame[] = [];
    for (const { at, image } of frames) {
      const picture = await sharp(image).extract(cell).png({ compressionLevel: 1 }).toBuffer();
      // Most frames are changes of other embeds.
      if (!pictures.at(-1)?.image.equals(picture)) pictures.push({ at, image: picture });
    }
    times.push((await findMilestones(pictures)).full);
  }
  return Math.max(...times);
}
