import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Browser, BrowserContext, Request } from 'playwright-core';
import { mapConcurrently } from '../scripts/map-concurrently.ts';
import { openChromium } from './chromium.ts';
import { type GateCase, type GateFixtures, makeGateCases } from './gate-cases.ts';
import { openGateFixtures } from './gate-fixtures.ts';
import { makeHttpOriginCases } from './http-origin-cases.ts';
import { CYAN, countPixels, MAGENTA, type RgbColor } from './pixels.ts';
import { openTlsProxy } from './tls-proxy.ts';
import { openUngatedProxy } from './ungated-proxy.ts';

const CONCURRENCY = 6;

/** Opens pages in a browser and looks for the magenta of the design in screenshots. */
describe('the access policy in a browser', { concurrency: 2 }, () => {
  it('shows designs on listed pages only', async (t) => {
    const { fixtures, browser } = await setUp(t, { secure: true });
    const cases = makeCases(fixtures);
    assert.deepEqual(await findWrongDecisions(browser, cases), []);
    assert.ok(cases.filter(({ shouldShow }) => shouldShow).length >= 7);
    assert.ok(cases.filter(({ shouldShow }) => !shouldShow).length >= 25);
  });

  it('shows designs on listed pages only, over plain http, where browsers send fewer headers', async (t) => {
    const { fixtures, browser } = await setUp(t, { secure: false });
    const cases = makeCases(fixtures).filter(({ needsFetchMetadata }) => !needsFetchMetadata);
    assert.deepEqual(await findWrongDecisions(browser, cases), []);
  });

  it('without scripts, shows posters on listed pages only', async (t) => {
    const { fixtures, browser } = await setUp(t, { secure: true });
    // Allowed pages that show a poster only by a script decide nothing: the browser may run one, because
    // the setting reaches it too late.
    const cases = makeCases(fixtures)
      .filter(({ needsScriptForPoster }) => !needsScriptForPoster)
      .map((gateCase) => ({ ...gateCase, withoutScripts: true }));
    assert.deepEqual(await findWrongDecisions(browser, cases), []);
    assert.ok(cases.filter(({ shouldShow }) => shouldShow).length >= 5);
  });

  it('self-test: without an access policy, every page shows the design', async (t) => {
    const { fixtures, browser, certificate, proxyOptions } = await setUp(t, { secure: true });
    const tls = await openTlsProxy(t, certificate);
    tls.setTarget(await openUngatedProxy(t, proxyOptions));
    const cases = makeCases({ ...fixtures, serviceOrigin: `https://ungated.test:${tls.port}` });
    const shown = await watchPages(
      browser,
      cases.map((gateCase) => ({ ...gateCase, shouldShow: true })),
    );
    const missed = cases.filter(({ name }) => shown.get(name) !== true).map(({ name }) => name);
    assert.deepEqual(missed, []);
  });
});

type WatchedCase = GateCase & { withoutScripts?: boolean };

const makeCases = (fixtures: GateFixtures): GateCase[] => [
  ...makeGateCases(fixtures),
  ...makeHttpOriginCases(fixtures),
];

async function setUp(t: TestContext, options: { secure: boolean }) {
  const fixtures = await openGateFixtures(t, options);
  const browser = await openChromium();
  t.after(() => browser.close());
  return { ...fixtures, browser };
}

async function findWrongDecisions(
  browser: Browser,
  cases: readonly WatchedCase[],
): Promise<string[]> {
  const shown = await watchPages(browser, cases);
  return cases
    .filter(({ name, shouldShow }) => shown.get(name) !== shouldShow)
    .map(({ name, shouldShow }) => `${name}: should ${shouldShow ? 'show' : 'not show'}`);
}

async function watchPages(
  browser: Browser,
  cases: readonly WatchedCase[],
): Promise<Map<string, boolean>> {
  // The first page of a browser takes longest, so one page is opened before the measured ones.
  const first = cases.find(({ shouldShow }) => shouldShow);
  if (first !== undefined) await watchPage(browser, first);
  const results = await mapConcurrently(
    cases,
    CONCURRENCY,
    async (gateCase) => [gateCase.name, await watchPage(browser, gateCase)] as const,
  );
  return new Map(results);
}

