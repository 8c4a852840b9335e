import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { en } from '../src/i18n/en.ts';
import { createBoxGlb } from './box-models.ts';
import {
  findPixels,
  isGreen,
  openEmbeddedViewer,
  recordHints,
  waitForControls,
  waitForPictureChange,
  waitForStablePicture,
  waitUntilLoaded,
} from './embedded-viewer.ts';

type Point = readonly [x: number, y: number];

/** Moves fingers over the page, each in a straight line. */
async function dragFingers(
  page: Page,
  fingers: readonly { from: Point; to: Point }[],
): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const interpolate = (share: number) =>
    fingers.map(({ from, to }, id) => ({
      id,
      x: from[0] + (to[0] - from[0]) * share,
      y: from[1] + (to[1] - from[1]) * share,
    }));
  await devtools.send('Input.dispatchTouchEvent', {
    type: 'touchStart',
    touchPoints: interpolate(0),
  });
  for (let step = 1; step <= 10; step++) {
    const touchPoints = interpolate(step / 10);
    await devtools.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints });
    await page.waitForTimeout(20);
  }
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

describe('touch', { concurrency: 3 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  async function openFrame(t: TestContext, options: BrowserContextOptions = {}) {
    const model = createBoxGlb({ size: [1, 0.6, 2] });
    const touch = { hasTouch: true, ...options };
    const { page, frame } = await openEmbeddedViewer(t, browser, { model }, touch);
    assert.equal(await waitUntilLoaded(frame), 'ready');
    await waitForControls(frame);
    return { page, frame };
  }

  const open = async (t: TestContext): Promise<Page> => (await openFrame(t)).page;

  it('one finger, horizontally: rotates the model', async (t) => {
    const page = await open(t);
    const before = await findPixels(page, isGreen);
    await waitForPictureChange(page, () =>
      dragFingers(page, [{ from: [220, 200], to: [320, 204] }]),
    );
    const after = await findPixels(page, isGreen);
    assert.ok(Math.abs(after.right - after.left - (before.right - before.left)) > 8);
    assert.equal(await page.evaluate(() => window.scrollY), 0);
  });

  it('one finger, vertically: scrolls the page', async (t) => {
    const page = await open(t);
    await waitForPictureChange(page, () =>
      dragFingers(page, [{ from: [300, 300], to: [302, 120] }]),
    );
    assert.ok((await page.evaluate(() => window.scrollY)) > 80);
  });

  it('one finger that scrolls the page: shows once how to move the model', async (t) => {
    const { page, frame } = await openFrame(t, { reducedMotion: 'reduce' });
    const hint = frame.locator('#hint');
    const readShown = await recordHints(frame);
    for (let times = 1; times <= 2; times++) {
      await dragFingers(page, [{ from: [300, 300], to: [302, 120] }]);
      await waitUntil('the page scrolls', () => page.evaluate(() => window.scrollY > 80));
      if (times === 1) {
        const style = await hint.evaluate((element) => {
          const { transitionDuration, pointerEvents } = getComputedStyle(element);
          return { transitionDuration, pointerEvents };
        });
        assert.deepEqual(style, { transitionDuration: '0s', pointerEvents: 'none' });
      }
      await waitUntil('the hint was shown', async () => (await readShown()).length > 0);
      assert.deepEqual(await readShown(), [en['hint.touch']], `swipe ${times}`);
      await frame.locator('#hint:not(.visible)').waitFor({ state: 'attached' });
      await page.evaluate(() => window.scrollTo(0, 0));
    }
  });

  it('one finger that rotates, or two fingers: shows no hint', async (t) => {
    const { page, frame } = await openFrame(t);
    await frame.evaluate(() => {
      const observer = new MutationObserver(() => Object.assign(window, { hintShown: true }));
      observer.observe(document.getElementById('hint') as Element, { attributes: true });
    });
    await dragFingers(page, [{ from: [220, 200], to: [320, 204] }]);
    await dragFingers(page, [
      { from: [280, 220], to: [284, 150] },
      { from: [320, 240], to: [324, 170] },
    ]);
    await waitForStablePicture(page);
    assert.equal(await frame.evaluate(() => 'hintShown' in window), false);
  });

  it('two fingers moved apart: zoom in without scrolling the page', async (t) => {
    const page = await open(t);
    const before = await findPixels(page, isGreen);
    await waitForPictureChange(page, () =>
      dragFingers(page, [
        { from: [280, 200], to: [250, 170] },
        { from: [320, 220], to: [350, 250] },
      ]),
    );
    assert.ok((await findPixels(page, isGreen)).count > before.count * 1.4);
    assert.equal(await page.evaluate(() => window.scrollY), 0);
  });

  it('two fingers in the same direction: pan', async (t) => {
    const page = await open(t);
    const before = await findPixels(page, isGreen);
    await waitForPictureChange(page, () =>
      dragFingers(page, [
        { from: [280, 220], to: [284, 150] },
        { from: [320, 240], to: [324, 170] },
      ]),
    );
    const after = await findPixels(page, isGreen);
    assert.ok(before.bottom - after.bottom > 45, `${before.bottom - after.bottom} up`);
    assert.equal(await page.evaluate(() => window.scrollY), 0);
  });
});
