import type { TestContext } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { waitUntil } from '../../scripts/wait-until.ts';
import { openFirefox } from '../firefox.ts';
import { openForwardProxy } from '../forward-proxy.ts';
import {
  type EnginePage,
  type GateEngine,
  isPageLoaded,
  PAGE_TIMEOUT_MS,
  READ_TIMEOUT_MS,
  readFrames,
  settleWithin,
} from './gate-engine.ts';

const LEAVE_TIMEOUT_MS = 10_000;
/** Number of windows. Each opens one page at a time. */
const WINDOW_COUNT = 4;

/** Starts Firefox. A window opens one page after another: cases that depend on an empty cache have designs of their own. */
export async function openFirefoxEngine(t: TestContext): Promise<GateEngine> {
  const port = await openForwardProxy(t);
  const browser = await openFirefox(t, [], {
    'network.proxy.type': 1,
    'network.proxy.http': '127.0.0.1',
    'network.proxy.http_port': port,
    'network.proxy.ssl': '127.0.0.1',
    'network.proxy.ssl_port': port,
    'network.proxy.allow_hijacking_localhost': true,
    'dom.disable_open_during_load': false,
    // The viewer for JSON loads scripts of its own. On a busy machine, a refusal in it was not loaded within a minute.
    'devtools.jsonview.enabled': false,
  });
  const version = /\d+/.exec(await browser.version())?.[0] ?? '';
  const free: Page[] = [];
  let lastOpening: Promise<unknown> = Promise.resolve();
  /** One at a time, because Firefox mixes up simultaneous ones. */
  const openNextWindow = (): Promise<Page> => {
    const opening = lastOpening.then(() => openWindow(browser));
    lastOpening = opening.catch(() => undefined);
    return opening;
  };
  return {
    name: 'Firefox',
    version,
    concurrency: WINDOW_COUNT,
    stopsPages: true,
    async open(url) {
      const window = free.pop() ?? (await openNextWindow());
      // The page may leave itself at once. Then this navigation never ends.
      void window.goto(url).catch(() => undefined);
      return toEnginePage(window, async () => {
        if (await leavePages(window)) free.push(window);
        else await settleWithin(window.browserContext().close(), READ_TIMEOUT_MS);
      });
    },
  };
}

/** Opens a window with its own storage: Firefox draws only one tab of a window. */
async function openWindow(browser: Browser): Promise<Page> {
  const context = await browser.createBrowserContext();
  const window = await context.newPage({ type: 'window' });
  await window.setViewport({ width: 240, height: 200 });
  return window;
}

function toEnginePage(window: Page, close: () => Promise<void>): EnginePage {
  const mapPages = async <T>(map: (page: Page) => Promise<T>): Promise<T[]> => {
    const pages = await window.browserContext().pages();
    const results = pages.map((page) => settleWithin(map(page), PAGE_TIMEOUT_MS));
    return (await Promise.all(results)).filter((result) => result !== undefined);
  };
  return {
    takeScreenshots: () => mapPages((page) => page.screenshot()),
    readDocuments: async () => (await mapPages(readFrames)).flat(),
    isLoaded: async () => (await mapPages(isWindowLoaded)).every(Boolean),
    close,
  };
}

/** Firefox's own page for an error, which it shows instead of a JSON document, never becomes complete. */
const isWindowLoaded = async (window: Page): Promise<boolean> =>
  (await isPageLoaded(window)) ||
  String(await window.evaluate('document.documentURI')).startsWith('about:neterror?');

/** Closes the tabs that the page has opened, and empties it. Returns false if that does not work. */
async function leavePages(window: Page): Promise<boolean> {
  const pages = await window.browserContext().pages();
  const others = pages.filter((page) => page !== window);
  const closing = Promise.all(others.map((page) => page.close())).then(() => true);
  if (!(await settleWithin(closing, LEAVE_TIMEOUT_MS))) return false;
  // After some navigations by a page, this never resolves.
  void window.goto('about:blank').catch(() => undefined);
  const isEmpty = async () =>
    (await settleWithin(window.evaluate('location.href'), READ_TIMEOUT_MS)) === 'about:blank';
  const emptying = waitUntil('the page is empty', isEmpty, { timeoutMs: LEAVE_TIMEOUT_MS });
  return emptying.catch(() => false);
}
