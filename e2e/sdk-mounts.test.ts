import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { waitUntil } from '../scripts/wait-until.ts';
import type {} from '../sdk/testing/page-globals.d.ts';
import { countInstances } from '../viewer/testing/count-instances.ts';
import { openEmbeddedDesign } from './embedded-design.ts';
import { extendTimeLimits } from './extend-time-limits.ts';
import { openSharedChromium, type SharedBrowser } from './shared-chromium.ts';

/** In the site of the service, `cloche.test`: they share a process, whose objects the browser counts. */
const HOST = 'shop.cloche.test';
const ROUNDS = 5;
const VIEWERS_PER_ROUND = 10;
const CLASSES = ['MessagePort', 'WebGL2RenderingContext'] as const;

describe('viewers that the SDK creates and destroys', () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  it('leave no documents, nodes, listeners, ports and WebGL contexts behind: 50 mounts', async (t) => {
    const { sites, send, origin, token, design } = await openEmbeddedDesign(t);
    await send('PATCH', `/v1/tokens/${token.id}`, { origins: [sites.getOrigin(HOST)] });
    const style = '<style>main *{display:inline-block;width:100px;height:75px}</style>';
    const script = `<script src="${origin}/sdk/v1/cloche.js"></script>`;
    const url = sites.addPage(HOST, '/', `${style}<main></main>${script}`);
    const context = await browser.newContext({ viewport: { width: 600, height: 400 } });
    t.after(() => context.close());
    await context.addInitScript(extendTimeLimits);
    const page = await context.newPage();
    await page.goto(url);
    const session = await context.newCDPSession(page);
    const embed = { design: design.uri, token: token.token };

    // What the browser and the SDK create once.
    await mountAndDestroy(page, { ...embed, count: 2 });
    const before = await waitUntilRemoved(page, session);
    const instances = await countInstancesOf(session);
    for (let round = 1; round <= ROUNDS; round++) {
      const open = await mountAndDestroy(page, { ...embed, count: VIEWERS_PER_ROUND });
      assert.equal(open, VIEWERS_PER_ROUND);
      await waitUntilRemoved(page, session, before);
    }
    // A port may end in a later garbage collection, also one of those before.
    let left: number[] = [];
    await waitUntil(
      () => `no instance is left: ${left}, before: ${instances}`,
      async () => {
        left = await countInstancesOf(session);
        return left.every((count, index) => count <= (instances[index] ?? 0));
      },
    );

    // The counters see viewers that stay.
    await page.evaluate(createViewers, { ...embed, count: 1 });
    for (const [index, count] of (await countInstancesOf(session)).entries())
      assert.ok(count > (instances[index] ?? 0), CLASSES[index]);
  });
});

type Embeds = { design: string; token: string; count: number };

/** Creates viewers, in turn as `createViewer` and as `<cloche-viewer>`. Resolves when each shows its model. Runs in the page. */
async function createViewers({ design, token, count }: Embeds): Promise<void> {
  const main = document.querySelector('main') as HTMLElement;
  const create = (index: number) => {
    if (index % 2 === 0) {
      const container = document.createElement('div');
      main.append(container);
      const viewer = Cloche.createViewer(container, { design, token, loading: 'eager' });
      // The console would keep the error of a call that ends with the viewer, and with it the window of the viewer.
      viewer.on('camera-change', () => viewer.getCamera().catch(() => undefined));
      Object.assign(container, { destroy: () => viewer.destroy() });
      return viewer;
    }
    const element = document.createElement('cloche-viewer');
    Object.assign(element, { design, token, loading: 'eager' });
    main.append(element);
    return element.viewer;
  };
  const viewers = Array.from({ length: count }, (_, index) => create(index));
  await Promise.all(
    viewers.map(async (viewer) => {
      await viewer?.getParts();
      await viewer?.setCamera({ orbit: { theta: 1 } }, { durationMs: 0 });
    }),
  );
}

/** Creates viewers, and removes them again. Returns how many documents there were. */
async function mountAndDestroy(page: Page, embeds: Embeds): Promise<number> {
  await page.evaluate(createViewers, embeds);
  const count = page.frames().length - 1;
  await page.evaluate(() => {
    const main = document.querySelector('main') as HTMLElement;
    for (const element of main.children as Iterable<Element & { destroy?: () => void }>)
      element.destroy?.();
    main.replaceChildren();
  });
  return count;
}

async function countInstancesOf(session: CDPSession): Promise<number[]> {
  const counts: number[] = [];
  for (const name of CLASSES) counts.push(await countInstances(session, name));
  return counts;
}

type Counters = { documents: number; nodes: number; jsEventListeners: number };

/** Waits until only the objects of the page are left: not more than before. */
async function waitUntilRemoved(
  page: Page,
  session: CDPSession,
  before?: Counters,
): Promise<Counters> {
  let counters: Counters = { documents: 0, nodes: 0, jsEventListeners: 0 };
  const check = async () => {
    // The browser keeps the document that the pointer was over last.
    await page.mouse.move(300, 350);
    await page.mouse.move(310, 350);
    await session.send('HeapProfiler.collectGarbage');
    const { documents, nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
    counters = { documents, nodes, jsEventListeners };
    if (before === undefined) return documents === 1;
    return (
      documents <= before.documents &&
      nodes <= before.nodes &&
      jsEventListeners <= before.jsEventListeners
    );
  };
  await waitUntil(() => `only ${JSON.stringify(before)}: ${JSON.stringify(counters)}`, check);
  return counters;
}
