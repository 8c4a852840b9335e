/** Opens pages with the built SDK and fake viewers, in a browser. */

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Frame, Page } from 'playwright-core';
import { extendTimeLimits } from '../../e2e/extend-time-limits.ts';
import type { SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { runFakeViewer } from './fake-viewer.ts';

const ASSETS = join(import.meta.dirname, '../dist/assets');
export const DESIGN = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';

export type SdkPage = {
  page: Page;
  /** The origin of the service, which sends the SDK and the fake viewers. */
  service: string;
  /** The URL of a fake viewer. */
  viewerUrl: string;
  /** Console messages and errors of the page and its frames. */
  messages: string[];
  /** The paths that were requested from the service, with their queries. */
  requests: string[];
};

export type SdkPageOptions = {
  /** The HTML of the page. `SERVICE` becomes the origin of the service, `VIEWER` the URL of a fake viewer. */
  html: string;
  /** Other files of the page's site, by path. */
  files?: Record<string, string>;
  /** Headers of the page. */
  headers?: Record<string, string>;
  /** Whether time stops, so that tests move it on. */
  fakeTime?: boolean;
  /** The host name of the service. */
  serviceHost?: string;
};

/** Opens a page on `shop.test`. It is closed after the test. */
export async function openSdkPage(
  t: TestContext,
  browser: SharedBrowser,
  { html, files = {}, headers = {}, fakeTime = false, serviceHost = 'cloche.test' }: SdkPageOptions,
): Promise<SdkPage> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    const isService = url.hostname === serviceHost;
    if (isService) requests.push(`${url.pathname}${url.search}`);
    const file = isService ? await findServiceFile(url) : findFile(url);
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': `${/js$/.test(url.pathname) ? 'text/javascript' : 'text/html'}; charset=utf-8`,
      'access-control-allow-origin': '*',
      ...(!isService && headers),
    });
    response.end(file);
  });
  server.listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const service = `http://${serviceHost}:${port}`;
  const viewerUrl = `${service}/embed/iframe/v1/${DESIGN}`;
  const fill = (text: string) =>
    text.replace(/\bSERVICE\b/g, service).replace(/\bVIEWER\b/g, `${viewerUrl}?token=t`);
  const findFile = ({ pathname }: URL) => {
    const text = pathname === '/' ? `<!doctype html><title>Shop</title>${html}` : files[pathname];
    return text === undefined ? undefined : fill(text);
  };

  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  const messages: string[] = [];
  page.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => messages.push(String(error)));
  // A slow machine must not reach the time limits of the SDK.
  if (fakeTime) await page.clock.install();
  else await page.addInitScript(extendTimeLimits);
  await page.goto(`http://shop.test:${port}/`);
  return { page, service, viewerUrl, messages, requests };
}

async function findServiceFile({ pathname }: URL): Promise<string | undefined> {
  if (pathname.startsWith('/sdk/v1/'))
    return readFile(join(ASSETS, pathname.slice('/sdk/v1/'.length)), 'utf8');
  if (pathname.startsWith('/embed/'))
    return `<!doctype html><title>Viewer</title><script>(${runFakeViewer})()</script>`;
  return pathname === '/other' ? '<!doctype html><title>Other</title>' : undefined;
}

/** Waits for the frame of a fake viewer that has finished the handshake. */
export async function waitForViewer(page: Page, index = 0): Promise<Frame> {
  return waitUntil('the viewer is connected', async () => {
    const frame = page.frames().filter((frame) => frame.parentFrame() !== null)[index];
    const isConnected = await frame?.evaluate(() => window.viewer?.ackCount > 0).catch(() => false);
    return isConnected ? frame : false;
  });
}

/** The calls that a fake viewer has received. */
export function readCalls(frame: Frame): Promise<string[]> {
  return frame.evaluate(() => window.viewer.calls);
}
