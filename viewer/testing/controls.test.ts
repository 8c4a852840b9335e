import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Browser, Frame, Page } from 'playwright-core';
import { openChromium } from '../../e2e/chromium.ts';
import { createBoxGlb, type LooseGltfJson } from './box-models.ts';
import {
  type EmbeddedViewer,
  findPixels,
  isGreen,
  openEmbeddedViewer,
  readScreenPixels,
  waitForControls,
  waitForPictureChange,
  waitForStablePicture,
  waitUntil,
  waitUntilLoaded,
} from './embedded-viewer.ts';

const model = createBoxGlb({ size: [1, 0.6, 2] });

type FrameCounts = { requested: number; executed: number; drawCalls: number };

/** Counts, from the start, what a frame costs: callbacks asked for and come, and things drawn. */
function installFrameCounter() {
  const counted: FrameCounts = { requested: 0, executed: 0, drawCalls: 0 };
  Object.assign(window, { counted });
  const ask = window.requestAnimationFrame;
  window.requestAnimationFrame = (callback) => {
    counted.requested++;
    return ask.call(window, (now) => {
      counted.executed++;
      callback(now);
    });
  };
  const gl = WebGL2RenderingContext.prototype;
  const draw = gl.drawElements;
  gl.drawElements = function (...args) {
    counted.drawCalls++;
    draw.apply(this, args);
  };
}

const readFrameCounts = (frame: Frame) =>
  frame.evaluate(() => ({ ...(window as never as { counted: FrameCounts }).counted }));

/** Waits until no frame is asked for, and nothing has been drawn for a while; answers the count. */
async function waitUntilIdle(frame: Frame): Promise<FrameCounts> {
  let last = await readFrameCounts(frame);
  let since = Date.now();
  await waitUntil('nothing more is drawn', async () => {
    const now = await readFrameCounts(frame);
    if (!isDeepStrictEqual(now, last) || now.requested > now.executed)
      [last, since] = [now, Date.now()];
    return Date.now() - since >= 800;
  });
  return last;
}

/** Two clicks at once: sent one by one they would come too late on a slow machine. */
async function doubleClick(page: Page, x: number, y: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const send = (type: 'mousePressed' | 'mouseReleased', clickCount: number) =>
    devtools.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount });
  await devtools.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
  await Promise.all([
    send('mousePressed', 1),
    send('mouseReleased', 1),
    send('mousePressed', 2),
    send('mouseReleased', 2),
  ]);
}

/** Which share of the bytes of two pictures differ. */
async function measureDifference(page: Page, before: Buffer): Promise<number> {
  const { data } = await readScreenPixels(page);
  const unlike = data.filter((byte, index) => Math.abs(byte - (before[index] ?? 0)) > 8);
  return unlike.length / data.length;
}

