import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import type { Browser, BrowserContext, Request } from 'playwright-core';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { openTestServer, type TestServer } from '../server/testing/harness.ts';
import { openChromium } from './chromium.ts';
import { type GateCase, makeGateCases } from './gate-cases.ts';
import { type Colour, countPixels } from './pixels.ts';
import { TestSites } from './sites.ts';
import { makeCertificate, openTlsProxy } from './tls-proxy.ts';
import { openUngatedProxy } from './ungated-proxy.ts';

const MAGENTA: Colour = [255, 0, 255];
const VIEWER_DIST = join(import.meta.dirname, '../viewer/dist');
const CONCURRENCY = 8;

/** Real pages, a real browser, and what a person would see: is there magenta on the screen? */
describe('the gate, in a browser', { concurrency: 3 }, () => {
  it('shows designs on listed pages, and nowhere else', async (t) => {
    const { fixtures, browser } = await setUp(t, { secure: true });
    const cases = makeGateCases(fixtures);
    assert.deepEqual(await findMistakes(browser, cases), []);
    assert.ok(cases.filter(({ shouldShow }) => shouldShow).length >= 6);
    assert.ok(cases.filter(({ shouldShow }) => !shouldShow).length >= 18);
  });

  it('holds over plain http, where browsers say less', async (t) => {
    const { fixtures, browser } = await setUp(t, { secure: false });
    const cases = makeGateCases(fixtures).filter(({ needsFetchMetadata }) => !needsFetchMetadata);
    assert.deepEqual(await findMistakes(browser, cases), []);
  });

  it('is not blind: without a gate, every case leaks', async (t) => {
    const { fixtures, browser, certificate, proxyOptions } = await setUp(t, { secure: true });
    const tls = await openTlsProxy(t, certificate);
    tls.leadTo(await openUngatedProxy(t, proxyOptions));
    const cases = makeGateCases({ ...fixtures, serviceOrigin: `https://open.test:${tls.port}` });
    const seen = await watchPages(browser, cases);
    const unseen = cases.filter(({ name }) => seen.get(name) !== true).map(({ name }) => name);
    assert.deepEqual(unseen, []);
  });
});

async function findMistakes(browser: Browser, cases: readonly GateCase[]): Promise<string[]> {
  const seen = await watchPages(browser, cases);
  return cases
    .filter(({ name, shouldShow }) => seen.get(name) !== shouldShow)
    .map(({ name, shouldShow }) => `${name}: should ${shouldShow ? 'show' : 'not show'}`);
}

async function setUp(t: TestContext, { secure }: { secure: boolean }) {
  const certificate = await makeCertificate();
  const sites = await TestSites.open(t, secure ? certificate : undefined);
  const otherSites = await TestSites.open(t, secure ? certificate : undefined);
  const tls = await openTlsProxy(t, certificate);
  const service = await openTestServer(t, {
    listen: true,
    viewer: await readViewerBuild(VIEWER_DIST),
    ...(secure && { publicUrl: `https://cloche.test:${tls.port}` }),
  });
  const plainPort = Number(new URL(service.origin).port);
  tls.leadTo(plainPort);
  const publicUrl = secure ? `https://cloche.test:${tls.port}` : service.origin;
  const host = new URL(publicUrl).host;

  const fixtures = {
    sites,
    otherPortSites: otherSites,
    serviceOrigin: publicUrl,
    ...(await createDesignAndTokens(service, sites, host)),
  };
  const browser = await openChromium();
  t.after(() => browser.close());
  const referer = `${sites.getOrigin('shop.test')}/`;
  const proxyOptions = {
    servicePort: plainPort,
    serviceHost: host,
    token: fixtures.tokens.good,
    referer,
  };
  return { fixtures, browser, certificate, proxyOptions };
}

