import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Browser, BrowserContext, Page } from 'puppeteer-core';
import { mapConcurrently } from '../scripts/map-concurrently.ts';
import { skipWithout } from '../scripts/optional-programs.ts';
import { openFirefox } from './firefox.ts';
import { type GateCase, makeGateCases } from './gate-cases.ts';
import { openGateFixtures } from './gate-fixtures.ts';
import { makeHttpOriginCases } from './http-origin-cases.ts';
import { CYAN, countPixels, MAGENTA, type RgbColor } from './pixels.ts';

const CONCURRENCY = 6;
const TIMEOUT_MS = 60_000;
const MIN_WATCH_MS = 5000;

/** The cases of gate.test.ts in Firefox. */
describe('the access policy in Firefox', { skip: skipWithout('firefox-esr', 'Xvfb') }, () => {
  for (const secure of [true, false]) {
    it(`shows designs on listed pages only, over ${secure ? 'https' : 'plain http'}`, async (t) => {
      const { fixtures } = await openGateFixtures(t, { secure });
      const cases = [...makeGateCases(fixtures), ...makeHttpOriginCases(fixtures)].filter(
        ({ needsFetchMetadata }) => secure || !needsFetchMetadata,
      );
      const browser = await openBrowser(t, cases);
      assert.deepEqual(await findWrongDecisions(browser, cases), []);
    });
  }
});

async function openBrowser(t: TestContext, cases: readonly GateCase[]): Promise<Browser> {
  const hostnames = [
    'cloche.test',
    'a.wild.test',
    'shop.test',
    ...cases.map(({ url }) => new URL(url).hostname),
  ];
  return openFirefox(t, new Set(hostnames));
}

/** Watches the pages that should not show the design for some seconds, and as long as a viewer runs. */
async function findWrongDecisions(browser: Browser, cases: readonly GateCase[]): Promise<string[]> {
  const wrong: string[] = [];
  const watch = (shouldShow: boolean, timeoutMs: number) =>
    mapConcurrently(
      cases.filter((gateCase) => gateCase.shouldShow === shouldShow),
      CONCURRENCY,
      async (gateCase) => {
        const shown = await watchPage(browser, gateCase, timeoutMs);
        if (shown !== shouldShow)
          wrong.push(`${gateCase.name}: should ${shouldShow ? 'show' : 'not show'}`);
      },
    );
  await watch(true, TIMEOUT_MS);
  await watch(false, MIN_WATCH_MS);
  return wrong;
}

/** Returns true as soon as a page shows the design, or its poster if it should show neither, or false after the timeout, if no viewer runs. */
async function watchPage(
  browser: Browser,
  { url, clicksButton, shouldShow }: GateCase,
  timeoutMs: number,
): Promise<boolean> {
  const colors = shouldShow ? [MAGENTA] : [MAGENTA, CYAN];
  const page = await openPage(browser);
  const context = page.browserContext();
  const deadlineMs = performance.now() + timeoutMs;
  try {
    await page.setViewport({ width: 240, height: 200 });
    await page.goto(url, { waitUntil: 'load', timeout: timeoutMs }).catch(() => undefined);
    if (clicksButton) await page.click('button');
    while (performance.now() < deadlineMs || (await isViewerRunning(context))) {
      if (await showsColor(context, colors)) return true;
      // A viewer that shows nothing for so long is an error of the test: the case decides nothing.
      if (performance.now() > deadlineMs + TIMEOUT_MS) throw new Error(`${url} does not end`);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    return false;
  } finally {
    await context.close();
  }
}

let lastOpening: Promise<unknown> = Promise.resolve();

/** Opens a page with its own cookies and cache. One at a time: Firefox mixes up simultaneous ones. */
function openPage(browser: Browser): Promise<Page> {
  const opening = lastOpening.then(async () => (await browser.createBrowserContext()).newPage());
  lastOpening = opening.catch(() => undefined);
  return opening;
}

/** Whether a frame has a viewer that has not failed. Firefox draws tabs in the background late. */
async function isViewerRunning(context: BrowserContext): Promise<boolean> {
  const frames = (await context.pages()).flatMap((page) => page.frames());
  const states = frames.map((frame) =>
    frame.evaluate(() => document.documentElement.dataset.state).catch(() => undefined),
  );
  return (await Promise.all(states)).some((state) => state === 'loading' || state === 'ready');
}

async function showsColor(context: BrowserContext, colors: readonly RgbColor[]): Promise<boolean> {
  for (const page of await context.pages()) {
    // A screenshot fails while a page navigates; it is repeated soon.
    const count = await countPixels(page, ...colors).catch(() => 0);
    if (count > 500) return true;
  }
  return false;
}
