import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Browser, Frame, Page } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import { en } from '../viewer/src/i18n/en.ts';
import { createAnimatedBoxGlb } from '../viewer/testing/animated-models.ts';
import { isGreen, readScreenPixels } from '../viewer/testing/embedded-viewer.ts';
import { openChromium } from './chromium.ts';
import { openEmbeddedDesign } from './embedded-design.ts';

const EMBED_COUNT = 40;
const COLUMNS = 4;
/** CSS pixels. */
const [WIDTH, HEIGHT] = [80, 60];
/** Twelve embeds are in view: more than there are contexts. */
const VIEWPORT = { width: COLUMNS * WIDTH, height: 3 * HEIGHT };
const IN_VIEW = 12;
const MAX_CONTEXTS = 8;
const SCROLLS = 4;
/** The boot script waits for the frame that has the poster. */
const MAX_BOOT_FRAMES = 1;
const WAIT = { timeoutMs: 120_000 };

/** What a framed document has done. */
type Counters = {
  contexts: WebGL2RenderingContext[];
  /** Contexts that were not lost by our own scripts. */
  lostByBrowser: number;
  animationFrames: number;
  timers: number;
  requests: number;
};

/** Runs in each document before all scripts. */
function instrument() {
  const page = window as unknown as Window & { counters: Counters };
  const counters: Counters = {
    contexts: [],
    lostByBrowser: 0,
    animationFrames: 0,
    timers: 0,
    requests: 0,
  };
  page.counters = counters;
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...args: unknown[]) {
    const context = getContext.apply(this, args as never) as WebGL2RenderingContext | null;
    if (args[0] !== 'webgl2' || context === null || counters.contexts.includes(context))
      return context;
    counters.contexts.push(context);
    let released = false;
    const loss = context.getExtension('WEBGL_lose_context');
    const loseContext = loss?.loseContext.bind(loss);
    Object.assign(loss ?? {}, {
      loseContext: () => {
        released = true;
        loseContext?.();
        // Keeping it would keep its canvas and its renderer in memory.
        counters.contexts.splice(counters.contexts.indexOf(context), 1);
      },
    });
    this.addEventListener('webglcontextlost', () => {
      if (!released) counters.lostByBrowser++;
    });
    return context;
  } as never;
  const { requestAnimationFrame, setTimeout, fetch } = window;
  window.requestAnimationFrame = (callback) => {
    counters.animationFrames++;
    return requestAnimationFrame(callback);
  };
  window.setTimeout = ((...args: Parameters<typeof setTimeout>) => {
    counters.timers++;
    return setTimeout(...args);
  }) as never;
  window.fetch = (...args) => {
    counters.requests++;
    return fetch(...args);
  };
}

describe('a page with forty embeds', () => {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  /** Opens the page. Its animations do not start by themselves. */
  async function open(t: TestContext) {
    const { sites, html } = await openEmbeddedDesign(t, { model: createAnimatedBoxGlb() });
    const style = `body{margin:0;display:grid;grid-template-columns:repeat(${COLUMNS},${WIDTH}px)}
iframe{width:${WIDTH}px!important;height:${HEIGHT}px!important;aspect-ratio:auto!important}`;
    const body = `<style>${style}</style>${html.repeat(EMBED_COUNT)}`;
    const context = await browser.newContext({ viewport: VIEWPORT, reducedMotion: 'reduce' });
    t.after(() => context.close());
    await context.addInitScript(instrument);
    const page = await context.newPage();
    await page.goto(sites.addPage('shop.test', '/', body), { waitUntil: 'commit' });
    // Before, a frame has an empty document, which is replaced.
    await waitUntil(
      'all framed documents have been requested',
      () => page.frames().filter((frame) => frame.url().includes('/embed/')).length === EMBED_COUNT,
      WAIT,
    );
    return page;
  }

  it('every embed in view is live, with at most eight contexts, however often it is scrolled', async (t) => {
    const page = await open(t);
    await waitUntilLive(page, 'top');
    await waitUntilPictures(page);
    await assertOthersDoNothing(page, 'top');
    const heapSizes: number[] = [];
    for (let scroll = 1; scroll <= SCROLLS; scroll++) {
      await scrollPage(page, 'bottom');
      await waitUntilLive(page, 'bottom');
      await assertFewContexts(page);
      await scrollPage(page, 'top');
      // The last pictures are visible before the embeds are live again.
      await waitUntilPictures(page);
      await waitUntilLive(page, 'top');
      await assertFewContexts(page);
      heapSizes.push(await measureHeap(page));
    }
    const [first = 0, last = 0] = [heapSizes[1], heapSizes.at(-1)];
    assert.ok(last < first * 1.1, `JavaScript heap after each scroll: ${heapSizes}`);
    await assertPlaying(getEmbeds(page, 'top'));
  });
});

