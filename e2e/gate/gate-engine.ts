import type { EngineName } from './gate-case.ts';

/** Time to read a frame. */
export const READ_TIMEOUT_MS = 5000;
/** Time to read a page with all its frames, or to take a screenshot of it. */
export const PAGE_TIMEOUT_MS = 15_000;

/** A page that was opened in a browser, with the tabs that it has opened. */
export type EnginePage = {
  /** A PNG of each tab. A tab that cannot be captured at the moment has none. */
  takeScreenshots(): Promise<Uint8Array[]>;
  /** The HTML of the documents in all tabs and frames, except those that cannot be read. */
  readDocuments(): Promise<string[]>;
  /** Whether all tabs are loaded. */
  isLoaded(): Promise<boolean>;
  close(): Promise<void>;
};

/** A browser that runs the cases. */
export type GateEngine = {
  name: EngineName;
  /** The version that the table has: `153`. */
  version: string;
  /** Number of pages that are open at the same time. */
  concurrency: number;
  /** The browser sometimes stops a page before its script ends. Such a page decides nothing, and runs again. */
  stopsPages?: boolean;
  /** Opens a URL in a new tab with empty storage. Does not wait until the page is loaded. */
  open(url: string): Promise<EnginePage>;
};

/** The browser has not responded to a command. That says nothing about the case, which runs once more in another browser. */
export class UnresponsiveBrowserError extends Error {}

/** The page has not ended its attempts: that decides nothing. */
export class UnfinishedPageError extends Error {}

/** A page of Playwright or Puppeteer. */
type DriverPage = {
  frames(): { evaluate(script: string): Promise<unknown> }[];
  evaluate(script: string): Promise<unknown>;
};

/** The HTML of a page and of its frames, except those that cannot be read. */
export async function readFrames(page: DriverPage): Promise<string[]> {
  const documents = page
    .frames()
    .map((frame) =>
      settleWithin(frame.evaluate('document.documentElement.outerHTML'), READ_TIMEOUT_MS),
    );
  return (await Promise.all(documents)).filter((html) => typeof html === 'string');
}

export const isPageLoaded = async (page: DriverPage): Promise<boolean> =>
  (await page.evaluate('document.readyState')) === 'complete';

/** Resolves with undefined if a promise rejects or takes longer: a frame that loads cannot be read. */
export async function settleWithin<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([promise, timeout]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
