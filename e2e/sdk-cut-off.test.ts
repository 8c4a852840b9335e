/**
 * The service stops answering, or closes the connection, at each point of the start of a viewer. The author of the page learns it within
 * the time limit of the SDK: `ready` resolves, or it rejects and there is an event `error`.
 */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { CONNECT_TIMEOUT_MS } from '@cloche/contract/message';
import type { Page } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import type {} from '../sdk/testing/page-globals.d.ts';
import { ApiClient } from './api-client.ts';
import { extendTimeLimits } from './extend-time-limits.ts';
import { makeLargeTextureModel } from './large-texture-model.ts';
import { ServiceProcess } from './service-process.ts';
import { openSharedChromium } from './shared-chromium.ts';
import { TestSites } from './test-sites.ts';
import { UnreliableProxy } from './unreliable-proxy.ts';

/** `ready`, or the code with which it rejects; and the codes of the events `error`. */
type Outcome = { ready: 'resolved' | (string & {}); errors: readonly string[] };
type Point = {
  name: string;
  path: RegExp;
  /** The connection stays open without an answer. */
  whenHanging: Outcome;
  whenClosed: Outcome;
};
type World = Awaited<ReturnType<typeof openWorld>>;

declare global {
  interface Window {
    /** `resolved`, the code of the rejection, or `late`. */
    outcome: Promise<string>;
    errorCodes: string[];
  }
}

/** The timers of a page end in their order, so a slow machine changes nothing. Extended as that of the SDK. */
const LATE_MS = CONNECT_TIMEOUT_MS + 2000;
const resolved = (...errors: string[]): Outcome => ({ ready: 'resolved', errors });
const rejected = (code: string): Outcome => ({ ready: code, errors: [code] });

/** Without a model, the viewer is ready all the same: it answers, and says later what became of the model. */
const createPoints = (texturePack: string): readonly Point[] => [
  {
    name: 'document',
    // The other documents are not concerned.
    path: /^\/embed\/iframe\/.*&title=document/,
    whenHanging: rejected('sdk.timeout'),
    // The browser shows an error page in its place, about which the host page learns nothing.
    whenClosed: rejected('sdk.timeout'),
  },
  {
    name: 'first script',
    path: /^\/embed\/viewer\/viewer-/,
    whenHanging: rejected('sdk.timeout'),
    whenClosed: rejected('viewer.script'),
  },
  {
    name: 'script of the channel',
    path: /^\/embed\/viewer\/connect-host-/,
    whenHanging: rejected('sdk.timeout'),
    whenClosed: rejected('viewer.script'),
  },
  {
    name: 'script of the controls',
    path: /^\/embed\/viewer\/mount-deferred-features-/,
    whenHanging: resolved(),
    whenClosed: resolved('viewer.controls'),
  },
  {
    name: 'model',
    // Also its preview.
    path: /^\/embed\/assets\//,
    whenHanging: resolved(),
    whenClosed: resolved('viewer.offline'),
  },
  {
    name: 'texture pack',
    path: new RegExp(`^${RegExp.escape(texturePack)}$`),
    whenHanging: resolved(),
    whenClosed: resolved('viewer.offline'),
  },
];

it('`ready` resolves or rejects in time wherever the service is cut off', async (t) => {
  const world = await openWorld(t);
  const { proxy } = world;
  const undisturbed = await openViewer(t, world, { title: 'undisturbed', hasMoreTime: true });
  assert.deepEqual(await undisturbed.outcome, 'resolved');
  await undisturbed.page.evaluate(() => window.handle.getParts());

  const timeouts: Promise<void>[] = [];
  for (const { name, path, whenHanging, whenClosed } of createPoints(world.texturePack)) {
    for (const hangs of [true, false]) {
      const expected = hangs ? whenHanging : whenClosed;
      const label = `${name}, ${hangs ? 'hanging' : 'closed'}`;
      proxy.interferences = [{ path, cutAt: 0, hangs }];
      const countBefore = proxy.requested.length;
      const hasMoreTime = expected.ready !== 'sdk.timeout';
      const viewer = await openViewer(t, world, { title: label, hasMoreTime });
      await waitUntil(`${label}: the request`, async () =>
        proxy.requested.slice(countBefore).some((url) => path.test(url)),
      );
      const check = assertOutcome(label, viewer, expected);
      // A request that hangs does so until the end. One that is closed may be repeated by the browser.
      if (hangs && expected.ready === 'sdk.timeout') timeouts.push(check);
      else await check;
    }
  }
  await Promise.all(timeouts);
});

