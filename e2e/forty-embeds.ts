/** A page with forty embeds, and what their framed documents have done. */
import type { TestContext } from 'node:test';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import { createAnimatedBoxGlb } from '../viewer/testing/animated-models.ts';
import { isGreen, readScreenPixels } from '../viewer/testing/embedded-viewer.ts';
import { type EmbeddedDesign, openEmbeddedDesign } from './embedded-design.ts';
import type { SharedBrowser } from './shared-chromium.ts';

export const EMBED_COUNT = 40;
export const COLUMNS = 4;
/** CSS pixels. */
export const [WIDTH, HEIGHT] = [80, 60];
/** Twelve embeds are in view: more than there are contexts. */
export const VIEWPORT = { width: COLUMNS * WIDTH, height: 3 * HEIGHT };
export const IN_VIEW = 12;
export const MAX_CONTEXTS = 8;
const WAIT = { timeoutMs: 120_000 };

/** What a framed document has done. */
export type Counters = {
  /** Without those that our own scripts have released. */
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

/**
 * Opens a page with forty embeds of one design, by default a green box. Its animations do not start by themselves.
 *
 * @param script runs in each document before all scripts
 */
export async function openFortyEmbeds(
  t: TestContext,
  browser: SharedBrowser,
  { viewport = VIEWPORT, script = () => {}, model = createAnimatedBoxGlb() } = {},
): Promise<Page> {
  const { sites, html } = await openEmbeddedDesign(t, { model });
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
  t.after(() => context.close());
  await context.addInitScript(instrument);
  await context.addInitScript(script);
  return openEmbeds(context, sites, html.repeat(EMBED_COUNT));
}

/** Opens a page with the HTML of forty embeds, in rows of four. */
export async function openEmbeds(
  context: BrowserContext,
  sites: EmbeddedDesign['sites'],
  html: string,
): Promise<Page> {
  const style = `body{margin:0;display:grid;grid-template-columns:repeat(${COLUMNS},${WIDTH}px)}
iframe{width:${WIDTH}px!important;height:${HEIGHT}px!important;aspect-ratio:auto!important}`;
  const page = await context.newPage();
  const body = `<style>${style}</style>${html}`;
  await page.goto(sites.addPage('shop.test', '/', body), { waitUntil: 'commit' });
  // Before, a frame has an empty document, which is replaced.
  await waitUntil(
    'all framed documents have been requested',
    () => page.frames().filter((frame) => frame.url().includes('/embed/')).length === EMBED_COUNT,
    WAIT,
  );
  return page;
}

export type Position = 'top' | 'third row' | 'bottom';

/** The first row in view. */
const FIRST_ROWS: Readonly<Record<Position, number>> = {
  top: 0,
  'third row': 2,
  bottom: (EMBED_COUNT - IN_VIEW) / COLUMNS,
};

export async function scrollPage(page: Page, position: Position): Promise<void> {
  await page.evaluate((y) => window.scrollTo(0, y), FIRST_ROWS[position] * HEIGHT);
}

/** The frames in view after scrolling to a position. */
export function getEmbeds(page: Page, position: Position): Frame[] {
  const embeds = page.frames().filter((frame) => frame !== page.mainFrame());
  const first = FIRST_ROWS[position] * COLUMNS;
  return embeds.slice(first, first + IN_VIEW);
}

export async function waitUntilLive(page: Page, position: Position): Promise<void> {
  let states: unknown[] = [];
  await waitUntil(
    () => `every embed in view is live: ${JSON.stringify(states)}`,
    async () => {
      const now = await Promise.all(getEmbeds(page, position).map(readState));
      states = now;
      return now.every(({ state, suspended }) => state === 'ready' && !suspended);
    },
    WAIT,
  );
}

export function readState(frame: Frame) {
  return frame.evaluate(() => {
    const { counters } = window as unknown as { counters: Counters };
    // The root element is parsed after the document has replaced the one before.
    const dataset: DOMStringMap = document.documentElement?.dataset ?? {};
    const { contexts, lostByBrowser, animationFrames, timers, requests } = counters;
    return {
      state: dataset.state,
      suspended: dataset.suspended !== undefined,
      interactive: dataset.interactive !== undefined,
      lostByBrowser,
      animationFrames,
      timers,
      requests,
      openedContexts: contexts.length,
      liveContexts: contexts.filter((context) => !context.isContextLost()).length,
    };
  });
}

/** Waits until each embed in view shows the box, at a point above the bar that the pointer makes visible. */
export async function waitUntilPictures(page: Page): Promise<void> {
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
  const { height = 0 } = page.viewportSize() ?? {};
  for (let y = HEIGHT / 4; y < height; y += HEIGHT)
    for (let x = WIDTH / 2; x < width; x += WIDTH) {
      const index = (y * width + x) * 3;
      const [red = 0, green = 0, blue = 0] = data.subarray(index, index + 3);
      if (!isGreen(red, green, blue)) empty.push(`${x},${y}`);
    }
  return empty;
}
