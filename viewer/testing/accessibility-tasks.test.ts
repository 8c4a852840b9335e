/** What every visitor must be able to do with a keyboard and a screen reader alone, in each size and state. */
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Frame } from 'playwright-core';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { createBoxGlb } from './box-models.ts';
import { FULL_FRAME, fullModel, resize, SIZES, type Size } from './controls-screens.ts';
import { openEmbeddedViewer, waitForControls, waitUntilLoaded } from './embedded-viewer.ts';
import { KeyboardVisitor } from './keyboard-visitor.ts';
import type { ViewerServerOptions } from './test-server.ts';

/** Half a turn, in steps of 15°. */
const HALF_TURN_STEPS = 12;
const preview = createBoxGlb();

describe('tasks with keyboard and screen reader', () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  async function open(t: TestContext, served: Partial<ViewerServerOptions> = {}) {
    const embedded = await openEmbeddedViewer(
      t,
      browser,
      { model: fullModel, frameSize: FULL_FRAME, ...served },
      { viewport: { width: 360, height: 270 }, reducedMotion: 'reduce' },
    );
    const { page, frame } = embedded;
    // Something to come from and to go to.
    await page.evaluate(() => {
      for (const [position, id] of [
        ['beforebegin', 'before'],
        ['afterend', 'after'],
      ] as const) {
        const button = Object.assign(document.createElement('button'), { id, textContent: id });
        button.style.position = 'fixed';
        document.querySelector('iframe')?.insertAdjacentElement(position, button);
      }
    });
    return { ...embedded, visitor: new KeyboardVisitor(page, frame) };
  }

  it('ready, in every size', async (t) => {
    const { page, frame, visitor } = await open(t);
    assert.equal(await waitUntilLoaded(frame), 'ready');
    await waitForControls(frame);
    for (const [index, size] of SIZES.entries()) {
      await t.test(`${size.join(' × ')}`, async () => {
        await resize(page, frame, size);
        await rotateToTheBack(visitor);
        await chooseVariant(visitor, index % 2 === 0 ? 'Blue' : 'Original');
        await hideAndShowPart(visitor);
        await seekAnimation(visitor);
        await enterAndExitFullscreen(frame, visitor, size);
        await readHelp(visitor);
        await visitor.leave();
      });
    }
  });

  it('preview: rotate to the back, full screen, help, leave', async (t) => {
    const { frame, visitor } = await open(t, {
      modelHandler: () => {},
      files: { '/preview.glb': preview },
      config: { preview: { url: '/preview.glb', bytes: preview.byteLength } },
    });
    assert.equal(await waitUntilLoaded(frame), 'preview');
    await frame.locator('#toolbar').waitFor();
    await rotateToTheBack(visitor);
    await enterAndExitFullscreen(frame, visitor, [360, 270]);
    await readHelp(visitor);
    await visitor.leave();
  });

  it('suspended: rotate to the back, choose a variant, hide a part, leave', async (t) => {
    const { frame, visitor } = await open(t);
    assert.equal(await waitUntilLoaded(frame), 'ready');
    await waitForControls(frame);
    await frame.evaluate(() => {
      const canvas = document.querySelector('canvas') as HTMLCanvasElement;
      canvas.getContext('webgl2')?.getExtension('WEBGL_lose_context')?.loseContext();
    });
    await rotateToTheBack(visitor);
    await chooseVariant(visitor, 'Blue');
    await hideAndShowPart(visitor);
    await visitor.leave();
  });

  it('loading: leave', async (t) => {
    const { frame, visitor } = await open(t, { modelHandler: () => {} });
    await frame.locator('#loading').waitFor();
    await visitor.enter();
    await visitor.leave();
  });

  it('failed: try again, read the advice, leave', async (t) => {
    const { frame, visitor } = await open(t, { modelHandler: (response) => response.destroy() });
    assert.equal(await waitUntilLoaded(frame), 'failed');
    await visitor.enter();
    await visitor.find('Tab', /button "Try again"/);
    await visitor.find('Tab', /For the site’s author/);
    await visitor.press('Enter');
    await visitor.leave();
  });
});

async function rotateToTheBack(visitor: KeyboardVisitor): Promise<void> {
  await visitor.enter();
  await visitor.find('Tab', /^- application "A design"/);
  await visitor.press('Home');
  await visitor.hear(/^Default view/);
  await visitor.pressControl(/"Rotate left"/);
  for (let step = 1; step < HALF_TURN_STEPS; step++) await visitor.press('Enter');
  await visitor.hear(/^View from the back/);
  await visitor.press('Escape');
}

async function chooseVariant(visitor: KeyboardVisitor, name: string): Promise<void> {
  await visitor.enter();
  await visitor.pressControl(/"Variants"/);
  await visitor.waitForFocus(/^- radio ".*" \[checked\]/);
  await visitor.find('ArrowDown', new RegExp(`^- radio "${name}" \\[checked\\]`));
  await visitor.hear(new RegExp(`^Variant: ${name}$`));
  await visitor.press('Escape');
  await visitor.waitForFocus(/^- button "(Variants|More)"/);
}

async function hideAndShowPart(visitor: KeyboardVisitor): Promise<void> {
  await visitor.enter();
  await visitor.pressControl(/"Parts"/);
  await visitor.find('ArrowDown', /^- treeitem "Wheel.*" \[checked\]/);
  await visitor.press('Space');
  await visitor.hear(/^Wheel: hidden$/);
  await visitor.waitForFocus(/^- treeitem "Wheel(?!.*checked)/);
  await visitor.press('Space');
  await visitor.hear(/^Wheel: shown$/);
  await visitor.waitForFocus(/^- treeitem "Wheel.*" \[checked\]/);
  await visitor.press('Escape');
  await visitor.waitForFocus(/^- button "(Parts|More)"/);
}

async function seekAnimation(visitor: KeyboardVisitor): Promise<void> {
  await visitor.enter();
  await visitor.pressControl(/"Animations"/);
  await visitor.find('Tab', /^- slider "Time"/);
  await visitor.press('End');
  await visitor.find('Shift+Tab', /^- radio "Walk around the block" \[checked\]/);
  await visitor.press('Escape');
}

async function enterAndExitFullscreen(
  frame: Frame,
  visitor: KeyboardVisitor,
  [width]: Size,
): Promise<void> {
  await visitor.enter();
  await visitor.pressControl(/"Fullscreen"/);
  await frame.waitForFunction(() => document.fullscreenElement !== null);
  await visitor.find('ArrowRight', /^- button "Exit fullscreen"/);
  await visitor.press('Enter');
  await frame.waitForFunction(() => document.fullscreenElement === null);
  await waitUntil('the frame has its size again', () =>
    frame.evaluate((width) => innerWidth === width, width),
  );
}

/** The key works on the view and on the control bar, and the focus returns. */
async function readHelp(visitor: KeyboardVisitor): Promise<void> {
  await visitor.enter();
  const before = await visitor.find('Tab', /^- button /);
  await visitor.press('?');
  await visitor.waitForFocus(/^- button "Close"/);
  await visitor.press('Escape');
  await visitor.waitForFocus(before);
}
