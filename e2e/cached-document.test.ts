import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { makeBox } from '@cloche/pipeline/testing/models';
import type { Page } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import { createTrustArgument, openChromium } from './chromium.ts';
import { openEmbeddedDesign } from './embedded-design.ts';
import { renderCyanPoster } from './gate/gate-service.ts';
import { CYAN, countPixels, MAGENTA } from './pixels.ts';

const REVALIDATION = /^\/embed\/iframe\/v1\/[\w-]{36}\/[\w-]{11}\?/;
const DOCUMENT = /^\/embed\/iframe\/v1\/[\w-]{36}\?/;

type Visitor = Awaited<ReturnType<typeof openPageAgain>>;

/** A page with an embed, and a browser that has visited it. */
async function openPageAgain(t: TestContext) {
  const embedded = await openEmbeddedDesign(t, {
    secure: true,
    model: makeBox({ color: [1, 0, 1], unlit: true }),
    processing: { posterRenderer: { render: renderCyanPoster } },
    waitsUntilReady: true,
  });
  const { sites, proxy, certificate, html } = embedded;
  const url = sites.addPage('shop.test', '/', html);
  const browser = await openChromium(createTrustArgument(certificate));
  t.after(() => browser.close());
  const context = await browser.newContext({ viewport: { width: 400, height: 300 } });
  /** Opens a page, and forgets the requests before. */
  const visit = async (address = url) => {
    proxy.requested.length = 0;
    const page = await context.newPage();
    await page.goto(address, { waitUntil: 'commit' });
    return page;
  };
  const listRequests = () =>
    proxy.requested.flatMap((path) => {
      if (REVALIDATION.test(path)) return ['revalidation'];
      return DOCUMENT.test(path) ? ['document'] : [];
    });
  const first = await visit();
  await waitUntilShown(first);
  assert.deepEqual(listRequests(), ['document']);
  await first.close();
  return { ...embedded, visit, listRequests };
}

async function waitUntilShown(page: Page): Promise<void> {
  const isShown = async () => (await countPixels(page, MAGENTA)) > 1000;
  await waitUntil('the model is shown', isShown);
}

/** Waits for a state, and fails if a pixel of the design is shown before. */
async function waitWithoutPixels(page: Page, isOver: () => Promise<boolean>): Promise<void> {
  await waitUntil('the state without the design', async () => {
    const ended = await isOver();
    assert.equal(await countPixels(page, MAGENTA, CYAN), 0);
    return ended;
  });
}

/** Reads the URL, the tag of the root element, the title and the texts of the embed. Empty while another document is loaded. */
const readFrame = async (page: Page): Promise<string> =>
  (await page
    .frames()[1]
    ?.evaluate(() => {
      const root = document.documentElement.cloneNode() as Element;
      return `${location.href} ${root.outerHTML} ${document.title} ${document.body.textContent}`;
    })
    .catch(() => undefined)) ?? '';

it('a document from the cache is shown after one small request', async (t) => {
  const { visit, listRequests } = await openPageAgain(t);
  const page = await visit();
  await waitUntilShown(page);
  assert.deepEqual(listRequests(), ['revalidation']);
  assert.doesNotMatch(await readFrame(page), /data-cached/);
});

it('until the service has answered, it shows nothing, takes no focus, and answers no host page', async (t) => {
  const { visit, proxy, listRequests } = await openPageAgain(t);
  let release = () => {};
  const heldUntil = new Promise<void>((resolve) => {
    release = resolve;
  });
  proxy.interferences = [{ path: REVALIDATION, heldUntil }];
  const page = await visit();
  await page.evaluate(connect);
  const isDrawn = async () => /data-state="ready"[^>]*data-interactive/.test(await readFrame(page));
  await waitWithoutPixels(page, isDrawn);
  const focused = await page.frames()[1]?.evaluate(() => {
    const elements = document.querySelectorAll<HTMLElement>('[tabindex], button, a');
    for (const element of elements) element.focus();
    return `${elements.length > 0} ${document.activeElement?.localName}`;
  });
  assert.equal(focused, 'true body');
  assert.equal(await page.evaluate(() => window.answerCount), 0);
  assert.deepEqual(listRequests(), ['revalidation']);
  release();
  await waitUntilShown(page);
  await waitUntil('an answer', () => page.evaluate(() => window.answerCount > 0));
});

