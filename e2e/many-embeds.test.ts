import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Browser, Frame, Page } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import { en } from '../viewer/src/i18n/en.ts';
import { createTexturedBox } from '../viewer/testing/textured-box.ts';
import { measureBrowserMemory } from './browser-memory.ts';
import { openChromium } from './chromium.ts';
import {
  EMBED_COUNT,
  getEmbeds,
  IN_VIEW,
  MAX_CONTEXTS,
  openFortyEmbeds,
  type Position,
  readState,
  scrollPage,
  waitUntilLive,
  waitUntilPictures,
} from './forty-embeds.ts';

const SCROLLS = 10;
/** The first scrolls compile code, and fill lists of long tasks and requests, which are limited. */
const WARM_UP_SCROLLS = 4;
/** The memory after the last scroll, relative to that after the first ones. */
const MAX_GROWTH = 1.15;
/** The boot script waits for the frame that has the poster. */
const MAX_BOOT_FRAMES = 1;
const WAIT = { timeoutMs: 120_000 };

describe('a page with forty embeds', () => {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  it('every embed in view is live, with at most eight contexts, however often it is scrolled', async (t) => {
    const page = await openFortyEmbeds(t, browser);
    await waitUntilLive(page, 'top');
    await waitUntilPictures(page);
    await assertOthersDoNothing(page, 'top');
    const sizes: Sizes[] = [];
    for (let scroll = 1; scroll <= SCROLLS; scroll++) {
      await scrollPage(page, 'bottom');
      await waitUntilLive(page, 'bottom');
      await assertFewContexts(page);
      await scrollPage(page, 'top');
      // The last pictures are visible before the embeds are live again.
      await waitUntilPictures(page);
      await waitUntilLive(page, 'top');
      await assertFewContexts(page);
      sizes.push(await measureSizes(page));
    }
    assertFlat(sizes);
    await assertPlaying(getEmbeds(page, 'top'));
    await scrollPage(page, 'bottom');
    await waitUntilLive(page, 'bottom');
    await assertIdleWhile(getEmbeds(page, 'top'), () => assertPlaying(getEmbeds(page, 'bottom')));
  });

  it('there are eight contexts, also while some embeds stay in view', async (t) => {
    const page = await openFortyEmbeds(t, browser);
    await waitUntilLive(page, 'top');
    for (const position of ['third row', 'top', 'third row', 'top'] as const) {
      await scrollPage(page, position);
      await waitUntilLive(page, position);
      await assertFewContexts(page);
    }
  });

  it('textures are drawn with a context that documents share, also after they were out of view', async (t) => {
    const model = await createTexturedBox('#14dc14');
    const page = await openFortyEmbeds(t, browser, { model, script: hidePosters });
    for (const position of ['top', 'third row', 'bottom', 'top'] as const) {
      await scrollPage(page, position);
      await waitUntilLive(page, position);
      await waitUntilPictures(page);
      await assertFewContexts(page);
    }
  });

  it('when the document that created the shared context is removed, the others draw again, and their posters do not appear', async (t) => {
    const page = await openFortyEmbeds(t, browser, { script: countLosses });
    await waitUntilLive(page, 'top');
    await waitUntilPictures(page);
    const creators = await Promise.all(getEmbeds(page, 'top').map(hasCreatedContext));
    assert.equal(creators.filter(Boolean).length, 1);
    const removed = creators.indexOf(true);
    await page.evaluate((index) => {
      // The others stay where they are.
      document.querySelectorAll('iframe')[index]?.replaceWith(document.createElement('div'));
    }, removed);
    const others = page.frames().slice(1, IN_VIEW);
    await waitUntil(
      'the others have another shared context',
      async () => (await Promise.all(others.map(hasCreatedContext))).includes(true),
      WAIT,
    );
    for (const frame of others) assert.equal(await frame.evaluate(readLosses), 0);
    await waitUntil(
      'every other embed in view is live',
      async () => {
        const states = await Promise.all(others.map(readState));
        return states.every(({ state, suspended }) => state === 'ready' && !suspended);
      },
      WAIT,
    );
    await assertFewContexts(page);
  });
});

/** Runs in each document before all scripts: framed documents show the canvas alone. */
function hidePosters() {
  if (top === self) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    '*{background-image:none!important}body *{visibility:hidden!important}#view canvas{visibility:visible!important}',
  );
  document.adoptedStyleSheets.push(sheet);
}

type LossWindow = Window & { losses: number };

/** Runs in each document before all scripts: counts how often the poster takes the place of the model. */
function countLosses() {
  const page = window as unknown as LossWindow;
  page.losses = 0;
  new MutationObserver(() => {
    if (document.documentElement?.dataset.contextLost !== undefined) page.losses++;
  }).observe(document, {
    ...{ attributes: true, subtree: true },
    attributeFilter: ['data-context-lost'],
  });
}

const readLosses = () => (window as unknown as LossWindow).losses;

function hasCreatedContext(frame: Frame): Promise<boolean> {
  return frame.evaluate(() => {
    const { clochePageMember1: member } = window as typeof window & {
      clochePageMember1?: { sharedContext?: object };
    };
    return member?.sharedContext !== undefined;
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
async function assertOthersDoNothing(page: Page, position: Position): Promise<void> {
  const inView = getEmbeds(page, position);
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

/** Asserts that embeds out of view draw, request and start nothing while others play. */
async function assertIdleWhile(embeds: Frame[], play: () => Promise<void>): Promise<void> {
  const readActivity = async () =>
    (await Promise.all(embeds.map(readState))).map(({ animationFrames, timers, requests }) => ({
      ...{ animationFrames, timers, requests },
    }));
  let before = await readActivity();
  // They may have been scrolled out of view a moment ago.
  const isResting = async () => {
    const last = before;
    before = await readActivity();
    return isDeepStrictEqual(before, last);
  };
  await waitUntil('the embeds out of view to rest', isResting, WAIT);
  await play();
  assert.deepEqual(await readActivity(), before);
}

/** Bytes. `process` is undefined except on Linux. */
type Sizes = { heap: number; process: number | undefined };

/** The JavaScript heap of the page and its frames, which share one process in this browser, and the memory of all processes. */
async function measureSizes(page: Page): Promise<Sizes> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize: heap } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return { heap, process: await measureBrowserMemory(page.context().browser() as Browser) };
}

function assertFlat(sizes: readonly Sizes[]): void {
  for (const key of ['heap', 'process'] as const) {
    const values = sizes.flatMap((size) => size[key] ?? []);
    const [first = 0, last = 0] = [values[WARM_UP_SCROLLS - 1], values.at(-1)];
    const megabytes = values.map((value) => (value / 1e6).toFixed(1));
    assert.ok(last <= first * MAX_GROWTH, `${key}, MB after each scroll: ${megabytes}`);
  }
}
