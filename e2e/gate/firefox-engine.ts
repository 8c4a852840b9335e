import type { TestContext } from 'node:test';
import type { Browser, BrowserContext, Page } from 'puppeteer-core';
import { openFirefox } from '../firefox.ts';
import { openForwardProxy } from '../forward-proxy.ts';
import { type GateEngine, settleWithin } from './gate-engine.ts';

const READ_TIMEOUT_MS = 5000;

/** Starts Firefox. */
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
  });
  const version = /\d+/.exec(await browser.version())?.[0] ?? '';
  return { name: 'Firefox', version, concurrency: 5, open: (url) => openPage(browser, url) };
}

async function openPage(browser: Browser, url: string) {
  const first = await openTab(browser);
  const context = first.browserContext();
  await first.setViewport({ width: 240, height: 200 });
  // The page may leave itself at once. Then this navigation never ends.
  void first.goto(url, { waitUntil: 'load' }).catch(() => undefined);
  const mapPages = async <T>(map: (page: Page) => Promise<T>): Promise<T[]> => {
    const pages = await listPages(context);
    const results = pages.map((page) => settleWithin(map(page), READ_TIMEOUT_MS));
    return (await Promise.all(results)).filter((result) => result !== undefined);
  };
  return {
    takeScreenshots: () => mapPages((page) => page.screenshot()),
    readDocuments: async () => (await mapPages(readFrames)).flat(),
    isLoaded: async () => (await mapPages(isPageLoaded)).every(Boolean),
    close: () => context.close(),
  };
}

const listPages = (context: BrowserContext): Promise<Page[]> => context.pages();

let lastOpening: Promise<unknown> = Promise.resolve();

/**
 * Opens a window with its own storage: Firefox draws only one tab of a window. One at a time, because it mixes up
 * simultaneous ones.
 */
function openTab(browser: Browser): Promise<Page> {
  const opening = lastOpening.then(async () => {
    const context = await browser.createBrowserContext();
    return context.newPage({ type: 'window' });
  });
  lastOpening = opening.catch(() => undefined);
  return opening;
}

async function readFrames(page: Page): Promise<string[]> {
  const documents = page
    .frames()
    .map((frame) =>
      settleWithin(frame.evaluate('document.documentElement.outerHTML'), READ_TIMEOUT_MS),
    );
  return (await Promise.all(documents)).filter((html) => typeof html === 'string');
}

const isPageLoaded = async (page: Page): Promise<boolean> =>
  (await page.evaluate('document.readyState')) === 'complete';