describe('the hand on the design', { concurrency: 3 }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  async function open(
    t: Parameters<typeof openEmbeddedViewer>[0],
    options = {},
  ): Promise<EmbeddedViewer> {
    const framing = await openEmbeddedViewer(t, browser, { model }, options);
    assert.equal(await waitUntilLoaded(framing.frame), 'ready');
    await waitForControls(framing.frame);
    return framing;
  }

  it('costs nothing while nothing moves', async (t) => {
    const { page, frame } = await open(t, { script: installFrameCounter });
    const rest = await waitUntilIdle(frame);
    await frame.locator('#view').press('ArrowLeft');
    await waitUntil(
      'it moves',
      async () => (await readFrameCounts(frame)).drawCalls > rest.drawCalls,
    );
    const moved = await waitUntilIdle(frame);
    await page.waitForTimeout(800);
    assert.deepEqual(await readFrameCounts(frame), moved, 'and comes to rest again');
  });

  it('draws nothing out of sight, and what is due when it comes back', async (t) => {
    const { page, frame } = await open(t, { script: installFrameCounter });
    await page.evaluate(() => window.scrollTo(0, 1500));
    // Told after the viewer is: its observer is the older one.
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
      'it is drawn',
      async () => (await readFrameCounts(frame)).drawCalls > rest.drawCalls,
    );
  });

  it('moves by each key, and back by R', async (t) => {
    const { page, frame, consoleErrors } = await open(t);
    const view = frame.locator('#view');
    await view.focus();
    const home = (await readScreenPixels(page)).data;
    for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', '+', '-', 'Shift+ArrowUp']) {
      await waitForPictureChange(page, async () => {
        await view.press(key);
        await view.press(key);
      });
      assert.ok((await measureDifference(page, home)) > 0.007, `${key}: the picture changed`);
      await waitForPictureChange(page, () => view.press('r'));
      assert.ok((await measureDifference(page, home)) < 0.00125, `${key}: and is what it was`);
    }
    assert.deepEqual(consoleErrors, []);
  });

  it('tells where it looks from', async (t) => {
    const { frame } = await open(t);
    const view = frame.locator('#view');
    for (let times = 0; times < 6; times++) await view.press('ArrowRight');
    const spoken = frame.locator('#live-region', { hasText: /^View from (back|right|left)/ });
    await spoken.waitFor({ state: 'attached' });
  });

  it('leaves the plain wheel to the page, and says how to zoom', async (t) => {
    const { page, frame } = await open(t);
    const { data } = await readScreenPixels(page);
    await page.mouse.move(300, 200);
    const hinted = frame.locator('#hint.visible', { hasText: 'scroll to zoom' }).waitFor();
    await page.mouse.wheel(0, 120);
    await hinted;
    await waitUntil('it scrolls', () => page.evaluate(() => window.scrollY === 120));
    await page.evaluate(() => window.scrollTo(0, 0));
    await frame.locator('#hint:not(.visible)').waitFor({ state: 'attached' });
    await waitForStablePicture(page);
    assert.ok((await measureDifference(page, data)) < 0.00125, 'nothing zoomed');
  });

  it('zooms by wheel with Ctrl, and the page stays', async (t) => {
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

  it('turns by dragging, moves by dragging with Shift', async (t) => {
    const { page } = await open(t);
    const before = await findPixels(page, isGreen);
    await waitForPictureChange(page, async () => {
      await page.mouse.move(250, 200);
      await page.mouse.down();
      await page.mouse.move(330, 200, { steps: 4 });
      await page.mouse.up();
    });
    const turned = await findPixels(page, isGreen);
    assert.ok(Math.abs(turned.right - turned.left - (before.right - before.left)) > 8, 'turned');

    await waitForPictureChange(page, async () => {
      await page.keyboard.down('Shift');
      await page.mouse.move(250, 200);
      await page.mouse.down();
      await page.mouse.move(290, 180, { steps: 4 });
      await page.mouse.up();
      await page.keyboard.up('Shift');
    });
    const moved = await findPixels(page, isGreen);
    // What is nearer than the target moves further than the hand.
    const [right, down] = [moved.left - turned.left, moved.top - turned.top];
    assert.ok(right > 30 && right < 65, `${right} right`);
    assert.ok(down < -14 && down > -33, `${down} down`);
  });

  it('goes to the point that is clicked twice, and home from the background', async (t) => {
    const { page } = await open(t);
    const before = await findPixels(page, isGreen);
    await waitForPictureChange(page, () => doubleClick(page, 260, 210));
    assert.ok((await findPixels(page, isGreen)).count > before.count * 1.4, 'nearer');
    await waitForPictureChange(page, () => doubleClick(page, 5, 5));
    const home = await findPixels(page, isGreen);
    assert.ok(Math.abs(home.count - before.count) < before.count * 0.03, 'home again');
  });

  it('does not glide for who wants no motion', async (t) => {
    const { frame } = await open(t, { reducedMotion: 'reduce', script: installFrameCounter });
    const before = await waitUntilIdle(frame);
    await frame.locator('#view').press('ArrowLeft');
    await waitUntil(
      'it moves',
      async () => (await readFrameCounts(frame)).drawCalls > before.drawCalls,
    );
    const after = await waitUntilIdle(frame);
    assert.equal(after.requested - before.requested, 1, 'one frame');
  });

  it('fills the screen and gives it back', async (t) => {
    const { frame } = await open(t);
    await frame.getByRole('button', { name: 'Fullscreen' }).click();
    await frame.getByRole('button', { name: 'Leave fullscreen' }).click();
    await frame.getByRole('button', { name: 'Fullscreen', exact: true }).waitFor();
  });

  it('plays, pauses, and stays still for who wants no motion', async (t) => {
    const animated = createBoxGlb({ change: addSpinAnimation });
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
      'it plays',
      async () => (await readFrameCounts(frame)).drawCalls > rest.drawCalls + 5,
    );

    const options = { reducedMotion: 'reduce' } as const;
    const still = await openEmbeddedViewer(t, browser, { model: animated }, options);
    await waitUntilLoaded(still.frame);
    await still.frame.getByRole('button', { name: 'Play animation' }).waitFor();
  });
});

/** Adds an animation that turns the box, its times and rotations taken from the indices' bytes. */
function addSpinAnimation(gltf: LooseGltfJson): void {
  const times = Buffer.from(new Float32Array([0, 1, 2]).buffer);
  const turns = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, -1]).buffer);
  const uri = `data:application/octet-stream;base64,${Buffer.concat([times, turns]).toString('base64')}`;
  (gltf.buffers as object[]).push({ uri, byteLength: 60 });
  (gltf.bufferViews as object[]).push(
    { buffer: 1, byteOffset: 0, byteLength: 12 },
    { buffer: 1, byteOffset: 12, byteLength: 48 },
  );
  (gltf.accessors as object[]).push(
    { bufferView: 4, componentType: 5126, count: 3, type: 'SCALAR', min: [0], max: [2] },
    { bufferView: 5, componentType: 5126, count: 3, type: 'VEC4' },
  );
  gltf.animations = [
    {
      samplers: [{ input: 4, output: 5 }],
      channels: [{ sampler: 0, target: { node: 0, path: 'rotation' } }],
    },
  ];
}