const refusals: [string, (visitor: Visitor) => Promise<unknown>, string][] = [
  [
    'token is revoked',
    ({ send, token }) => send('DELETE', `/v1/tokens/${token.id}`),
    'token.revoked',
  ],
  [
    'origin is removed',
    ({ send, token }) =>
      send('PATCH', `/v1/tokens/${token.id}`, { origins: ['https://fair.example'] }),
    // The reload does not name the page, so the browser decides by `frame-ancestors`, and shows a message of its own.
    'chrome-error:',
  ],
  [
    'design is deleted',
    ({ send, design }) => send('DELETE', `/v1/designs/${design.id}`),
    'design.unknown',
  ],
];
for (const [name, change, message] of refusals) {
  it(`it shows nothing of the design after its ${name}`, async (t) => {
    const visitor = await openPageAgain(t);
    await change(visitor);
    const page = await visitor.visit();
    await waitWithoutPixels(page, async () => (await readFrame(page)).includes(message));
    assert.deepEqual(visitor.listRequests(), ['revalidation', 'document']);
    // Also after all scripts have run.
    await delay(1000);
    assert.equal(await countPixels(page, MAGENTA, CYAN), 0);
  });
}

it('it is replaced if the design has changed', async (t) => {
  const { send, design, visit, listRequests } = await openPageAgain(t);
  await send('PATCH', `/v1/designs/${design.id}`, { name: 'Ash chair' });
  const page = await visit();
  await waitUntilShown(page);
  assert.deepEqual(listRequests(), ['revalidation', 'document']);
  assert.match(await readFrame(page), /Ash chair/);
});

it('it shows nothing without a connection', async (t) => {
  const { proxy, visit, listRequests } = await openPageAgain(t);
  proxy.interferences = [{ path: /^\/embed\/iframe\//, cutAt: 0 }];
  const page = await visit();
  await waitWithoutPixels(page, async () => (await readFrame(page)).includes('chrome-error:'));
  assert.deepEqual(new Set(listRequests()), new Set(['revalidation', 'document']));
});

it('it shows nothing if its scripts do not run', async (t) => {
  const { sites, html, visit, listRequests, send, token } = await openPageAgain(t);
  await send('DELETE', `/v1/tokens/${token.id}`);
  for (const sandbox of ['', 'allow-same-origin']) {
    const sandboxed = html.replace('<iframe', `<iframe sandbox="${sandbox}"`);
    const page = await visit(sites.addPage('shop.test', `/sandbox-${sandbox}`, sandboxed));
    await waitUntil('the document is loaded', async () =>
      /Oak chair|token\.revoked/.test(await readFrame(page)),
    );
    await delay(500);
    assert.equal(await countPixels(page, MAGENTA, CYAN), 0);
    // The browser has taken it from its cache.
    assert.deepEqual(listRequests(), []);
    await page.close();
  }
});

it('a page of another origin of the same site does not get it', async (t) => {
  const { sites, html, visit, listRequests } = await openPageAgain(t);
  const page = await visit(sites.addPage('evil.shop.test', '/', html));
  await waitWithoutPixels(page, async () => (await readFrame(page)).includes('embed.origin'));
  assert.deepEqual(listRequests(), ['document']);
});

declare global {
  interface Window {
    answerCount: number;
  }
}

/** Runs in the host page: asks the embed for a connection until it gets one. */
function connect(): void {
  window.answerCount = 0;
  const timer = setInterval(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      window.answerCount += 1;
      clearInterval(timer);
    };
    const { contentWindow } = document.querySelector('iframe') as HTMLIFrameElement;
    contentWindow?.postMessage({ cloche: 'syn', versions: [1, 2] }, '*', [port2]);
  }, 100);
}
