/** Opens the viewer in a browser, in the iframe of a host page, and examines its picture. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserContextOptions, Frame, Page } from 'playwright-core';
import sharp from 'sharp';
import { extendTimeLimits } from '../../e2e/extend-time-limits.ts';
import type { SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
// The type of `globalThis.clochePageMember1`.
import type {} from '../src/renderer/page-contexts.ts';
import { openViewerServer, type ViewerServer, type ViewerServerOptions } from './test-server.ts';

/** CSS pixels. */
const VIEWPORT = { width: 600, height: 400 };

/** One device pixel for 2 × 2 CSS pixels: software rendering takes a quarter of the time. */
const DEVICE_SCALE_FACTOR = 0.5;

export type EmbeddedViewer = {
  server: ViewerServer;
  page: Page;
  frame: Frame;
  /** Errors and warnings of the console, and requests to other hosts. */
  consoleErrors: string[];
};

/** Opens the host page. It is closed at the end of the test. */
export async function openEmbeddedViewer(
  t: TestContext,
  browser: SharedBrowser,
  served: ViewerServerOptions,
  options: BrowserContextOptions & { script?: (() => void) | string } = {},
): Promise<EmbeddedViewer> {
  const server = await openViewerServer(served);
  t.after(() => server[Symbol.asyncDispose]());
  const context = await browser.newContext({
    viewport: VIEWPORT,
    deviceScaleFactor: DEVICE_SCALE_FACTOR,
    ...options,
  });
  t.after(() => context.close());
  await context.addInitScript(extendTimeLimits);
  if (options.script) await context.addInitScript(options.script);
  const page = await context.newPage();

  const consoleErrors: string[] = [];
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    if (!READ_BACK_WARNING.test(message.text())) consoleErrors.push(message.text());
  });
  page.on('pageerror', (error) => consoleErrors.push(error.message));
  const ownHosts = new Set([new URL(server.hostUrl).host, new URL(server.frameUrl).host]);
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && !ownHosts.has(url.host))
      consoleErrors.push(request.url());
  });

  await page.goto(server.hostUrl);
  const frame = page.frames()[1];
  if (frame === undefined) throw new Error('The host page has no frame.');
  return { server, page, frame, consoleErrors };
}

/** Opens a model, without errors and with one device pixel for each CSS pixel, and returns the picture with its controls. */
export async function takeModelPicture(
  t: TestContext,
  browser: SharedBrowser,
  model: Uint8Array<ArrayBuffer>,
  script?: (() => void) | string,
): Promise<{ frame: Frame; data: Uint8Array; width: number }> {
  const options = { deviceScaleFactor: 1, ...(script && { script }) };
  const { page, frame, consoleErrors } = await openEmbeddedViewer(t, browser, { model }, options);
  assert.equal(await waitUntilLoaded(frame), 'ready');
  await waitForControls(frame);
  assert.deepEqual(consoleErrors, []);
  const { data, width } = await readScreenPixels(page);
  return { frame, data, width };
}

/** A performance warning of browsers without a GPU, which read back the WebGL canvas. */
const READ_BACK_WARNING = /GL Driver Message \(OpenGL, Performance, .*GPU stall due to ReadPixels/;

/** Frames that are out of view have no animation frames, in which `waitForFunction` polls by default. */
export const POLL_BY_TIMER = { polling: 50 };

/** Moves the frame out of view, and takes its context, as another document does that needs it. */
export async function unloadOutOfView(page: Page, frame: Frame): Promise<void> {
  await page.evaluate(() => {
    document.body.style.paddingTop = '3000px';
  });
  await frame.waitForFunction(
    () => globalThis.clochePageMember1?.release(),
    undefined,
    POLL_BY_TIMER,
  );
}

/** Waits until the state is no longer `loading`, and returns it. */
export async function waitUntilLoaded(frame: Frame): Promise<string> {
  await frame.waitForFunction(
    () => document.documentElement.dataset.state !== 'loading',
    undefined,
    POLL_BY_TIMER,
  );
  return (await frame.evaluate(() => document.documentElement.dataset.state)) ?? '';
}

/** Waits until the toolbar is visible, and the picture, with the shadow, no longer changes. */
export async function waitForControls(frame: Frame): Promise<void> {
  await frame.locator('#toolbar').waitFor({ state: 'visible' });
  await waitForStablePicture(frame.page());
}

/** Records the hints, which are visible for a moment only: a slow test would miss them. Returns a function that returns their texts. */
export async function recordHints(frame: Frame): Promise<() => Promise<string[]>> {
  await frame.locator('#hint').evaluate((element) => {
    const shown: string[] = [];
    Object.assign(window, { shown });
    new MutationObserver(() => {
      if (element.className === 'visible') shown.push(element.textContent ?? '');
    }).observe(element, { attributeFilter: ['class'] });
  });
  return () => frame.evaluate(() => (window as never as { shown: string[] }).shown);
}

/** Selects an entry of a menu of the control bar, and closes the menu. */
export async function selectInMenu(
  frame: Frame,
  menu: 'Variants' | 'Animations',
  name: string,
): Promise<void> {
  const button = frame.getByRole('button', { name: menu, exact: true });
  await button.click();
  await frame.getByRole('radio', { name, exact: true }).check();
  await button.click();
}

/**
 * Clicks, once or twice, without waiting between the events: on a slow machine, a click would last as long as a press, and two clicks
 * would not be a double click.
 */
export async function clickAtOnce(
  page: Page,
  { x, y, count = 1 }: { x: number; y: number; count?: 1 | 2 },
): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const send = (type: 'mousePressed' | 'mouseReleased', clickCount: number) =>
    devtools.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount });
  await devtools.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
  const clicks = Array.from({ length: count }, (_, index) => index + 1);
  await Promise.all(clicks.flatMap((n) => [send('mousePressed', n), send('mouseReleased', n)]));
}

