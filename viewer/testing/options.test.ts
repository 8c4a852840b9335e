import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type { Frame } from 'playwright-core';
import { waitUntil } from '../../scripts/wait-until.ts';
import { en } from '../src/i18n/en.ts';
import { createAnimatedBoxGlb } from './animated-models.ts';
import {
  findPixels,
  isGreen,
  readScreenPixels,
  waitForControls,
  waitForStablePicture,
} from './embedded-viewer.ts';
import { prepareExposedViewers } from './exposed-viewers.ts';
import type { ViewerServerOptions } from './test-server.ts';

const model = createAnimatedBoxGlb({ animations: ['Spin', 'Turn'], variants: ['Pink'] });
const isPink = (red: number, green: number, blue: number) =>
  red > 90 && green < red * 0.6 && blue > 50;
/** A box that a visitor cannot see moving: nothing else may change the picture. */
const STILL: ViewerOptions = { autoplay: false };

type GpuWindow = Window & {
  /** While true, the GPU has not executed what was drawn. */
  holdsGpu?: boolean;
  /** Whether the viewer waits for it. */
  isDrawing?: boolean;
};

describe('options', { concurrency: 3 }, () => {
  const openViewer = prepareExposedViewers();

  async function open(t: TestContext, options: ViewerOptions, served: ViewerServerOptions = {}) {
    const config = { options: { ...STILL, ...options } };
    const opened = await openViewer(t, { model, config, ...served });
    await waitForControls(opened.frame);
    return opened;
  }

  const getCamera = (frame: Frame) => frame.evaluate(() => exposedViewer.viewer.getCamera());
  const setOptions = (frame: Frame, changes: object) =>
    frame.evaluate((changes) => exposedViewer.viewer.setOptions(changes), changes);

  it('the camera starts where the options say, stays in the limits, and returns there', async (t) => {
    const { frame, page, consoleErrors } = await open(t, {
      cameraOrbit: '0deg 90deg 3m',
      cameraTarget: '0.1m 0m 0m',
      fieldOfView: '40deg',
      maxCameraOrbit: '45deg 100deg auto',
    });
    const { orbit, target, fieldOfView } = await getCamera(frame);
    const round = (value: number) => Number(value.toFixed(3));
    assert.deepEqual([round(orbit.theta), round(orbit.phi), round(orbit.radius)], [0, 1.571, 3]);
    assert.deepEqual([target.x, round((fieldOfView * 180) / Math.PI)], [0.1, 40]);
    // The front of the box, without another side.
    const before = (await readScreenPixels(page)).data;

    await frame.evaluate(() => exposedViewer.viewer.rotate(3, -3));
    await waitForStablePicture(page);
    const limited = (await getCamera(frame)).orbit;
    assert.deepEqual(
      [limited.theta, limited.phi].map((angle) => Math.round((angle * 180) / Math.PI)),
      [45, 100],
    );
    await frame.evaluate(() => exposedViewer.viewer.resetCamera());
    await waitForStablePicture(page);
    assert.deepEqual((await readScreenPixels(page)).data, before);

    await setOptions(frame, { cameraOrbit: '-30deg auto 4m', maxCameraOrbit: null });
    await waitForStablePicture(page);
    const moved = (await getCamera(frame)).orbit;
    assert.equal(Math.round((moved.theta * 180) / Math.PI), -30);
    assert.equal(round(moved.radius), 4);
    assert.deepEqual(consoleErrors, []);
  });

  it('are the same after the model was unloaded and loaded again', async (t) => {
    const { frame, page, consoleErrors } = await open(t, {
      exposure: 0.4,
      variantName: 'Pink',
      background: '#203040',
      cameraOrbit: '70deg 60deg 120%',
      maxCameraOrbit: '90deg auto auto',
    });
    await setOptions(frame, { exposure: 2, background: '#102030' });
    await waitForStablePicture(page);
    const before = (await readScreenPixels(page)).data;
    assert.ok((await findPixels(page, isPink)).count > 10_000);
    await page.evaluate(() => window.scrollTo(0, 1500));
    // Another document asks for the context.
    await waitUntil('the model is unloaded', () =>
      frame.evaluate(() => {
        globalThis.clochePageMember1?.release();
        return document.documentElement.dataset.suspended !== undefined;
      }),
    );
    // The last option of these is removed without a model.
    await setOptions(frame, { shadowIntensity: 0.5 });
    await setOptions(frame, { shadowIntensity: null });
    await page.evaluate(() => window.scrollTo(0, 0));
    await waitUntil('the model is drawn again', () =>
      frame.evaluate(() => document.documentElement.dataset.suspended === undefined),
    );
    await waitForStablePicture(page);
    assert.deepEqual((await readScreenPixels(page)).data, before);
    await frame.evaluate(() => exposedViewer.viewer.rotate(3, 0));
    await waitForStablePicture(page);
    assert.equal(Math.round(((await getCamera(frame)).orbit.theta * 180) / Math.PI), 90);
    assert.deepEqual(consoleErrors, []);
  });

  it('those that change while the model is drawn for the first time are applied when it is shown', async (t) => {
    const config = { options: STILL };
    const { frame, page } = await openViewer(t, { model, config }, { script: holdGpu });
    await waitUntil('the first frame is drawn', () =>
      frame.evaluate(() => (window as GpuWindow).isDrawing === true),
    );
    await setOptions(frame, { variantName: 'Pink', cameraOrbit: '0deg 90deg 3m' });
    await frame.evaluate(() => {
      (window as GpuWindow).holdsGpu = false;
    });
    await waitForControls(frame);
    await waitUntil('the variant', async () => (await findPixels(page, isPink)).count > 10_000);
    assert.equal(await frame.evaluate(() => exposedViewer.viewer.getVariant()), 'Pink');
    const { orbit } = await getCamera(frame);
    assert.deepEqual([orbit.theta, Number(orbit.radius.toFixed(3))], [0, 3]);
    const variants = await frame.evaluate(() =>
      exposedViewer.events.filter(([name]) => name === 'variantchange'),
    );
    assert.equal(variants.length, 1);
  });

  it('wrong changes are rejected with a code, and change nothing', async (t) => {
    const { frame } = await open(t, { theme: 'dark' });
    const rows: [changes: unknown, code: string, message: RegExp][] = [
      [{ exposure: 99 }, 'viewer.invalid-argument', /exposure must be a number from 0 to 8/],
      [{ theme: 'drak' }, 'viewer.invalid-argument', /theme must be "light", "dark" or "auto"/],
      [{ colour: '#fff' }, 'viewer.invalid-argument', /"colour" is not an option/],
      [{ theme: 'light', toString: 1 }, 'viewer.invalid-argument', /"toString" is not an option/],
      [7, 'viewer.invalid-argument', /must be an object/],
      [
        { theme: 'light', variantName: 'Oak' },
        'viewer.unknown-variant',
        /"Oak" is none of \["Pink"\]/,
      ],
      [{ animationName: 'Fly' }, 'viewer.unknown-animation', /"Fly" is none of/],
    ];
    for (const [changes, code, message] of rows) {
      const error = await frame.evaluate(
        (changes) =>
          exposedViewer.viewer.setOptions(changes as object).then(
            () => ({ code: 'none', message: '' }),
            ({ code, message }) => ({ code, message }),
          ),
        changes,
      );
      assert.equal(error.code, code, JSON.stringify(changes));
      assert.match(error.message, message);
    }
    const options = await frame.evaluate(() => exposedViewer.viewer.getOptions());
    assert.deepEqual(options, { ...STILL, theme: 'dark' });
    assert.equal(await frame.evaluate(() => document.documentElement.dataset.theme), 'dark');
  });

  it('theme and background can be set in a document that came without them', async (t) => {
    const { frame, page, consoleErrors } = await open(t, {});
    const readScheme = () => frame.evaluate(() => getComputedStyle(document.body).colorScheme);
    const isDark = (red: number, green: number, blue: number) => Math.max(red, green, blue) < 90;
    assert.equal(await readScheme(), 'light');
    assert.ok((await findPixels(page, isDark)).count < 5000);
    await setOptions(frame, { theme: 'dark' });
    await waitForStablePicture(page);
    assert.equal(await readScheme(), 'dark');
    assert.ok((await findPixels(page, isDark)).count > 50_000);
    await setOptions(frame, { background: '#ff00ff', theme: null });
    await waitForStablePicture(page);
    const isMagenta = (red: number, green: number, blue: number) =>
      red > 240 && green < 20 && blue > 240;
    assert.ok((await findPixels(page, isMagenta)).count > 50_000);
    assert.equal(await readScheme(), 'light');
    assert.deepEqual(consoleErrors, []);
  });

  it('theme=auto follows the device of the visitor', async (t) => {
    const { frame, page } = await open(t, { theme: 'auto' });
    const readColors = () =>
      frame.evaluate(() => {
        const { colorScheme, color } = getComputedStyle(document.body);
        return [colorScheme, color];
      });
    const [dark, light] = ['rgb(240, 241, 244)', 'rgb(28, 30, 34)'];
    assert.deepEqual(await readColors(), ['light', light]);
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.deepEqual(await readColors(), ['dark', dark]);
    await page.emulateMedia({ colorScheme: 'light' });
    assert.deepEqual(await readColors(), ['light', light]);
  });

  it('interaction=orbit: the visitor rotates and resets, but neither zooms nor moves', async (t) => {
    const { frame, page } = await open(t, { interaction: 'orbit' });
    // What a screen reader says of the view.
    const readDescription = () =>
      frame.locator('#view').evaluate((view) => {
        const id = view.getAttribute('aria-describedby') ?? '';
        return document.getElementById(id)?.textContent;
      });
    assert.equal(await readDescription(), en['view.keyboardHelpOrbit']);
    const read = async () => {
      const { orbit, target } = await getCamera(frame);
      const round = (value: number) => Number(value.toFixed(4));
      const fixed = [orbit.radius, target.x, target.y, target.z].map(round);
      return { theta: round(orbit.theta), fixed };
    };
    const drag = async () => {
      await page.mouse.move(300, 200);
      await page.mouse.down();
      await page.mouse.move(340, 200);
      await page.mouse.up();
    };
    const start = await read();
    await page.mouse.move(300, 200);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await page.mouse.dblclick(320, 180);
    await frame.locator('#view').focus();
    for (const key of ['+', '-', 'Shift+ArrowLeft', 'Shift+ArrowUp'])
      await page.keyboard.press(key);
    await waitForStablePicture(page);
    assert.deepEqual(await read(), start);

    // With Shift, a drag would move the model.
    await page.keyboard.down('Shift');
    await drag();
    await page.keyboard.up('Shift');
    await waitForStablePicture(page);
    const dragged = await read();
    assert.deepEqual(dragged.fixed, start.fixed);
    assert.notEqual(dragged.theta, start.theta);

    await page.keyboard.press('ArrowLeft');
    await waitForStablePicture(page);
    assert.notEqual((await read()).theta, dragged.theta);
    await page.keyboard.press('r');
    await waitForStablePicture(page);
    assert.deepEqual(await read(), start);

    await setOptions(frame, { interaction: null });
    assert.equal(await readDescription(), en['view.keyboardHelp']);
  });

  it('unknown names are one line in the console each, and the default is shown', async (t) => {
    const { page, consoleErrors } = await open(t, { variantName: 'Oak', animationName: 'Fly' });
    assert.ok((await findPixels(page, isGreen)).count > 10_000);
    await waitUntil('both lines', () => consoleErrors.length >= 2);
    assert.equal(consoleErrors.length, 2);
    assert.match(
      consoleErrors.join('\n'),
      /no animation with this name.*"Fly".*\n.*variant.*"Oak"/,
    );
  });

  it('autoRotate: stops for the visitor, continues after the delay, and can be stopped', async (t) => {
    const { frame, page } = await open(
      t,
      {},
      { config: { options: { ...STILL, autoRotateDelay: 300, rotationPerSecond: '720deg' } } },
    );
    const readTheta = async () => (await getCamera(frame)).orbit.theta;
    const waitUntilRotates = async () => {
      const start = await readTheta();
      await waitUntil('the model rotates', async () => (await readTheta()) !== start);
    };
    assert.equal(await frame.evaluate(() => exposedViewer.viewer.canAutoRotate), false);
    await setOptions(frame, { autoRotate: true });
    await waitUntilRotates();

    await page.mouse.move(300, 200);
    await page.mouse.down();
    const held = await readTheta();
    await page.waitForTimeout(700);
    assert.equal(await readTheta(), held);
    await page.mouse.up();
    await waitUntilRotates();

    await frame.evaluate(() => exposedViewer.viewer.setAutoRotating(false));
    await waitForStablePicture(page);
    assert.equal(await frame.evaluate(() => exposedViewer.viewer.autoRotating), false);
    await frame.evaluate(() => exposedViewer.viewer.setAutoRotating(true));
    await waitUntilRotates();

    await page.emulateMedia({ reducedMotion: 'reduce' });
    await waitForStablePicture(page);
    assert.equal(await frame.evaluate(() => exposedViewer.viewer.canAutoRotate), false);
    await frame.evaluate(() => exposedViewer.viewer.setAutoRotating(true));
    await waitForStablePicture(page);
  });
});

/** Runs in each document before all scripts. */
function holdGpu(): void {
  const page = window as GpuWindow;
  page.holdsGpu = true;
  const { clientWaitSync } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.clientWaitSync = function (...args) {
    page.isDrawing = true;
    return page.holdsGpu ? this.TIMEOUT_EXPIRED : clientWaitSync.apply(this, args);
  };
}
