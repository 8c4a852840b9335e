import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { en } from '../src/i18n/en.ts';
import { createBoxGlb } from './box-models.ts';
import { openEmbeddedViewer, waitForControls } from './embedded-viewer.ts';

declare global {
  interface Window {
    /** Lets the texts of the controls arrive. */
    sendMessages: () => void;
  }
}

/**
 * The time limit for the controls is over at once, and their texts arrive when the test wants. That for the model, which has arrived
 * when the state is `ready`, is not. Runs in each document.
 */
function delayControls(): void {
  const { fetch, setTimeout } = window;
  const released = new Promise<void>((resolve) => {
    window.sendMessages = resolve;
  });
  window.fetch = async (...args) => {
    if (/\/messages-/.test(String(args[0]))) await released;
    return fetch(...args);
  };
  const isControlsLimit = (ms = 0) =>
    ms === 30_000 && document.documentElement.dataset.state === 'ready';
  window.setTimeout = ((handler: () => void, ms?: number, ...args: unknown[]) =>
    setTimeout(handler, isControlsLimit(ms) ? 0 : ms, ...args)) as never;
}

describe('controls that do not arrive', () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  it('are missed with a notice after a time limit, until they arrive', async (t) => {
    const { frame, consoleErrors } = await openEmbeddedViewer(
      t,
      browser,
      { model: createBoxGlb() },
      { script: delayControls },
    );
    const notice = frame.locator('#preview-notice');
    await notice.waitFor({ state: 'visible' });
    assert.equal(await notice.locator('p').innerText(), en['error.controls.title']);
    assert.ok(await notice.locator('a').isVisible());
    const state = () => frame.evaluate(() => document.documentElement.dataset.state);
    assert.equal(await state(), 'ready');

    await frame.evaluate(() => window.sendMessages());
    await waitForControls(frame);
    await notice.waitFor({ state: 'hidden' });
    assert.match(consoleErrors.join('\n'), /^Cloche: viewer\.controls: .*$/);
  });
});
