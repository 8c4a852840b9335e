import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { createBoxGlb, type LooseGltfJson } from './box-models.ts';
import { countInstances } from './count-instances.ts';
import { openEmbeddedViewer } from './embedded-viewer.ts';

/** In the site of the page, `shop.test`: they share a process, whose objects the browser counts. */
const FRAME_HOST = 'cloche.shop.test';
const FRAMES_PER_ROUND = 10;
const ROUNDS = 5;
/** Those of the page: an empty document. */
const [MAX_DOCUMENTS, MAX_NODES, MAX_LISTENERS] = [1, 20, 0];
const CONTEXT_CLASS = 'WebGL2RenderingContext';

describe('framed documents that are removed from a page', () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  it('leave no documents, nodes, listeners and WebGL contexts behind: 50 mounts', async (t) => {
    const { page, server } = await openEmbeddedViewer(t, browser, {
      model: createBoxGlb({ change: makeUnlit }),
      frameHost: FRAME_HOST,
      frameSize: { width: '120px', height: '90px' },
    });
    const session = await page.context().newCDPSession(page);
    for (let round = 1; round <= ROUNDS; round++) {
      await mountFrames(page, server.frameUrl);
      const { documents } = await session.send('Memory.getDOMCounters');
      assert.ok(documents > FRAMES_PER_ROUND, `${documents} documents`);
      if (round === ROUNDS) assert.ok((await countInstances(session, CONTEXT_CLASS)) > 0);
      await page.evaluate(() => document.body.replaceChildren());
      await waitUntilRemoved(page, session);
    }
    await waitUntil(
      'no context is left',
      async () => (await countInstances(session, CONTEXT_CLASS)) === 0,
    );
  });
});

/** Shaders without light compile faster. */
function makeUnlit(gltf: LooseGltfJson): void {
  gltf.extensionsUsed = ['KHR_materials_unlit'];
  for (const material of gltf.materials as LooseGltfJson[])
    material.extensions = { KHR_materials_unlit: {} };
}

/** Adds the frames to the page, and waits until each shows its model and has its controls. */
async function mountFrames(page: Page, url: string): Promise<void> {
  await page.evaluate(
    ({ url, count }) => {
      document.body.style.height = 'auto';
      for (let index = 0; index < count; index++) {
        const frame = document.createElement('iframe');
        frame.style.display = 'inline-block';
        frame.src = `${url}?${index}`;
        document.body.append(frame);
      }
    },
    { url, count: FRAMES_PER_ROUND },
  );
  await waitUntil(
    'all frames show the model',
    async () => {
      const [, ...frames] = page.frames();
      const ready = await Promise.all(
        frames.map((frame) =>
          frame
            .evaluate(() => {
              const { state, interactive } = document.documentElement.dataset;
              return state === 'ready' && interactive !== undefined;
            })
            .catch(() => false),
        ),
      );
      return ready.length >= FRAMES_PER_ROUND && ready.every(Boolean);
    },
    { timeoutMs: 120_000 },
  );
}

/** Waits until only the objects of the page are left. */
async function waitUntilRemoved(page: Page, session: CDPSession): Promise<void> {
  let counters: object = {};
  const check = async () => {
    // Chromium keeps the frame that the pointer was over last, with its document, until the pointer moves outside of it.
    await page.mouse.move(10, 10);
    await page.mouse.move(20, 10);
    await session.send('HeapProfiler.collectGarbage');
    const { documents, nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
    counters = { documents, nodes, jsEventListeners };
    return documents <= MAX_DOCUMENTS && nodes <= MAX_NODES && jsEventListeners <= MAX_LISTENERS;
  };
  await waitUntil(() => `everything is removed: ${JSON.stringify(counters)}`, check, {
    timeoutMs: 60_000,
  });
}
