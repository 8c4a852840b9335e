import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { makeBox } from '@cloche/pipeline/testing/models';
import type { Browser, Frame, Page } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import { createAnimatedBoxGlb } from '../viewer/testing/animated-models.ts';
import { readScreenPixels } from '../viewer/testing/embedded-viewer.ts';
import { openChromium } from './chromium.ts';
import { openEmbeddedDesign } from './embedded-design.ts';
import {
  COLUMNS,
  EMBED_COUNT,
  HEIGHT,
  IN_VIEW,
  openEmbeds,
  VIEWPORT,
  WIDTH,
} from './forty-embeds.ts';

/** The first embed rotates, the last one plays an animation. */
const [ROTATING, ANIMATED] = [0, EMBED_COUNT - 1];
/** In the middle, both are out of view. */
const SCROLL_TOPS = { top: 0, middle: 4 * HEIGHT, bottom: 7 * HEIGHT };
/** How many frames an embed must draw, or the page while nothing else does. */
const FRAMES = 20;
const WAIT = { timeoutMs: 120_000 };

/** What a framed document has done, and what it waits for. */
type Activity = {
  animationFrames: number;
  pendingFrames: number;
  pendingTimers: number;
  pendingRequests: number;
  timers: number;
  requests: number;
  draws: number;
};

/** Runs in each document before all scripts. */
function instrument() {
  const activity = { animationFrames: 0, timers: 0, requests: 0, pendingRequests: 0, draws: 0 };
  const pending = new Set<number>();
  const pendingTimers = new Set<number>();
  const read = () => ({
    ...activity,
    pendingFrames: pending.size,
    pendingTimers: pendingTimers.size,
  });
  Object.assign(window, { readActivity: read });
  const { requestAnimationFrame, cancelAnimationFrame, setTimeout, clearTimeout, fetch } = window;
  window.requestAnimationFrame = (callback) => {
    const id = requestAnimationFrame((now) => {
      pending.delete(id);
      activity.animationFrames++;
      callback(now);
    });
    pending.add(id);
    return id;
  };
  window.cancelAnimationFrame = (id) => {
    pending.delete(id);
    cancelAnimationFrame(id);
  };
  window.setTimeout = ((
    callback: (...args: unknown[]) => void,
    ms?: number,
    ...args: unknown[]
  ) => {
    activity.timers++;
    const id = setTimeout(() => {
      pendingTimers.delete(id);
      callback(...args);
    }, ms);
    pendingTimers.add(id);
    return id;
  }) as never;
  window.clearTimeout = (id) => {
    pendingTimers.delete(id as number);
    clearTimeout(id);
  };
  window.fetch = async (...args) => {
    activity.requests++;
    activity.pendingRequests++;
    try {
      return await fetch(...args);
    } finally {
      activity.pendingRequests--;
    }
  };
  const { prototype } = WebGL2RenderingContext;
  for (const name of ['drawArrays', 'drawElements'] as const) {
    const draw = prototype[name] as (...args: unknown[]) => void;
    prototype[name] = function (this: WebGL2RenderingContext, ...args: unknown[]) {
      activity.draws++;
      draw.apply(this, args);
    } as never;
  }
}

describe('a page with forty embeds, one that rotates and one with an animation', () => {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  it('moves those in view, and runs nothing out of view', async (t) => {
    const page = await openPage(t, browser);
    // In the order of the page.
    const embeds = page.frames().slice(1);

    const top = embeds.slice(0, IN_VIEW);
    await waitUntilReady(top);
    await assertMovesAlone({ page, embeds, moving: ROTATING, cell: ROTATING });

    await scrollTo(page, 'middle');
    await waitUntilReady(embeds.slice(4 * COLUMNS, 4 * COLUMNS + IN_VIEW));
    await assertRestWhile(embeds, async () => await drawFrames(page.mainFrame()));
    const draws = (await Promise.all(embeds.map(readActivity))).map(({ draws }) => draws);
    // The rotating one may draw with the shared context, which counts elsewhere.
    assert.ok(
      draws.some((count) => count > 0),
      'the draws are counted',
    );

    await scrollTo(page, 'bottom');
    await waitUntilReady(embeds.slice(-IN_VIEW));
    await assertMovesAlone({ page, embeds, moving: ANIMATED, cell: IN_VIEW - 1 });

    await scrollTo(page, 'top');
    await waitUntilReady(top);
    await assertMovesAlone({ page, embeds, moving: ROTATING, cell: ROTATING });
  });
});

