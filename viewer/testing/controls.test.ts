import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Frame, Page } from 'playwright-core';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { createAnimatedBoxGlb } from './animated-models.ts';
import { createBoxGlb } from './box-models.ts';
import {
  clickAtOnce,
  type EmbeddedViewer,
  findPixels,
  isGreen,
  openEmbeddedViewer,
  readScreenPixels,
  recordHints,
  waitForControls,
  waitForPictureChange,
  waitForStablePicture,
  waitUntilLoaded,
} from './embedded-viewer.ts';

const model = createBoxGlb({ size: [1, 0.6, 2] });

type FrameCounts = { requested: number; executed: number; drawCalls: number };

/** Counts requested and executed animation frames, and draw calls, from the start of the page. */
function installFrameCounter() {
  const counts: FrameCounts = { requested: 0, executed: 0, drawCalls: 0 };
  Object.assign(window, { counts });
  const requestFrame = window.requestAnimationFrame;
  window.requestAnimationFrame = (callback) => {
    counts.requested++;
    return requestFrame.call(window, (now) => {
      counts.executed++;
      callback(now);
    });
  };
  const gl = WebGL2RenderingContext.prototype;
  const { drawElements } = gl;
  gl.drawElements = function (...args) {
    counts.drawCalls++;
    drawElements.apply(this, args);
  };
}

const readFrameCounts = (frame: Frame) =>
  frame.evaluate(() => ({ ...(window as never as { counts: FrameCounts }).counts }));

/** Waits until no frame is pending and nothing has been drawn for a while. Returns the counts. */
async function waitUntilIdle(frame: Frame): Promise<FrameCounts> {
  let last = await readFrameCounts(frame);
  let idleSince = Date.now();
  await waitUntil('nothing more is drawn', async () => {
    const now = await readFrameCounts(frame);
    if (!isDeepStrictEqual(now, last) || now.requested > now.executed)
      [last, idleSince] = [now, Date.now()];
    return Date.now() - idleSince >= 800;
  });
  return last;
}

/** Returns the fraction of bytes that differ between the current picture and an earlier one. */
async function measureDifference(page: Page, before: Buffer): Promise<number> {
  const { data } = await readScreenPixels(page);
  const different = data.filter((byte, index) => Math.abs(byte - (before[index] ?? 0)) > 8);
  return different.length / data.length;
}

