import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import type { Browser, BrowserContext, Request } from 'playwright-core';
import { mapConcurrently } from '../scripts/map-concurrently.ts';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { openTestServer, type TestServer } from '../server/testing/harness.ts';
import { openChromium } from './chromium.ts';
import { type GateCase, makeGateCases } from './gate-cases.ts';
import { countPixels, type RgbColor } from './pixels.ts';
import { TestSites } from './test-sites.ts';
import { makeCertificate, openTlsProxy } from './tls-proxy.ts';
import { openUngatedProxy } from './ungated-proxy.ts';

const MAGENTA: RgbColor = [255, 0, 255];
const VIEWER_DIST = join(import.meta.dirname, '../viewer/dist');
const CONCURRENCY = 8;

/** Opens pages in a browser and looks for the magenta of the design in screenshots. */
describe('the access policy in a browser', { concurrency: 3 }, () => {
  it('shows designs on listed pages only', async (t) => {
    const { fixtures, browser } = await setUp(t, { secure: true });
    const cases = makeGateCases(fixtures);
    assert.deepEqual(await findWrongDecisions(browser, cases), []);
    assert.ok(cases.filter(({ shouldShow }) => shouldShow).length >= 6);
    assert.ok(cases.filter(({ shouldShow }) => !shouldShow).length >= 18);
  });

  it('shows designs on listed pages only, over plain http, where browsers send fewer headers', async (t) => {
    const { fixtures, browser } = await setUp(t, { secure: false });
    const cases = makeGateCases(fixtures).filter(({ needsFetchMetadata }) => !needsFetchMetadata);
    assert.deepEqual(await findWrongDecisions(browser, cases), []);
  });

  it('self-test: without an access policy, every page shows the design', async (t) => {
    const { fixtures, browser, certificate, proxyOptions } = await setUp(t, { secure: true });
    const tls = await openTlsProxy(t, certificate);
    tls.setTarget(await openUngatedProxy(t, proxyOptions));
    const cases = makeGateCases({ ...fixtures, serviceOrigin: `https://ungated.test:${tls.port}` });
    const shown = await watchPages(browser, cases);
    const missed = cases.filter(({ name }) => shown.get(name) !== true).map(({ name }) => name);
    assert.deepEqual(missed, []);
  });
});

async function findWrongDecisions(browser: Browser, cases: readonly GateCase[]): Promise<string[]> {
  const shown = await watchPages(browser, cases);
  return cases
    .filter(({ name, shouldShow }) => shown.get(name) !== shouldShow)
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
  tls.setTarget(plainPort);
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

/** Creates a magenta design, and tokens in every state. */
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
  const issueToken = async (overrides: object = {}) => {
    const origins = [sites.getOrigin('shop.test'), sites.getOrigin('*.wild.test')];
    const payload = { capabilities: ['embed'], origins, type: 'api', user: '~', ...overrides };
    const response = await app.inject({ method: 'POST', url: '/v1/tokens', headers, payload });
    assert.equal(response.statusCode, 201, response.body);
    return response.json() as { id: string; token: string };
  };
  const expired = await issueToken({ expiresAt: new Date(Date.now() + HOUR_MS).toISOString() });
  service.advanceTime(2 * HOUR_MS);
  const revoked = await issueToken();
  await app.inject({ method: 'DELETE', url: `/v1/tokens/${revoked.id}`, headers });
  const good = await issueToken();
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
  // The first page of a browser takes longest, so one page is opened before the measured ones.
  const first = cases.find(({ shouldShow }) => shouldShow);
  if (first !== undefined) await watchPage(browser, first);
  const results = await mapConcurrently(
    cases,
    CONCURRENCY,
    async (gateCase) => [gateCase.name, await watchPage(browser, gateCase)] as const,
  );
  return new Map(results);
}

const IDLE_MS = 2500;
const POLL_INTERVAL_MS = 250;
const TIMEOUT_MS = 60_000;

/**
 * Watches a page until its design shows. If it should not show, watching ends when there was no
 * activity for a while.
 */
async function watchPage(
  browser: Browser,
  { url, clicksButton, shouldShow }: GateCase,
): Promise<boolean> {
  const context = await browser.newContext({
    viewport: { width: 240, height: 200 },
    ignoreHTTPSErrors: true,
  });
  const pendingRequests = new Set<Request>();
  let lastActivity = Date.now();
  const recordActivity = () => {
    lastActivity = Date.now();
  };
  const handleEnd = (request: Request) => {
    pendingRequests.delete(request);
    recordActivity();
  };
  context.on('request', (request) => pendingRequests.add(request));
  context.on('requestfinished', handleEnd).on('requestfailed', handleEnd);
  try {
    const page = await context.newPage();
    await page.goto(url, { waitUntil: 'commit' }).catch(() => undefined);
    if (clicksButton) await page.click('button');
    recordActivity();
    const start = Date.now();
    for (;;) {
      if (await showsMagenta(context)) return true;
      if (Date.now() - start > TIMEOUT_MS) return false;
      if (pendingRequests.size > 0 || (await isViewerRunning(context))) recordActivity();
      if (!shouldShow && Date.now() - lastActivity > IDLE_MS) return showsMagenta(context);
      await page.waitForTimeout(POLL_INTERVAL_MS);
    }
  } finally {
    await context.close();
  }
}

/**
 * Whether a frame has a viewer that has not failed. Such a viewer may still show the design, even if it
 * is ready: its first frame may not be on the screen yet.
 */
async function isViewerRunning(context: BrowserContext): Promise<boolean> {
  const frames = context.pages().flatMap((page) => page.frames());
  const running = frames.map((frame) =>
    frame
      .evaluate(() => {
        const { state } = document.documentElement.dataset;
        if (state === undefined) return document.getElementById('viewer-config') !== null;
        return state === 'loading' || state === 'ready';
      })
      .catch(() => false),
  );
  return (await Promise.all(running)).includes(true);
}

async function showsMagenta(context: BrowserContext): Promise<boolean> {
  for (const page of context.pages()) {
    // A screenshot fails while a page navigates; it is repeated soon.
    const count = await countPixels(page, MAGENTA).catch(() => 0);
    if (count > 500) return true;
  }
  return false;
}