async function openPage(t: TestContext, browser: Browser): Promise<Page> {
  const { sites, html, send, token, design } = await openEmbeddedDesign(t, { model: makeBox() });
  const upload = { 'content-type': 'model/gltf-binary', prefer: 'wait=60' };
  const model = Buffer.from(createAnimatedBoxGlb());
  const animated = (await send('POST', '/v1/designs?name=Fan', model, upload)).json();
  await waitUntil(
    'the animated design is ready',
    async () => (await send('GET', `/v1/designs/${animated.id}`)).json().status === 'ready',
    WAIT,
  );
  const createHtml = async (request: object) =>
    (await send('POST', '/embed/iframe/v1', request)).body.replace(
      'CLOCHE_EMBED_TOKEN',
      token.token,
    );
  const rotating = await createHtml({ uri: design.uri, options: { autoRotate: true } });
  const others = html.repeat(EMBED_COUNT - 2);
  const context = await browser.newContext({ viewport: VIEWPORT });
  t.after(() => context.close());
  await context.addInitScript(instrument);
  const last = await createHtml({ uri: animated.uri });
  return openEmbeds(context, sites, rotating + others + last);
}

async function waitUntilReady(embeds: readonly Frame[]): Promise<void> {
  const isReady = (embed: Frame) =>
    embed.evaluate(() => {
      const { state, suspended } = document.documentElement?.dataset ?? {};
      return state === 'ready' && suspended === undefined;
    });
  await waitUntil(
    'the embeds in view are live',
    async () => (await Promise.all(embeds.map(isReady))).every(Boolean),
    WAIT,
  );
}

async function scrollTo(page: Page, place: keyof typeof SCROLL_TOPS): Promise<void> {
  await page.evaluate((top) => window.scrollTo(0, top), SCROLL_TOPS[place]);
}

function readActivity(embed: Frame): Promise<Activity> {
  return embed.evaluate(() =>
    (window as unknown as { readActivity: () => Activity }).readActivity(),
  );
}

/** Asserts that one embed changes its pixels and draws frames, and that all others do nothing meanwhile. */
async function assertMovesAlone({
  page,
  embeds,
  moving,
  cell,
}: {
  page: Page;
  embeds: readonly Frame[];
  moving: number;
  /** Its place in the view. */
  cell: number;
}): Promise<void> {
  const embed = embeds[moving] as Frame;
  const others = embeds.filter((other) => other !== embed);
  await assertRestWhile(others, async () => {
    const before = await readCell(page, cell);
    const { animationFrames } = await readActivity(embed);
    await waitUntil(
      'the pixels of the moving embed change',
      async () => !before.equals(await readCell(page, cell)),
      WAIT,
    );
    await waitUntil(
      'the moving embed draws frames',
      async () => (await readActivity(embed)).animationFrames >= animationFrames + FRAMES,
      WAIT,
    );
  });
}

/** Waits until embeds do nothing, then asserts that they still do nothing during a task. */
async function assertRestWhile(embeds: readonly Frame[], task: () => Promise<void>): Promise<void> {
  let before: Activity[] = [];
  const read = () => Promise.all(embeds.map(readRest));
  await waitUntil(
    () => `the other embeds to rest: ${JSON.stringify(before)}`,
    async () => {
      const last = before;
      before = await read();
      const waiting = before.some(
        ({ pendingFrames, pendingTimers, pendingRequests }) =>
          pendingFrames + pendingTimers + pendingRequests > 0,
      );
      return !waiting && isDeepStrictEqual(before, last);
    },
    WAIT,
  );
  await task();
  assert.deepEqual(await read(), before);
}

/**
 * Draws of the shared context are counted in the document that has opened it, whichever document has drawn. The boot
 * script of an embed that has not been in view waits for its first frame.
 */
async function readRest(embed: Frame): Promise<Activity> {
  const activity = await readActivity(embed);
  const { started, loading, sharesContext } = await embed.evaluate(() => {
    const member = (window as { clochePageMember1?: { sharedContext?: object } }).clochePageMember1;
    const started = member !== undefined;
    const { interactive } = document.documentElement?.dataset ?? {};
    const loading = started && interactive === undefined;
    return { started, loading, sharesContext: member?.sharedContext !== undefined };
  });
  return {
    ...activity,
    ...(sharesContext && { draws: 0 }),
    ...(!started && { pendingFrames: 0, pendingTimers: 0 }),
    // The script of its controls is a request that is not counted.
    ...(loading && { pendingRequests: activity.pendingRequests + 1 }),
  };
}

/** Waits until a document has drawn frames: what an embed would draw meanwhile is counted afterwards. */
async function drawFrames(frame: Frame): Promise<void> {
  await frame.evaluate(
    (count) =>
      new Promise<void>((resolve) => {
        const next = (left: number) => {
          if (left === 0) resolve();
          else requestAnimationFrame(() => next(left - 1));
        };
        next(count);
      }),
    FRAMES,
  );
}

/** The pixels of one embed in view. */
async function readCell(page: Page, cell: number): Promise<Buffer> {
  const { data, width } = await readScreenPixels(page);
  const [left, top] = [(cell % COLUMNS) * WIDTH, Math.floor(cell / COLUMNS) * HEIGHT];
  const rows = Array.from({ length: HEIGHT }, (_, y) => {
    const start = 3 * ((top + y) * width + left);
    return data.subarray(start, start + 3 * WIDTH);
  });
  return Buffer.concat(rows);
}
