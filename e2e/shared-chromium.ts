import { after } from 'node:test';
import type { Browser, BrowserContext } from 'playwright-core';
import { openChromium } from './chromium.ts';

/** What tests use of the browser that they share. */
export type SharedBrowser = Pick<Browser, 'newContext' | 'newPage'> & {
  /** Closes the contexts that were opened with this object. */
  close(): Promise<void>;
};

let running: Promise<Browser> | undefined;

// Node runs it when all tests of the process have ended, if this module is loaded outside of a suite.
after(async () => (await running)?.close());

/**
 * Opens the browser that the tests of this process share: to start one takes as long as many tests do. A context has cookies, storage
 * and a cache of its own. Tests that measure the browser, or set its arguments, start one with `openChromium`.
 */
export async function openSharedChromium(): Promise<SharedBrowser> {
  running ??= start();
  const browser = await running;
  const contexts = new Set<BrowserContext>();
  return {
    newContext: async (options) => {
      const context = await browser.newContext(options);
      contexts.add(context);
      return context;
    },
    newPage: async (options) => {
      const page = await browser.newPage(options);
      contexts.add(page.context());
      return page;
    },
    close: async () => {
      await Promise.all([...contexts].map((context) => context.close()));
      contexts.clear();
    },
  };
}

/** Starts the browser. If that fails, or after a crash, the next test starts another one. */
async function start(): Promise<Browser> {
  const forget = () => {
    running = undefined;
  };
  try {
    const browser = await openChromium();
    browser.once('disconnected', forget);
    return browser;
  } catch (error) {
    forget();
    throw error;
  }
}
