import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CDPSession } from 'playwright-core';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { countInstances } from '../../viewer/testing/count-instances.ts';
import { DESIGN, openSdkPage } from './sdk-page.ts';

const MOUNTS = 50;
/** Each embed has one. The counters of the browser do not contain it. */
const PORT_CLASS = 'MessagePort';

describe('viewers that are created and destroyed', () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  for (const kind of ['createViewer', 'cloche-viewer'] as const) {
    it(`leave no frames, listeners, ports and objects behind: ${MOUNTS} of ${kind}`, async (t) => {
      const { page } = await openSdkPage(t, browser, {
        html: '<main></main><script src="SERVICE/sdk/v1/cloche.js"></script>',
        // In the site of the page: they share a process, whose objects the browser counts.
        serviceHost: 'cloche.shop.test',
      });
      const session = await page.context().newCDPSession(page);
      const mount = (count: number) =>
        page.evaluate(mountAndDestroy, { kind, count, design: DESIGN });
      // What the browser and the SDK create once.
      await mount(1);
      await waitUntil('its document is removed', async () => {
        const { documents } = await readCounters(session);
        return documents === 1;
      });
      const before = await readCounters(session);
      const ports = await countInstances(session, PORT_CLASS);
      await mount(MOUNTS);
      let counters = before;
      const check = async () => {
        counters = await readCounters(session);
        return Object.entries(before).every(([name, count]) => (counters[name] ?? 0) <= count);
      };
      await waitUntil(() => `${JSON.stringify(before)}: ${JSON.stringify(counters)}`, check);
      await waitUntil(
        'no port is left',
        async () => (await countInstances(session, PORT_CLASS)) <= ports,
      );
    });
  }

  it('the counters see a viewer that is not destroyed', async (t) => {
    const { page } = await openSdkPage(t, browser, {
      html: '<main></main><script src="SERVICE/sdk/v1/cloche.js"></script>',
      serviceHost: 'cloche.shop.test',
    });
    const session = await page.context().newCDPSession(page);
    await page.evaluate(async (design) => {
      const main = document.querySelector('main');
      for (let count = 0; count < 2; count++)
        await Cloche.createViewer(main, { design, token: 't', loading: 'eager' }).ready;
    }, DESIGN);
    assert.ok((await countInstances(session, PORT_CLASS)) >= 2);
  });
});

/** Creates viewers one after the other, calls each, and removes it. Runs in the page. */
async function mountAndDestroy(options: { kind: string; count: number; design: string }) {
  const { kind, count, design } = options;
  const main = document.querySelector('main') as Element;
  for (let index = 0; index < count; index++) {
    if (kind === 'createViewer') {
      const viewer = Cloche.createViewer(main, { design, token: 't', loading: 'eager' });
      viewer.on('load', () => viewer.play());
      await viewer.getVariants();
      viewer.destroy();
    } else {
      const element = document.createElement('cloche-viewer');
      Object.assign(element, { design, token: 't', loading: 'eager' });
      main.append(element);
      await element.viewer?.getVariants();
      element.remove();
      await Promise.resolve();
    }
  }
}

async function readCounters(session: CDPSession): Promise<Record<string, number>> {
  await session.send('HeapProfiler.collectGarbage');
  const { documents, nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
  return { documents, nodes, jsEventListeners };
}
