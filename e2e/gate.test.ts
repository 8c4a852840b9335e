import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Browser, BrowserContext, Request } from 'playwright-core';
import { readViewerFiles } from '../server/src/embed/viewer-files.ts';
import { openService, type Service } from '../server/testing/harness.ts';
import { makeBox } from '../server/testing/models.ts';
import { openChromium } from './chromium.ts';
import { type Case, makeCases } from './gate.cases.ts';
import { openVariant } from './open-variant.ts';
import { type Colour, countPixels } from './pixels.ts';
import { Sites } from './sites.ts';
import { makeCertificate, openTls } from './tls.ts';

const MAGENTA: Colour = [255, 0, 255];
const VIEWER = join(import.meta.dirname, '../viewer/dist');
const LANES = 8;

/** Real pages, a real browser, and what a person would see: is there magenta on the screen? */
describe('the gate, in a browser', { concurrency: 3 }, () => {
  it('shows designs on listed pages, and nowhere else', async (t) => {
    const { cast, browser } = await setTheStage(t, { secure: true });
    const cases = makeCases(cast);
    assert.deepEqual(await mistakes(browser, cases), []);
    assert.ok(cases.filter(({ shows }) => shows).length >= 6);
    assert.ok(cases.filter(({ shows }) => !shows).length >= 18);
  });

  it('holds over plain http, where browsers say less', async (t) => {
    const { cast, browser } = await setTheStage(t, { secure: false });
    const cases = makeCases(cast).filter(({ needsFetchMetadata }) => !needsFetchMetadata);
    assert.deepEqual(await mistakes(browser, cases), []);
  });

  it('is not blind: without a gate, every case leaks', async (t) => {
    const { cast, browser, certificate, way } = await setTheStage(t, { secure: true });
    const tls = await openTls(t, certificate);
    tls.leadTo(await openVariant(t, way));
    const cases = makeCases({ ...cast, service: `https://open.test:${tls.port}` });
    const seen = await watchAll(browser, cases);
    const unseen = cases.filter(({ name }) => seen.get(name) !== true).map(({ name }) => name);
    assert.deepEqual(unseen, []);
  });
});

async function mistakes(browser: Browser, cases: readonly Case[]): Promise<string[]> {
  const seen = await watchAll(browser, cases);
  return cases
    .filter(({ name, shows }) => seen.get(name) !== shows)
    .map(({ name, shows }) => `${name}: should ${shows ? 'show' : 'not show'}`);
}

async function setTheStage(t: TestContext, { secure }: { secure: boolean }) {
  const certificate = await makeCertificate();
  const sites = await Sites.open(t, secure ? certificate : undefined);
  const otherSites = await Sites.open(t, secure ? certificate : undefined);
  const tls = await openTls(t, certificate);
  const service = await openService(t, {
    listen: true,
    viewer: await readViewerFiles(VIEWER),
    ...(secure && { publicUrl: `https://cloche.test:${tls.port}` }),
  });
  const plainPort = Number(new URL(service.origin).port);
  tls.leadTo(plainPort);
  const publicUrl = secure ? `https://cloche.test:${tls.port}` : service.origin;
  const host = new URL(publicUrl).host;

  const cast = { sites, otherSites, service: publicUrl, ...(await fill(service, sites, host)) };
  const browser = await openChromium();
  t.after(() => browser.close());
  const referer = `${sites.originOf('shop.test')}/`;
  const way = { servicePort: plainPort, serviceHost: host, token: cast.tokens.good, referer };
  return { cast, browser, certificate, way };
}

/** Makes a magenta design, and tokens in every state. */
async function fill(service: Service, sites: Sites, host: string) {
  const { app } = service;
  const headers = { authorization: `Bearer ${service.token}`, host };
  const design = await app.inject({
    method: 'POST',
    url: '/v1/designs?name=Magenta',
    headers: { ...headers, 'content-type': 'model/gltf-binary', prefer: 'wait=60' },
    payload: makeBox({ colour: [1, 0, 1], unlit: true }),
  });
  assert.equal(design.statusCode, 201, design.body);
  const issue = async (more: object = {}) => {
    const origins = [sites.originOf('shop.test'), sites.originOf('*.wild.test')];
    const payload = { capabilities: ['embed'], origins, type: 'api', user: '~', ...more };
    const answer = await app.inject({ method: 'POST', url: '/v1/tokens', headers, payload });
    assert.equal(answer.statusCode, 201, answer.body);
    return answer.json() as { id: string; token: string };
  };
  const expired = await issue({ expiresAt: new Date(Date.now() + HOUR_MS).toISOString() });
  service.pass(2 * HOUR_MS);
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

async function watchAll(browser: Browser, cases: readonly Case[]): Promise<Map<string, boolean>> {
  const seen = new Map<string, boolean>();
  const waiting = [...cases];
  // The first picture of a browser takes longest; the others are not to wait for it.
  const first = cases.find(({ shows }) => shows);
  if (first !== undefined) await watch(browser, first);
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      seen.set(next.name, await watch(browser, next));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return seen;
}

const QUIET_MS = 2500;
const LOOK_MS = 250;
const PATIENCE_MS = 60_000;

/**
 * Watches a page until its design shows. One that should not show is given up once nothing has
 * happened for a good while.
 */
async function watch(browser: Browser, { url, open, shows }: Case): Promise<boolean> {
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
    if (open) await page.click('button');
    news();
    const start = Date.now();
    for (;;) {
      if (await showsMagenta(context)) return true;
      if (Date.now() - start > PATIENCE_MS) return false;
      if (underway.size > 0 || (await isAtWork(context))) news();
      if (!shows && Date.now() - lastNews > QUIET_MS) return showsMagenta(context);
      await page.waitForTimeout(LOOK_MS);
    }
  } finally {
    await context.close();
  }
}

/**
 * Is there a viewer in some frame that has not given up? Then it is too early to say that nothing
 * shows. This holds when it is ready, too: the picture it has drawn may not be on the screen yet.
 */
async function isAtWork(context: BrowserContext): Promise<boolean> {
  const frames = context.pages().flatMap((page) => page.frames());
  const working = frames.map((frame) =>
    frame
      .evaluate(() => {
        const { state } = document.documentElement.dataset;
        if (state === undefined) return document.getElementById('framed') !== null;
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
