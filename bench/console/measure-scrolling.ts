import type { CDPSession, Page } from 'playwright-core';
import type { DemoService } from '../../demo/demo-service.ts';
import { openChromium } from '../../e2e/chromium.ts';
import { signInToConsole } from '../../e2e/console/open-console.ts';
import { computePercentiles, type Percentiles } from './percentiles.ts';

/** How far the page is scrolled in each frame: 12,000 pixels per second, which is faster than people scroll. Posters wait for the end. */
const FAST_PIXELS = 200;
/** 3,000 pixels per second, which is still fast. Posters are loaded. */
const SLOW_PIXELS = 50;
const FRAME_COUNT = 600;
const IS_FRAME_COUNT_REACHED = `frames.length >= ${FRAME_COUNT}`;
const [WIDTH, HEIGHT] = [1440, 900];

export type ScrollMeasurement = {
  label: string;
  frames: number;
  times: Percentiles;
  /** The share of frames that took longer than 1/50 s. */
  lateShare: number;
  mostCards: number;
  /** The processor time of the main thread of the page, for each frame. */
  cpuMs: number;
  /** The part of it in scripts. */
  scriptMs: number;
};

/** Scrolls through all designs, first while they are loaded, and again; slower; and through an empty page of the same height. */
export async function measureScrolling(
  service: DemoService,
  designCount: number,
): Promise<ScrollMeasurement[]> {
  await using browser = await openChromium();
  const context = await browser.newContext({ viewport: { width: WIDTH, height: HEIGHT } });
  const empty = await context.newPage();
  await empty.setContent('<div style="height: 2000000px"></div>');
  const floor = await scroll(empty, 'an empty page', IS_FRAME_COUNT_REACHED);
  await empty.close();

  const page = await context.newPage();
  await page.goto(`${service.origin}/console`);
  await signInToConsole(page, service.token);
  await page.locator('.design-card').first().waitFor();
  const count = `${designCount.toLocaleString('en')} designs`;
  const isLoaded = `document.querySelector('.design-count').textContent === '${count}'`;
  const isAtEnd = 'scrollY + innerHeight >= document.documentElement.scrollHeight - 1';
  const cold = await scroll(
    page,
    'all designs, while they are loaded',
    `${isLoaded} && ${isAtEnd}`,
  );
  const warm = await scroll(page, 'all designs again', isAtEnd);
  const slow = await scroll(
    page,
    'designs, at a quarter of the speed',
    IS_FRAME_COUNT_REACHED,
    SLOW_PIXELS,
  );
  return [floor, cold, warm, slow];
}

async function scroll(
  page: Page,
  label: string,
  isDone: string,
  pixels = FAST_PIXELS,
): Promise<ScrollMeasurement> {
  // One session for both times: the counters start again with each.
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await readThreadTimes(client);
  const { frames, mostCards } = (await page.evaluate(`(async () => {
    const frames = [];
    let mostCards = 0;
    scrollTo(0, 0);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    let last = await new Promise(requestAnimationFrame);
    do {
      scrollBy(0, ${pixels});
      const now = await new Promise(requestAnimationFrame);
      frames.push(now - last);
      last = now;
      mostCards = Math.max(mostCards, document.getElementsByClassName('design-card').length);
    } while (!(${isDone}));
    return { frames, mostCards };
  })()`)) as { frames: number[]; mostCards: number };
  const lateShare = frames.filter((time) => time > 20).length / frames.length;
  const after = await readThreadTimes(client);
  await client.detach();
  const perFrame = (name: 'taskSeconds' | 'scriptSeconds') =>
    ((after[name] - before[name]) * 1000) / frames.length;
  return {
    ...{ label, frames: frames.length, times: computePercentiles(frames), lateShare, mostCards },
    ...{ cpuMs: perFrame('taskSeconds'), scriptMs: perFrame('scriptSeconds') },
  };
}

/** Reads the processor time of the main thread so far. Other programs on the same processors hardly change it. */
async function readThreadTimes(client: CDPSession) {
  const { metrics } = await client.send('Performance.getMetrics');
  const get = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  return { taskSeconds: get('TaskDuration'), scriptSeconds: get('ScriptDuration') };
}