describe('controls', { concurrency: 3 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  async function open(
    t: Parameters<typeof openEmbeddedViewer>[0],
    options = {},
  ): Promise<EmbeddedViewer> {
    const embedded = await openEmbeddedViewer(t, browser, { model }, options);
    assert.equal(await waitUntilLoaded(embedded.frame), 'ready');
    await waitForControls(embedded.frame);
    return embedded;
  }

  it('requests no frames while nothing moves', async (t) => {
    const { page, frame } = await open(t, { script: installFrameCounter });
    const rest = await waitUntilIdle(frame);
    await frame.locator('#view').press('ArrowLeft');
    await waitUntil(
      'the camera moves',
      async () => (await readFrameCounts(frame)).drawCalls > rest.drawCalls,
    );
    // One second after the last movement, a picture is drawn that replaces the canvas if the context is lost.
    await waitUntil('nothing is drawn for two seconds', async () => {
      const before = await readFrameCounts(frame);
      await page.waitForTimeout(2000);
      return isDeepStrictEqual(await readFrameCounts(frame), before);
    });
  });

  it('draws nothing while the iframe is not visible, and draws the new view when it is visible again', async (t) => {
    const { page, frame } = await open(t, { script: installFrameCounter });
    await waitUntilIdle(frame);
    await page.evaluate(() => window.scrollTo(0, 1500));
    // The observer of the viewer was created earlier, so it is notified before this one.
    await frame.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const observer = new IntersectionObserver(([entry]) => {
            if (entry?.isIntersecting === false) resolve();
          });
          observer.observe(document.querySelector('canvas') as Element);
        }),
    );
    const rest = await readFrameCounts(frame);
    await frame.evaluate(() => {
      const key = new KeyboardEvent('keydown', { key: 'ArrowLeft' });
      document.getElementById('view')?.dispatchEvent(key);
    });
    await page.waitForTimeout(500);
    assert.deepEqual(await readFrameCounts(frame), rest);
    await page.evaluate(() => window.scrollTo(0, 0));
    await waitUntil(
      'a frame is drawn',
      async () => (await readFrameCounts(frame)).drawCalls > rest.drawCalls,
    );
  });

  it('each key moves the camera; R resets the view', async (t) => {
    const { page, frame, consoleErrors } = await open(t);
    const view = frame.locator('#view');
    await view.focus();
    // With the ring around the view.
    await waitForStablePicture(page);
    const initial = (await readScreenPixels(page)).data;
    for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', '+', '-', 'Shift+ArrowUp']) {
      await waitForPictureChange(page, async () => {
        await view.press(key);
        await view.press(key);
      });
      assert.ok((await measureDifference(page, initial)) > 0.007, `${key}: the picture changed`);
      await waitForPictureChange(page, () => view.press('r'));
      assert.ok(
        (await measureDifference(page, initial)) < 0.00125,
        `${key}: the picture is as before`,
      );
    }
    assert.deepEqual(consoleErrors, []);
  });

  /** Collects the announcements for screen readers. */
  async function collectAnnouncements(frame: Frame): Promise<() => Promise<string[]>> {
    await frame.evaluate(() => {
      const region = document.getElementById('live-region') as HTMLElement;
      const announcements: string[] = [];
      Object.assign(window, { announcements });
      new MutationObserver(() => announcements.push(region.textContent ?? '')).observe(region, {
        childList: true,
      });
    });
    return () =>
      frame.evaluate(() => (window as never as { announcements: string[] }).announcements);
  }

  it('announces direction and zoom after each key, also when nothing can change', async (t) => {
    const { frame } = await open(t);
    const view = frame.locator('#view');
    assert.equal(await frame.locator('#live-region').getAttribute('role'), 'status');
    const getAnnouncements = await collectAnnouncements(frame);
    const expected: [key: string, announcement: RegExp][] = [
      ['ArrowRight', /^View from the .*°/],
      ['ArrowUp', /^View from the .*° up$/],
      ['+', /^Zoom 118%$/],
      ['-', /^Default view|^Zoom 100%$/],
      ['Shift+ArrowLeft', /^View moved$/],
      ['Shift+ArrowLeft', /^View moved$/],
      ['r', /^Default view\. View from/],
      ['r', /^Default view\. View from/],
    ];
    for (const [index, [key, announcement]] of expected.entries()) {
      await view.press(key);
      await waitUntil(`${key} is announced`, async () => (await getAnnouncements()).length > index);
      assert.match((await getAnnouncements()).at(-1) ?? '', announcement, key);
    }
    assert.equal((await getAnnouncements()).length, expected.length, 'one for each key');
  });

  it('announces only the last of many keys', async (t) => {
    const { frame } = await open(t, { reducedMotion: 'reduce' });
    const getAnnouncements = await collectAnnouncements(frame);
    await frame.evaluate(() => {
      const view = document.getElementById('view') as HTMLElement;
      for (let count = 0; count < 30; count++)
        view.dispatchEvent(new KeyboardEvent('keydown', { key: count < 28 ? 'ArrowRight' : '+' }));
    });
    await waitUntil('the view is announced', async () => (await getAnnouncements()).length > 0);
    await frame.page().waitForTimeout(1000);
    assert.deepEqual(
      (await getAnnouncements()).map((text) => /Zoom 138%$/.test(text)),
      [true],
    );
  });

  it('without Ctrl, the wheel scrolls the page and shows how to zoom', async (t) => {
    const { page, frame } = await open(t);
    const { data } = await readScreenPixels(page);
    await page.mouse.move(300, 200);
    const readHints = await recordHints(frame);
    await page.mouse.wheel(0, 120);
    await waitUntil('the hint was shown', async () => (await readHints()).length > 0);
    assert.match((await readHints()).join(), /scroll to zoom/);
    await waitUntil('the page scrolls', () => page.evaluate(() => window.scrollY === 120));
    await page.evaluate(() => window.scrollTo(0, 0));
    await frame.locator('#hint:not(.visible)').waitFor({ state: 'attached' });
    await waitForStablePicture(page);
    assert.ok((await measureDifference(page, data)) < 0.00125, 'nothing zoomed');
  });

  it('with Ctrl, the wheel zooms and does not scroll the page', async (t) => {
    const { page } = await open(t);
    const before = await findPixels(page, isGreen);
    await page.mouse.move(300, 200);
    await waitForPictureChange(page, async () => {
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, 300);
      await page.keyboard.up('Control');
    });
    const after = await findPixels(page, isGreen);
    assert.ok(after.right - after.left < (before.right - before.left) * 0.8);
    assert.equal(await page.evaluate(() => window.scrollY), 0);
  });

  it('dragging rotates; dragging with Shift pans', async (t) => {
    const { page } = await open(t);
    const before = await findPixels(page, isGreen);
    await waitForPictureChange(page, async () => {
      await page.mouse.move(250, 200);
      await page.mouse.down();
      await page.mouse.move(330, 200, { steps: 4 });
      await page.mouse.up();
    });
    const rotated = await findPixels(page, isGreen);
    assert.ok(Math.abs(rotated.right - rotated.left - (before.right - before.left)) > 8, 'rotated');

    await waitForPictureChange(page, async () => {
      await page.keyboard.down('Shift');
      await page.mouse.move(250, 200);
      await page.mouse.down();
      await page.mouse.move(290, 180, { steps: 4 });
      await page.mouse.up();
      await page.keyboard.up('Shift');
    });
    const panned = await findPixels(page, isGreen);
    // Points closer than the target move further than the pointer.
    const [right, down] = [panned.left - rotated.left, panned.top - rotated.top];
    assert.ok(right > 30 && right < 65, `${right} right`);
    assert.ok(down < -14 && down > -33, `${down} down`);
  });

  it('a double click moves towards the point; on the background, it resets the view', async (t) => {
    const { page } = await open(t);
    const before = await findPixels(page, isGreen);
    await waitForPictureChange(page, () => clickAtOnce(page, { x: 260, y: 210, count: 2 }));
    assert.ok((await findPixels(page, isGreen)).count > before.count * 1.4, 'closer');
    await waitForPictureChange(page, () => clickAtOnce(page, { x: 5, y: 5, count: 2 }));
    const reset = await findPixels(page, isGreen);
    assert.ok(Math.abs(reset.count - before.count) < before.count * 0.03, 'reset');
  });

  it('prefers-reduced-motion: moves the camera in one frame', async (t) => {
    const { frame } = await open(t, { reducedMotion: 'reduce', script: installFrameCounter });
    const before = await waitUntilIdle(frame);
    await frame.locator('#view').press('ArrowLeft');
    await waitUntil(
      'the camera moves',
      async () => (await readFrameCounts(frame)).drawCalls > before.drawCalls,
    );
    const after = await waitUntilIdle(frame);
    assert.equal(after.requested - before.requested, 1, 'one frame');
  });

  it('enters and exits fullscreen', async (t) => {
    const { frame } = await open(t);
    await frame.getByRole('button', { name: 'Fullscreen' }).click();
    await frame.getByRole('button', { name: 'Exit fullscreen' }).click();
    await frame.getByRole('button', { name: 'Fullscreen', exact: true }).waitFor();
  });

  it('plays and pauses an animation; with prefers-reduced-motion, does not start it', async (t) => {
    const animated = createAnimatedBoxGlb();
    const { frame } = await openEmbeddedViewer(
      t,
      browser,
      { model: animated },
      { script: installFrameCounter },
    );
    await waitUntilLoaded(frame);
    await frame.getByRole('button', { name: 'Pause animation' }).click();
    const rest = await waitUntilIdle(frame);
    await frame.getByRole('button', { name: 'Play animation' }).click();
    await waitUntil(
      'the animation plays',
      async () => (await readFrameCounts(frame)).drawCalls > rest.drawCalls + 5,
    );

    const options = { reducedMotion: 'reduce' } as const;
    const paused = await openEmbeddedViewer(t, browser, { model: animated }, options);
    await waitUntilLoaded(paused.frame);
    await paused.frame.getByRole('button', { name: 'Play animation' }).waitFor();
  });
});