const toColors = (shouldShow: boolean, withoutScripts: boolean) =>
  shouldShow && !withoutScripts ? [MAGENTA] : [MAGENTA, CYAN];

const IDLE_MS = 2500;
const POLL_INTERVAL_MS = 250;
const TIMEOUT_MS = 120_000;

/**
 * Watches a page until its design shows; without scripts, its poster. If it should not show, the poster must not
 * show either, and watching ends when there was no activity for a while.
 */
async function watchPage(
  browser: Browser,
  { url, clicksButton, shouldShow, withoutScripts = false }: WatchedCase,
): Promise<boolean> {
  const colors = toColors(shouldShow, withoutScripts);
  const context = await browser.newContext({
    viewport: { width: 240, height: 200 },
    ignoreHTTPSErrors: true,
    javaScriptEnabled: !withoutScripts,
  });
  const pendingRequests = new Set<Request>();
  const failedRequests: string[] = [];
  let lastActivity = Date.now();
  const recordActivity = () => {
    lastActivity = Date.now();
  };
  const handleEnd = (request: Request) => {
    pendingRequests.delete(request);
    recordActivity();
  };
  context.on('request', (request) => pendingRequests.add(request));
  context.on('requestfinished', handleEnd).on('requestfailed', handleEnd);
  context.on('requestfailed', (request) => {
    failedRequests.push(`${request.failure()?.errorText ?? 'failed'}: ${request.url()}`);
  });
  try {
    const page = await context.newPage();
    await page
      .goto(url, { waitUntil: 'commit' })
      .catch((error: unknown) => failedRequests.push(String(error)));
    if (clicksButton) await page.click('button');
    recordActivity();
    const start = Date.now();
    for (;;) {
      if (await showsColor(context, colors)) return true;
      if (Date.now() - start > TIMEOUT_MS) {
        console.log(
          `${url} has not shown the design:`,
          failedRequests,
          await describeFrames(context),
        );
        return false;
      }
      if (pendingRequests.size > 0 || (await isViewerRunning(context))) recordActivity();
      if (!shouldShow && Date.now() - lastActivity > IDLE_MS) return showsColor(context, colors);
      await page.waitForTimeout(POLL_INTERVAL_MS);
    }
  } finally {
    await context.close();
  }
}

/**
 * Whether a frame has a viewer that has not failed. Such a viewer may still show the design, even if it
 * is ready: its first frame may not be on the screen yet.
 */
async function isViewerRunning(context: BrowserContext): Promise<boolean> {
  const frames = context.pages().flatMap((page) => page.frames());
  const running = frames.map((frame) =>
    frame
      .evaluate(() => {
        const { state } = document.documentElement.dataset;
        if (matchMedia('(scripting: none)').matches) return false;
        if (state === undefined) return document.getElementById('viewer-config') !== null;
        // A viewer whose scripts are late says so, and starts when they arrive.
        const isLate =
          document.getElementById('error')?.textContent.includes('viewer.slow') ?? false;
        return state === 'loading' || state === 'ready' || isLate;
      })
      .catch(() => false),
  );
  return (await Promise.all(running)).includes(true);
}

/** Describes the frames of a page that has not shown the design, for the log of the test. */
async function describeFrames(context: BrowserContext): Promise<string[]> {
  const frames = context.pages().flatMap((page) => page.frames());
  const descriptions = frames.map(async (frame) => {
    const state = frame.evaluate(() => {
      const { documentElement: root, readyState, body } = document;
      return `${readyState} ${root.dataset.state ?? ''} ${body?.innerText.slice(0, 300)}`;
    });
    return `${frame.url()}: ${await state.catch(String)}`;
  });
  return Promise.all(descriptions);
}

async function showsColor(context: BrowserContext, colors: readonly RgbColor[]): Promise<boolean> {
  for (const page of context.pages()) {
    // A screenshot fails while a page navigates; it is repeated soon.
    const count = await countPixels(page, ...colors).catch(() => 0);
    if (count > 500) return true;
  }
  return false;
}
