/** A service, a design that two sites may show, and pages with and without it, for tests of the protocol. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Frame, Page } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import { openEmbeddedDesign } from './embedded-design.ts';
import { extendTimeLimits } from './extend-time-limits.ts';
import { ATTACKER_SCRIPT, countWindowMessages } from './protocol-attacker.ts';
import { openSharedChromium, type SharedBrowser } from './shared-chromium.ts';

const CLIENT = join(import.meta.dirname, 'fixtures/protocol-1/client.js');
const WAIT_OPTIONS = { timeout: 60_000 };

/** The client of protocol 1, in a page. */
export type Connection = {
  synAck: { state: { state: string }; methods: string[] };
  call(method: string, ...args: unknown[]): Promise<unknown>;
  on(name: string, listener: (detail: unknown) => void): void;
  close(): void;
};

declare global {
  interface Window {
    connectProtocol1(
      iframe: Element | null,
      serviceOrigin: string,
      options?: { timeoutMs?: number; versions?: number[] },
    ): Promise<Connection>;
    connection: Connection;
    exerciseProtocol1(connection: Connection): Promise<Record<string, unknown>>;
    protocol1Events: Record<string, unknown[]>;
  }
}

export type ProtocolWorld = Awaited<ReturnType<typeof openProtocolWorld>>;

/** Opens them, and a browser. Ends with the test. */
export async function openProtocolWorld(t: TestContext, options: { model?: Uint8Array } = {}) {
  const embedded = await openEmbeddedDesign(t, options);
  const { sites, send, origin, token } = embedded;
  const origins = ['shop.test', 'brand.test'].map((name) => sites.getOrigin(name));
  await send('PATCH', `/v1/tokens/${token.id}`, { origins });
  const client = await readFile(CLIENT, 'utf8');
  const scripts = `<script>${client}</script><script>${ATTACKER_SCRIPT}</script>`;
  const embed = embedded.html.replace('loading="lazy"', 'loading="eager"');
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  let pageCount = 0;

  /** Adds a page with the scripts of hosts and attackers, and returns its URL. */
  const addPage = (name: string, body = ''): string => {
    pageCount += 1;
    return sites.addPage(name, `/${pageCount}`, `${scripts}<body>${body}`);
  };
  return {
    ...embedded,
    serviceOrigin: origin,
    /** The snippet, which the browser loads at once. */
    embed,
    addPage,
    /** A frame with a page of an attacker. */
    frameOf: (name: string, attributes = '') =>
      `<iframe name="attacker" src="${addPage(name)}" ${attributes}></iframe>`,
    openPage: (t: TestContext, url: string) => openPage(t, browser, url),
  };
}

async function openPage(t: TestContext, browser: SharedBrowser, url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 400, height: 300 } });
  t.after(() => page.context().close());
  await page.addInitScript(extendTimeLimits);
  await page.addInitScript(countWindowMessages);
  await page.goto(url, WAIT_OPTIONS);
  return page;
}

/** Connects the frame of a host page with its first embed, and waits until that shows the model. */
export async function connect(host: Frame, serviceOrigin: string): Promise<void> {
  await host.evaluate(async (origin) => {
    const timeoutMs = 60_000;
    const iframe = document.querySelector('iframe');
    window.connection = await window.connectProtocol1(iframe, origin, { timeoutMs });
    await window.connection.call('getParts');
  }, serviceOrigin);
}

/** What a host page reads of its embed. */
export function readState(host: Frame): Promise<unknown> {
  return host.evaluate(async () => ({
    camera: await window.connection.call('getCamera'),
    parts: await window.connection.call('getParts'),
  }));
}

export async function findFrame(
  page: Page,
  isWanted: (frame: Frame) => boolean | Promise<boolean>,
): Promise<Frame> {
  return waitUntil('the frame is there', async () => {
    for (const frame of page.frames()) if (await isWanted(frame)) return frame;
    return undefined;
  });
}

/** The frame of the embed in a frame of a host page. */
export const findViewer = (host: Frame): Promise<Frame> =>
  findFrame(host.page(), (frame) => {
    return frame.parentFrame() === host && /\/embed\/(iframe|share)\//.test(frame.url());
  });

/** The frame of `frameOf`, when its script has run. */
export async function findAttacker(page: Page): Promise<Frame> {
  const frame = await findFrame(page, (candidate) => candidate.name() === 'attacker');
  await frame.waitForFunction(() => typeof window.attack === 'function', undefined, WAIT_OPTIONS);
  return frame;
}
