import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../../scripts/wait-until.ts';
import { CYAN, countPixels, MAGENTA, type RgbColor } from '../pixels.ts';
import { type EngineName, type GateCase, getCorrectOutcome, type Outcome } from './gate-case.ts';
import { type EnginePage, UnfinishedPageError } from './gate-engine.ts';
import type { GateRun } from './gate-run.ts';
import { CANARIES } from './gate-service.ts';

/** A page of a case that is open in a browser. */
export type WatchedPage = { page: EnginePage; run: GateRun; gateCase: GateCase; timeoutMs: number };

/** The service has sent a document: if neither the browser nor the viewer refused it, it is painted by then. */
const SETTLE_MS = 400;
const MIN_PIXELS = 300;
const SCREENSHOT_INTERVAL_MS = 100;
/** That of the messages. */
const TEXT: RgbColor = [28, 30, 34];

/** Waits for the correct outcome, and returns it. Throws if there is another one. */
export async function watchPage(watched: WatchedPage, engine: EngineName): Promise<Outcome> {
  const { page, gateCase, timeoutMs } = watched;
  const correct = getCorrectOutcome(gateCase, engine);
  await waitForAttempts(watched);
  if (correct === 'denied') {
    await waitForDenial(watched);
    const leak = await findLeak(watched);
    if (leak !== undefined) throw new Error(`not denied: ${leak}`);
    return correct;
  }
  if (correct === 'message') {
    await waitForMessage(page, timeoutMs);
    return correct;
  }
  const color = correct === 'shown' ? MAGENTA : CYAN;
  await waitUntil(`the design is ${correct}`, () => willShowColor(page, color), { timeoutMs });
  if (correct === 'poster' && (await showsColor(page, MAGENTA))) {
    throw new Error('not only the poster is shown');
  }
  return correct;
}

/** Waits until the page shows or reads the design. */
export async function watchControl(watched: WatchedPage): Promise<void> {
  const { page, run, gateCase, timeoutMs } = watched;
  await waitForAttempts(watched);
  const { evidence } = run;
  const { kind = 'frame' } = gateCase;
  const checks = {
    frame: () => willShowColor(page, MAGENTA, CYAN),
    request: () => evidence.documents + evidence.assets > 0,
    read: () => evidence.reports.some(hasCanary),
  };
  await waitUntil('the control shows the design', checks[kind], { timeoutMs });
}

async function waitForAttempts({ run, timeoutMs }: WatchedPage): Promise<void> {
  try {
    await waitUntil('the page has ended its attempts', () => run.isDone, { timeoutMs });
  } catch (error) {
    throw new UnfinishedPageError(String(error), { cause: error });
  }
}

/** Waits until the service has answered all requests, and the browser shows what it shows instead of the design. */
async function waitForDenial({ page, run, gateCase, timeoutMs }: WatchedPage): Promise<void> {
  const { evidence } = run;
  const { leavesPage, minRequests = 1 } = gateCase;
  const isAnswered = () => evidence.responses >= minRequests;
  await waitUntil('the service answers', isAnswered, { timeoutMs });
  await waitUntil('the page is loaded', () => page.isLoaded(), { timeoutMs });
  await waitForRevalidation(page, timeoutMs);
  if (evidence.documents > 0) await delay(SETTLE_MS);
  if (!leavesPage) return;
  const showsRefusal = async () => (await page.readDocuments()).some(isRefusal);
  await waitUntil('the refusal is shown', showsRefusal, { timeoutMs });
}

/** A document from the browser's cache that waits for the service. */
const isUndecided = (html: string) => /^<html[^>]* data-cached=/.test(html);

/** Waits for the message of a document whose scripts do not run, and fails if it shows the design. */
async function waitForMessage(page: EnginePage, timeoutMs: number): Promise<void> {
  const isLoaded = async () =>
    (await page.readDocuments()).some((html) => html.includes('id="not-started"'));
  await waitUntil('the document is loaded', isLoaded, { timeoutMs });
  await waitUntil('the message is shown', () => willShowColor(page, TEXT), { timeoutMs });
  await delay(SETTLE_MS);
  if (await showsColor(page, MAGENTA, CYAN)) throw new Error('not only the message is shown');
}

/** Waits until no document from the browser's cache waits for the service anymore. It must show nothing until then. */
async function waitForRevalidation(page: EnginePage, timeoutMs: number): Promise<void> {
  const isOver = async () => {
    if (!(await page.readDocuments()).some((html) => isUndecided(html))) return true;
    if (await showsColor(page, MAGENTA, CYAN)) throw new Error('not denied: pixels from the cache');
    return false;
  };
  await waitUntil('cached documents are replaced', isOver, { timeoutMs });
}

/** An error page of the service, a message of the viewer, or a problem as JSON. */
const isRefusal = (html: string) => /id="code"|data-state="refused"|\bproblems#/.test(html);

/** Says how the page has got something of the design. */
async function findLeak({ page, run, gateCase }: WatchedPage): Promise<string | undefined> {
  const { evidence } = run;
  const texts = [...(await page.readDocuments()), ...evidence.reports];
  if (texts.some(hasCanary)) return 'a canary';
  if (evidence.reports.some((text) => text.includes('glTF'))) return 'the model';
  if (await showsColor(page, MAGENTA, CYAN)) return 'pixels';
  if (evidence.assets > 0) return `${evidence.assets} files were served`;
  if (gateCase.kind === 'request' && evidence.documents > 0) return 'the document was served';
  return undefined;
}

const hasCanary = (text: string) => CANARIES.some((canary) => text.includes(canary));

/** Like showsColor, but slower: screenshots take time from the browser, which draws the design. */
async function willShowColor(page: EnginePage, ...colors: RgbColor[]): Promise<boolean> {
  await delay(SCREENSHOT_INTERVAL_MS);
  return showsColor(page, ...colors);
}

async function showsColor(page: EnginePage, ...colors: RgbColor[]): Promise<boolean> {
  for (const png of await page.takeScreenshots()) {
    const count = await countPixels({ screenshot: async () => png }, ...colors);
    if (count >= MIN_PIXELS) return true;
  }
  return false;
}
