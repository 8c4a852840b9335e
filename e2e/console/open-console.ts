import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { readConsoleBuild } from '../../server/src/console/console-build.ts';
import { readViewerBuild } from '../../server/src/embed/viewer-build.ts';
import { openTestServer, type TestServerOptions } from '../../server/testing/harness.ts';
import { openSharedChromium } from '../shared-chromium.ts';

const ROOT = join(import.meta.dirname, '../..');

type ConsoleView = {
  width?: number;
  colorScheme?: 'light' | 'dark';
  /** The path below /console. */
  path?: string;
  /** Whether the browser is signed in with the token of the test server. */
  signedIn?: boolean;
};

/**
 * Starts the service, and opens the console at a plain http origin, where browsers send the fewest headers. `errors` are
 * those of the page, and its requests to other origins.
 */
export async function openConsole(
  t: TestContext,
  options: TestServerOptions = {},
  { width = 1440, colorScheme = 'light', path = '', signedIn = true }: ConsoleView = {},
) {
  const service = await openTestServer(t, {
    listen: true,
    viewer: await readViewerBuild(join(ROOT, 'viewer/dist')),
    console: await readConsoleBuild(join(ROOT, 'console/dist')),
    ...options,
  });
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    // The browser also logs 4xx responses here, which are not errors of the page.
    const isRefusal = /status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !isRefusal) errors.push(message.text());
  });
  recordForeignRequests(page, [service.origin, options.publicUrl ?? ''], errors);
  await page.goto(`${service.origin}/console${path}`);
  if (signedIn) await signInToConsole(page, service.token);
  return { service, page, errors };
}

/** Adds the URL of each request of a page to none of the given origins, such as one of a frame or a script in it. */
export function recordForeignRequests(page: Page, origins: string[], errors: string[]): void {
  page.on('request', (request) => {
    const url = request.url();
    if (/^https?:/.test(url) && !origins.includes(new URL(url).origin))
      errors.push(`a request to another origin: ${url}`);
  });
}

/** Removes the errors that the browser logs for responses with a status, which a test has caused. */
export const withoutStatus = (errors: string[], status: number): string[] =>
  errors.filter((error) => !error.includes(`status of ${status}`));

/** Signs in with a token. Returns when the page is shown, whose code is loaded after the navigation is shown. */
export async function signInToConsole(page: Page, token: string): Promise<void> {
  await page.getByLabel('API token').fill(token);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('nav#navigation').waitFor({ state: 'attached' });
  await page.getByRole('heading', { level: 1 }).waitFor();
}