type Edge = 'top' | 'bottom';

async function scrollPage(page: Page, edge: Edge): Promise<void> {
  await page.evaluate((edge) => window.scrollTo(0, edge === 'top' ? 0 : 1e6), edge);
}

/** The frames in view after scrolling to an edge. */
function getEmbeds(page: Page, edge: Edge): Frame[] {
  const embeds = page.frames().filter((frame) => frame !== page.mainFrame());
  return edge === 'top' ? embeds.slice(0, IN_VIEW) : embeds.slice(-IN_VIEW);
}

async function waitUntilLive(page: Page, edge: Edge): Promise<void> {
  let states: unknown[] = [];
  await waitUntil(
    () => `every embed in view is live: ${JSON.stringify(states)}`,
    async () => {
      const now = await Promise.all(getEmbeds(page, edge).map(readState));
      states = now;
      return now.every(({ state, suspended }) => state === 'ready' && !suspended);
    },
    WAIT,
  );
}

function readState(frame: Frame) {
  return frame.evaluate(() => {
    const { counters } = window as unknown as { counters: Counters };
    const { dataset } = document.documentElement;
    const { contexts, lostByBrowser, animationFrames, requests } = counters;
    return {
      state: dataset.state,
      suspended: dataset.suspended !== undefined,
      lostByBrowser,
      animationFrames,
      requests,
      liveContexts: contexts.filter((context) => !context.isContextLost()).length,
    };
  });
}

async function assertFewContexts(page: Page): Promise<void> {
  const states = await Promise.all(page.frames().slice(1).map(readState));
  const sum = (key: 'liveContexts' | 'lostByBrowser') =>
    states.reduce((total, state) => total + state[key], 0);
  assert.equal(sum('liveContexts'), MAX_CONTEXTS);
  assert.equal(sum('lostByBrowser'), 0);
}

/** Asserts that the embeds that have not been in view have drawn nothing, and requested only the poster. */
async function assertOthersDoNothing(page: Page, edge: Edge): Promise<void> {
  const inView = getEmbeds(page, edge);
  const others = page.frames().filter((frame) => frame.parentFrame() && !inView.includes(frame));
  assert.equal(others.length, EMBED_COUNT - IN_VIEW);
  for (const { state, animationFrames, liveContexts } of await Promise.all(others.map(readState))) {
    assert.deepEqual([state, liveContexts], ['loading', 0]);
    assert.ok(animationFrames <= MAX_BOOT_FRAMES, `${animationFrames} animation frames`);
  }
}

/** Starts all animations, and waits until each has drawn several frames. */
async function assertPlaying(embeds: Frame[]): Promise<void> {
  const before = await Promise.all(embeds.map(readState));
  const label = en['animation.play'];
  for (const embed of embeds)
    await embed.evaluate(
      (label) => (document.querySelector(`button[aria-label="${label}"]`) as HTMLElement).click(),
      label,
    );
  await waitUntil(
    'every embed in view plays its animation',
    async () => {
      const now = await Promise.all(embeds.map(readState));
      return now.every((state, i) => state.animationFrames > (before[i]?.animationFrames ?? 0) + 2);
    },
    WAIT,
  );
}

/** The JavaScript heap of the page and its frames, which share one process in this browser. */
async function measureHeap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

/** Waits until each embed in view shows the box, at a point above the bar that the pointer makes visible. */
async function waitUntilPictures(page: Page): Promise<void> {
  let missing: string[] = [];
  await waitUntil(
    () => `every embed in view shows the box, except ${missing.join(' ')}`,
    async () => {
      missing = await findEmptyEmbeds(page);
      return missing.length === 0;
    },
    WAIT,
  );
}

async function findEmptyEmbeds(page: Page): Promise<string[]> {
  const { data, width } = await readScreenPixels(page);
  const empty: string[] = [];
  for (let y = HEIGHT / 4; y < VIEWPORT.height; y += HEIGHT)
    for (let x = WIDTH / 2; x < VIEWPORT.width; x += WIDTH) {
      const index = (y * width + x) * 3;
      const [red = 0, green = 0, blue = 0] = data.subarray(index, index + 3);
      if (!isGreen(red, green, blue)) empty.push(`${x},${y}`);
    }
  return empty;
}
