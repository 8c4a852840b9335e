import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { createTrustArgument, openChromium } from '../chromium.ts';
import type { Certificate } from '../tls-proxy.ts';
import {
  type GateEngine,
  isPageLoaded,
  PAGE_TIMEOUT_MS,
  readFrames,
  settleWithin,
} from './gate-engine.ts';

/** Starts Chromium. It trusts the certificate, so that service workers and the cache work as usual. */
export async function openChromiumEngine(
  t: TestContext,
  certificate: Certificate,
): Promise<GateEngine> {
  const browser = await openChromium(createTrustArgument(certificate));
  t.after(() => browser.close());
  return {
    name: 'Chromium',
    version: browser.version().replace(/\..*/, ''),
    concurrency: 6,
    async open(url) {
      const context = await browser.newContext({ viewport: { width: 240, height: 200 } });
      const first = await context.newPage();
      // A navigation may be interrupted by another one, which the case starts.
      await first.goto(url, { waitUntil: 'commit' }).catch(() => undefined);
      const mapPages = async <T>(map: (page: Page) => Promise<T>): Promise<T[]> => {
        const results = context.pages().map((page) => settleWithin(map(page), PAGE_TIMEOUT_MS));
        return (await Promise.all(results)).filter((result) => result !== undefined);
      };
      return {
        takeScreenshots: () => mapPages((page) => page.screenshot()),
        readDocuments: async () => (await mapPages(readFrames)).flat(),
        isLoaded: async () => (await mapPages(isPageLoaded)).every(Boolean),
        close: () => context.close(),
      };
    },
  };
}
