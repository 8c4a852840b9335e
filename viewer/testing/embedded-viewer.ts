/** A browser with the viewer framed in a host page, for tests; closed with the test. */
import type { TestContext } from 'node:test';
import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core';
import sharp from 'sharp';
import { openViewerServer, type ViewerServer, type ViewerServerOptions } from './test-server.ts';

/** CSS pixels. */
const VIEWPORT = { width: 600, height: 400 };

/** Two by two CSS pixels are one on the screen: a processor draws a quarter as many in less time. */
const DEVICE_SCALE_FACTOR = 0.5;

export type EmbeddedViewer = {
  server: ViewerServer;
  page: Page;
  frame: Frame;
  consoleErrors: string[];
};

/** Opens the host page; what the console complains of, and requests to elsewhere, are collected. */
export async function openEmbeddedViewer(
  t: TestContext,
  browser: Browser,
  served: ViewerServerOptions,
  options: BrowserContextOptions & { script?: () => void } = {},
): Promise<EmbeddedViewer> {
  const server = await openViewerServer(served);
  t.after(() => server[Symbol.asyncDispose]());
  const context = await browser.newContext({
    viewport: VIEWPORT,
    deviceScaleFactor: DEVICE_SCALE_FACTOR,
    ...options,
  });
  t.after(() => context.close());
  if (options.script) await context.addInitScript(options.script);
  const page = await context.newPage();

  const consoleErrors: string[] = [];
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    if (!READ_BACK_WARNING.test(message.text())) consoleErrors.push(message.text());
  });
  page.on('pageerror', (error) => consoleErrors.push(error.message));
  const ours = new Set([new URL(server.hostUrl).host, new URL(server.frameUrl).host]);
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && !ours.has(url.host)) consoleErrors.push(request.url());
  });

  await page.goto(server.hostUrl);
  const frame = page.frames()[1];
  if (frame === undefined) throw new Error('The host page has no frame.');
  return { server, page, frame, consoleErrors };
}

/** Without a GPU the browser itself reads back what WebGL has drawn, and complains of it. */
const READ_BACK_WARNING = /GL Driver Message \(OpenGL, Performance, .*GPU stall due to ReadPixels/;

/** Waits until the frame has left its first state, and says which it has now. */
export async function waitUntilLoaded(frame: Frame): Promise<string> {
  const state = () => document.documentElement.dataset.state;
  await frame.waitForFunction(() => document.documentElement.dataset.state !== 'loading');
  return (await frame.evaluate(state)) ?? '';
}

/** Waits until the buttons are there, and everything that arrives with them has come to rest. */
export async function waitForControls(frame: Frame): Promise<void> {
  await frame.locator('#reset').waitFor({ state: 'visible' });
  await waitForStablePicture(frame.page());
}

const WAIT_TIMEOUT_MS = 20_000;
const STABLE_MS = 600;

/** Waits until something holds that must come about by itself. */
export async function waitUntil(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + WAIT_TIMEOUT_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Not within ${WAIT_TIMEOUT_MS / 1000} s: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Waits until the picture stands still: at least three looks, none unlike the one before. */
export async function waitForStablePicture(page: Page): Promise<void> {
  await Promise.all(page.frames().map(waitTwoFrames));
  let [last, looks, since]: [Buffer, number, number] = [Buffer.alloc(0), 0, 0];
  await waitUntil('the picture is at rest', async () => {
    const { data } = await readScreenPixels(page);
    if (!data.equals(last)) [last, looks, since] = [data, 0, Date.now()];
    looks++;
    return looks >= 3 && Date.now() - since >= STABLE_MS;
  });
}

/** What was asked of a document just now is drawn two frames later, if it is in sight at all. */
async function waitTwoFrames(frame: Frame): Promise<void> {
  await frame.evaluate(
    () =>
      new Promise<void>((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
        setTimeout(resolve, 2000);
      }),
  );
}

/** Does something that changes the picture; waits until it has changed, and stands still again. */
export async function waitForPictureChange(page: Page, act: () => Promise<unknown>): Promise<void> {
  const before = (await readScreenPixels(page)).data;
  await act();
  await waitUntil(
    'the picture changes',
    async () => !(await readScreenPixels(page)).data.equals(before),
  );
  await waitForStablePicture(page);
}

/** The screen's pixels as red, green, blue, red, … */
export async function readScreenPixels(page: Page): Promise<{ data: Buffer; width: number }> {
  const png = await page.screenshot();
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width };
}

/** The box around the pixels for which `matches` says yes, and how many they are; in CSS pixels. */
export async function findPixels(
  page: Page,
  matches: (red: number, green: number, blue: number) => boolean,
): Promise<{ count: number; left: number; right: number; top: number; bottom: number }> {
  const { data, width } = await readScreenPixels(page);
  const perPixel = (page.viewportSize() ?? VIEWPORT).width / width;
  const found = { count: 0, left: Infinity, right: -1, top: Infinity, bottom: -1 };
  for (let index = 0; index < data.length; index += 3) {
    const [red = 0, green = 0, blue = 0] = data.subarray(index, index + 3);
    if (!matches(red, green, blue)) continue;
    const at = index / 3;
    const [x, y] = [(at % width) * perPixel, Math.floor(at / width) * perPixel];
    found.count += perPixel ** 2;
    found.left = Math.min(found.left, x);
    found.right = Math.max(found.right, x);
    found.top = Math.min(found.top, y);
    found.bottom = Math.max(found.bottom, y);
  }
  return found;
}

/** The colour of the boxes that models.ts makes, in any light. */
export function isGreen(red: number, green: number, blue: number): boolean {
  return green > 60 && green > red * 1.6 && green > blue * 1.4;
}
