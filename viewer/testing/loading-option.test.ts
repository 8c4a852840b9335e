import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type { Frame, Page } from 'playwright-core';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { createBoxGlb } from './box-models.ts';
import {
  findPixels,
  isGreen,
  openEmbeddedViewer,
  waitForControls,
  waitUntilLoaded,
} from './embedded-viewer.ts';
import type { ViewerServerOptions } from './test-server.ts';

const model = createBoxGlb();
const BELOW_VIEW = 'iframe{position:relative;top:2600px}';
const START = 'Load 3D view';

describe('the option loading', { concurrency: 3 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  const open = (t: TestContext, options: ViewerOptions, served: ViewerServerOptions = {}) =>
    openEmbeddedViewer(t, browser, { model, config: { options }, ...served });

  const activations: [name: string, activate: (page: Page, frame: Frame) => Promise<void>][] = [
    ['a click anywhere', ({ mouse }) => mouse.click(30, 30)],
    ['the keyboard', pressStart],
  ];
  for (const [name, activate] of activations) {
    it(`click: requests nothing before ${name}, then shows the model`, async (t) => {
      const { server, page, frame, consoleErrors } = await open(t, { loading: 'click' });
      const button = frame.getByRole('button', { name: START });
      await button.waitFor({ state: 'visible' });
      // Scripts and links that were requested by now would have arrived.
      await page.waitForLoadState('networkidle');
      assert.deepEqual(server.requestedPaths, ['/host', '/frame']);

      await activate(page, frame);
      assert.equal(await waitUntilLoaded(frame), 'ready');
      await waitForControls(frame);
      assert.ok((await findPixels(page, isGreen)).count > 10_000);
      assert.equal(await button.count(), 0);
      // Keys that follow move the camera.
      assert.equal(await frame.evaluate(() => document.activeElement?.id), 'view');
      assert.deepEqual(consoleErrors, []);
    });
  }

  it('click: a document whose grant has expired is replaced by one that does not ask again', async (t) => {
    const refuse = (response: ServerResponse) =>
      response
        .writeHead(403, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify({ code: 'embed.grant', detail: 'Stale.' }));
    const served = { modelHandler: refuse, config: { options: { loading: 'click' } } } as const;
    const opened = await openEmbeddedViewer(t, browser, served, { script: ageDocument });
    const { page, server } = opened;
    const frameUrl = `${server.frameUrl}?loading=click&theme=dark`;
    await page
      .locator('iframe')
      .evaluate((iframe, src) => iframe.setAttribute('src', src), frameUrl);
    const button = page.frameLocator('iframe').getByRole('button', { name: START });
    await waitUntil('the document is there', async () => page.frames()[1]?.url() === frameUrl);
    await button.click();
    await waitUntil('it is replaced', async () =>
      server.requestedPaths.includes('/frame?loading=eager&theme=dark'),
    );
  });

  it('eager: shows the model of a document that is not in view', async (t) => {
    const { page, frame, consoleErrors } = await open(
      t,
      { loading: 'eager' },
      { hostStyle: BELOW_VIEW },
    );
    const readState = () => frame.evaluate(() => document.documentElement.dataset.state);
    await waitUntil('the model is shown', async () => (await readState()) === 'ready');
    await page.evaluate(() => window.scrollTo(0, 1e6));
    await waitForControls(frame);
    assert.ok((await findPixels(page, isGreen)).count > 1000);
    assert.deepEqual(consoleErrors, []);
  });

  it('lazy: requests the model when the document comes into view', async (t) => {
    const { server, page, frame } = await open(t, { loading: 'lazy' }, { hostStyle: BELOW_VIEW });
    await page.waitForLoadState('networkidle');
    assert.equal(await frame.evaluate(() => document.documentElement.dataset.state), 'loading');
    await page.evaluate(() => window.scrollTo(0, 1e6));
    assert.equal(await waitUntilLoaded(frame), 'ready');
    await waitUntil('the model was requested', () => server.requestedPaths.includes('/model.glb'));
  });
});

async function pressStart({ keyboard }: Page, frame: Frame): Promise<void> {
  await keyboard.press('Tab');
  // The frame is in a process of its own, which gets the focus a moment later.
  await frame.waitForFunction(() => document.activeElement?.id === 'load');
  await keyboard.press('Enter');
}

/** Runs in each document before its scripts. */
function ageDocument(): void {
  const now = performance.now.bind(performance);
  performance.now = () => now() + 3_600_000;
}