async function assertOutcome(
  label: string,
  { page, outcome }: { page: Page; outcome: Promise<string> },
  expected: Outcome,
): Promise<void> {
  assert.equal(await outcome, expected.ready, label);
  const readCodes = () => page.evaluate(() => window.errorCodes);
  await waitUntil(
    `${label}: its errors`,
    async () => (await readCodes()).length >= expected.errors.length,
  );
  // On a slow machine, the frame has meanwhile reported, too, that its scripts are late.
  const end = expected.ready === 'sdk.timeout' ? expected.errors.length : undefined;
  assert.deepEqual((await readCodes()).slice(0, end), expected.errors, label);
  // Ready means that calls are answered.
  if (expected.ready === 'resolved') {
    assert.deepEqual(
      await page.evaluate(() => window.handle.getOptions()),
      { loading: 'eager', title: label },
      label,
    );
  }
  // A handle that is created later learns the same, at once.
  if (expected.ready.startsWith('viewer.')) {
    await page.evaluate(createHandle, { lateMs: LATE_MS });
    assert.equal(await page.evaluate(() => window.outcome), expected.ready, label);
  }
  await page.context().close();
}

/** Opens the service with a design that has a geometry and texture packs, behind the proxy. */
async function openWorld(t: TestContext) {
  const proxy = await UnreliableProxy.open(t);
  const origin = `http://localhost:${proxy.port}`;
  const service = await ServiceProcess.open(t, { CLOCHE_PUBLIC_URL: origin });
  proxy.setTarget(Number(new URL(service.origin).port));
  const client = await ApiClient.create({
    origin,
    readBootstrapToken: () => service.readBootstrapToken(),
  });
  const { body, text } = await client.upload(await makeLargeTextureModel());
  assert.equal(body.status, 'ready', text);
  const sites = await TestSites.open(t);
  const { url } = await client.createDocumentRequest(body.id, sites.getOrigin('shop.test'));
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const pageUrl = sites.addPage(
    'shop.test',
    '/',
    `<script src="${origin}/sdk/v1/cloche.js"></script><div style="width:120px;height:90px"></div>`,
  );
  const config = await client.getViewerConfig(body.id);
  const texturePack = config.levels?.textures[0]?.url ?? assert.fail('no texture pack');
  return { proxy, browser, pageUrl, src: url, texturePack };
}

/**
 * Opens a page and creates a viewer in it. `outcome` is pending until the viewer is ready, or will not be. Unless the time limit of
 * the SDK is the outcome, a slow machine must not reach it.
 */
async function openViewer(
  t: TestContext,
  { browser, pageUrl, src }: World,
  { title, hasMoreTime }: { title: string; hasMoreTime: boolean },
) {
  const context = await browser.newContext({ viewport: { width: 200, height: 150 } });
  t.after(() => context.close());
  if (hasMoreTime) await context.addInitScript(extendTimeLimits);
  const page = await context.newPage();
  await page.goto(pageUrl);
  await page.evaluate(createHandle, { src, title, lateMs: LATE_MS });
  const outcome = page.evaluate(() => window.outcome);
  outcome.catch(() => undefined);
  return { page, outcome };
}

/** Runs in the page. Without a source, connects to the iframe that is there. */
function createHandle({
  lateMs,
  ...source
}: {
  lateMs: number;
  src?: string;
  title?: string;
}): void {
  window.errorCodes = [];
  const options = source.src === undefined ? {} : { ...source, loading: 'eager' as const };
  window.handle = Cloche.createViewer(document.querySelector('div'), options);
  window.handle.on('error', ({ code }) => window.errorCodes.push(code));
  window.outcome = Promise.race([
    window.handle.ready.then(
      () => 'resolved',
      ({ code }) => code as string,
    ),
    new Promise<string>((resolve) => setTimeout(resolve, lateMs, 'late')),
  ]);
}