const STABLE_MS = 600;
/** Screenshots take time from the browser, which draws. */
const SCREENSHOT_INTERVAL_MS = STABLE_MS / 2;

/** Waits until at least three screenshots, over STABLE_MS, are equal. Each document has drawn two frames before each of them. */
export async function waitForStablePicture(page: Page): Promise<void> {
  const frames = page.frames();
  const areDrawn = await Promise.all(frames.map(waitTwoFrames));
  const drawn = frames.filter((_, index) => areDrawn[index]);
  let [last, count, stableSince]: [Buffer, number, number] = [Buffer.alloc(0), 0, 0];
  await waitUntil('the picture is stable', async () => {
    // On a slow machine, equal screenshots may show the same frame of a movement.
    await Promise.all(drawn.map((frame) => waitTwoFrames(frame).catch(() => false)));
    const { data } = await readScreenPixels(page);
    if (!data.equals(last)) [last, count, stableSince] = [data, 0, Date.now()];
    count++;
    if (count >= 3 && Date.now() - stableSince >= STABLE_MS) return true;
    await delay(SCREENSHOT_INTERVAL_MS);
    return false;
  });
}

/** Waits for two frames, in which pending changes are drawn. Returns false after 5 s: hidden documents have no frames. */
function waitTwoFrames(frame: Frame): Promise<boolean> {
  return frame.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(true)));
        setTimeout(resolve, 5_000, false);
      }),
  );
}

/**
 * Runs in each document: the scripts wait for the poster for any time. Otherwise, on a slow machine, it would be later than the time for
 * which they wait (`MAX_POSTER_WAIT_MS` in boot.ts).
 */
export function waitForPoster(): void {
  const { setTimeout } = window;
  window.setTimeout = ((handler: () => void, ms?: number) =>
    ms === 100 ? 0 : setTimeout(handler, ms)) as never;
}

/**
 * Sets the device pixels per CSS pixel, as zooming a page does, or another screen. A frame with a size in pixels keeps it.
 *
 * The page becomes wider by a pixel: Chromium does not report an emulated pixel ratio alone.
 */
export async function setPixelRatio(page: Page, deviceScaleFactor: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { width, height } = page.viewportSize() ?? VIEWPORT;
  const metrics = { width: width + 1, height, deviceScaleFactor, mobile: false };
  await session.send('Emulation.setDeviceMetricsOverride', metrics);
}

/** Runs an action that changes the picture, and waits until the picture is stable again. */
export async function waitForPictureChange(
  page: Page,
  action: () => Promise<unknown>,
): Promise<void> {
  const before = (await readScreenPixels(page)).data;
  await action();
  await waitUntil(
    'the picture changes',
    async () => !(await readScreenPixels(page)).data.equals(before),
  );
  await waitForStablePicture(page);
}

/** A page of which screenshots can be taken: in Chromium by Playwright, in Firefox by Puppeteer. */
export type Screen = { screenshot(): Promise<Uint8Array> };

/** Takes a screenshot and returns its pixels: red, green, blue, red, … */
export async function readScreenPixels(page: Screen): Promise<{ data: Buffer; width: number }> {
  const png = await takeScreenshot(page);
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width };
}

/** Returns the largest difference of two pictures of the same size, of 255. */
export function getLargestDifference(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((largest, value, at) => Math.max(largest, Math.abs(value - (b[at] ?? 0))), 0);
}

/** Chromium takes none while it replaces the surface of a page that was just opened. */
function takeScreenshot(page: Screen): Promise<Uint8Array> {
  return waitUntil('a screenshot can be taken', () =>
    page.screenshot().catch((error: Error) => {
      if (!error.message.includes('Unable to capture screenshot')) throw error;
      return undefined;
    }),
  );
}

/** Returns the bounds and the number of the pixels of a screenshot that match. CSS pixels. */
export async function findPixels(
  page: Page,
  matches: (red: number, green: number, blue: number) => boolean,
): Promise<{ count: number; left: number; right: number; top: number; bottom: number }> {
  const { data, width } = await readScreenPixels(page);
  const cssPixelsPerPixel = (page.viewportSize() ?? VIEWPORT).width / width;
  const found = { count: 0, left: Infinity, right: -1, top: Infinity, bottom: -1 };
  for (let index = 0; index < data.length; index += 3) {
    const [red = 0, green = 0, blue = 0] = data.subarray(index, index + 3);
    if (!matches(red, green, blue)) continue;
    const pixel = index / 3;
    const x = (pixel % width) * cssPixelsPerPixel;
    const y = Math.floor(pixel / width) * cssPixelsPerPixel;
    found.count += cssPixelsPerPixel ** 2;
    found.left = Math.min(found.left, x);
    found.right = Math.max(found.right, x);
    found.top = Math.min(found.top, y);
    found.bottom = Math.max(found.bottom, y);
  }
  return found;
}

/** Whether a pixel has the color of the boxes of box-models.ts, in any light. */
export function isGreen(red: number, green: number, blue: number): boolean {
  return green > 60 && green > red * 1.6 && green > blue * 1.4;
}