/** Makes a magenta design, and tokens in every state. */
async function createDesignAndTokens(service: TestServer, sites: TestSites, host: string) {
  const { app } = service;
  const headers = { authorization: `Bearer ${service.token}`, host };
  const design = await app.inject({
    method: 'POST',
    url: '/v1/designs?name=Magenta',
    headers: { ...headers, 'content-type': 'model/gltf-binary', prefer: 'wait=60' },
    payload: makeBox({ color: [1, 0, 1], unlit: true }),
  });
  assert.equal(design.statusCode, 201, design.body);
  const issue = async (more: object = {}) => {
    const origins = [sites.getOrigin('shop.test'), sites.getOrigin('*.wild.test')];
    const payload = { capabilities: ['embed'], origins, type: 'api', user: '~', ...more };
    const answer = await app.inject({ method: 'POST', url: '/v1/tokens', headers, payload });
    assert.equal(answer.statusCode, 201, answer.body);
    return answer.json() as { id: string; token: string };
  };
  const expired = await issue({ expiresAt: new Date(Date.now() + HOUR_MS).toISOString() });
  service.advanceTime(2 * HOUR_MS);
  const revoked = await issue();
  await app.inject({ method: 'DELETE', url: `/v1/tokens/${revoked.id}`, headers });
  const good = await issue();
  return {
    designId: design.json().id as string,
    tokens: {
      good: good.token,
      expired: expired.token,
      revoked: revoked.token,
      secret: service.token,
    },
  };
}

const HOUR_MS = 3_600_000;

async function watchPages(
  browser: Browser,
  cases: readonly GateCase[],
): Promise<Map<string, boolean>> {
  const seen = new Map<string, boolean>();
  const waiting = [...cases];
  // The first picture of a browser takes longest; the others are not to wait for it.
  const first = cases.find(({ shouldShow }) => shouldShow);
  if (first !== undefined) await watchPage(browser, first);
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      seen.set(next.name, await watchPage(browser, next));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  return seen;
}

const IDLE_MS = 2500;
const POLL_INTERVAL_MS = 250;
const TIMEOUT_MS = 60_000;

/**
 * Watches a page until its design shows. One that should not show is given up once nothing has
 * happened for a good while.
 */
async function watchPage(
  browser: Browser,
  { url, clicksButton, shouldShow }: GateCase,
): Promise<boolean> {
  const context = await browser.newContext({
    viewport: { width: 240, height: 200 },
    ignoreHTTPSErrors: true,
  });
  const underway = new Set<Request>();
  let lastNews = Date.now();
  const news = () => {
    lastNews = Date.now();
  };
  const done = (request: Request) => {
    underway.delete(request);
    news();
  };
  context.on('request', (request) => underway.add(request));
  context.on('requestfinished', done).on('requestfailed', done);
  try {
    const page = await context.newPage();
    await page.goto(url, { waitUntil: 'commit' }).catch(() => undefined);
    if (clicksButton) await page.click('button');
    news();
    const start = Date.now();
    for (;;) {
      if (await showsMagenta(context)) return true;
      if (Date.now() - start > TIMEOUT_MS) return false;
      if (underway.size > 0 || (await isViewerRunning(context))) news();
      if (!shouldShow && Date.now() - lastNews > IDLE_MS) return showsMagenta(context);
      await page.waitForTimeout(POLL_INTERVAL_MS);
    }
  } finally {
    await context.close();
  }
}

/**
 * Is there a viewer in some frame that has not given up? Then it is too early to say that nothing
 * shows. This holds when it is ready, too: the picture it has drawn may not be on the screen yet.
 */
async function isViewerRunning(context: BrowserContext): Promise<boolean> {
  const frames = context.pages().flatMap((page) => page.frames());
  const working = frames.map((frame) =>
    frame
      .evaluate(() => {
        const { state } = document.documentElement.dataset;
        if (state === undefined) return document.getElementById('viewer-config') !== null;
        return state === 'loading' || state === 'ready';
      })
      .catch(() => false),
  );
  return (await Promise.all(working)).includes(true);
}

async function showsMagenta(context: BrowserContext): Promise<boolean> {
  for (const page of context.pages()) {
    // No picture can be taken in the moment a page goes away; the next look is soon.
    const count = await countPixels(page, MAGENTA).catch(() => 0);
    if (count > 500) return true;
  }
  return false;
}
