import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type { BrowserContextOptions, Frame } from 'playwright-core';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { createAnimatedBoxGlb } from './animated-models.ts';
import {
  FULL_FRAME,
  findLayoutProblems,
  fullModel,
  openScreen,
  resize,
  type Size,
} from './controls-screens.ts';
import { openEmbeddedViewer, waitForControls, waitUntilLoaded } from './embedded-viewer.ts';
import type { ViewerServerOptions } from './test-server.ts';

const ALL_NAMES = [
  'Animations',
  'Fullscreen',
  'Help',
  'Parts',
  'Play animation',
  'Reset view',
  'Rotate down',
  'Rotate left',
  'Rotate right',
  'Rotate up',
  'Variants',
  'Zoom in',
  'Zoom out',
];

/** The names of the visible buttons, without “More” and “Close”. */
async function listButtons(frame: Frame): Promise<string[]> {
  const names = await frame
    .locator('#toolbar :is(.bar, #more-popover) button:visible')
    .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? ''));
  return names.filter((name) => name !== 'More' && name !== 'Close').toSorted();
}

const readFocusedId = (frame: Frame) => frame.evaluate(() => document.activeElement?.id);

describe('toolbar', { concurrency: 2 }, () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  async function open(
    t: TestContext,
    served: Partial<ViewerServerOptions> = {},
    options: BrowserContextOptions = {},
  ) {
    const embedded = await openEmbeddedViewer(
      t,
      browser,
      { model: fullModel, frameSize: FULL_FRAME, ...served },
      { viewport: { width: 360, height: 270 }, reducedMotion: 'reduce', ...options },
    );
    assert.equal(await waitUntilLoaded(embedded.frame), 'ready');
    return embedded;
  }

  async function openReady(...args: Parameters<typeof open>) {
    const embedded = await open(...args);
    await waitForControls(embedded.frame);
    return embedded;
  }

  const openWithOptions = (t: TestContext, options: ViewerOptions) =>
    open(t, { config: { options } });

  it('in every size, bar and panel together have all controls', async (t) => {
    const { page, frame, consoleErrors } = await openReady(t);
    const sizes: Size[] = [
      ...([
        [120, 90],
        [160, 400],
        [239, 180],
        [240, 180],
        [320, 240],
      ] as const),
      ...([
        [480, 320],
        [600, 100],
        [640, 220],
        [700, 500],
        [1440, 810],
      ] as const),
    ];
    let last = 0;
    for (const size of sizes) {
      await resize(page, frame, size);
      await openScreen(frame, 'bar');
      const inBar = await listButtons(frame);
      await openScreen(frame, 'more');
      assert.deepEqual(await listButtons(frame), ALL_NAMES, String(size));
      assert.deepEqual(await findLayoutProblems(frame), [], String(size));
      // From 240 pixels on, the buttons are larger.
      const isLarge = size[0] >= 240 && size[1] >= 140;
      if (isLarge) assert.ok(inBar.length >= last, `${size}: ${inBar.length} in the bar`);
      last = isLarge ? inBar.length : 0;
    }
    assert.equal(last, ALL_NAMES.length, 'a wide bar has everything');
    assert.deepEqual(consoleErrors, []);
  });

  it('a menu with nothing to offer is not shown', async (t) => {
    const { frame } = await openReady(t, { model: createAnimatedBoxGlb({ animations: [] }) });
    const missing = ['Animations', 'Parts', 'Play animation', 'Variants'];
    await openScreen(frame, 'more');
    assert.deepEqual(
      await listButtons(frame),
      ALL_NAMES.filter((name) => !missing.includes(name)),
    );
  });

  it('the option controls selects the parts of the bar', async (t) => {
    const { frame } = await openWithOptions(t, { controls: 'zoom fullscreen' });
    await frame.locator('#toolbar').waitFor();
    assert.deepEqual(await listButtons(frame), ['Fullscreen', 'Zoom in', 'Zoom out']);
    assert.equal(await frame.locator('.bar #more').count(), 0);
  });

  it('controls=none shows no bar; the keyboard works, and so does help', async (t) => {
    const { frame } = await openWithOptions(t, { controls: 'none' });
    await frame.locator('#help-dialog').waitFor({ state: 'attached' });
    await frame.locator('#view').press('?');
    const help = frame.getByRole('dialog', { name: 'Help' });
    assert.equal(await help.getByText('Tab, then arrow keys').count(), 0);
    await help.press('Escape');
    assert.equal(await frame.locator('#toolbar').isVisible(), false);
  });

  it('what rotates by itself can be paused, whatever controls are shown', async (t) => {
    const { frame } = await open(
      t,
      { config: { options: { autoRotate: true, autoRotateDelay: 0, controls: 'zoom' } } },
      { reducedMotion: 'no-preference' },
    );
    await frame.getByRole('button', { name: 'Pause rotation' }).click();
    await frame.getByRole('button', { name: 'Resume rotation' }).click();
    await frame.getByRole('button', { name: 'Pause rotation' }).waitFor();
  });

  it('arrow keys, Home and End move the focus; the Tab key stops at the bar once', async (t) => {
    const { page, frame } = await openReady(t, {}, { viewport: { width: 1440, height: 810 } });
    await frame.locator('#view').focus();
    const expected: [key: string, id: string][] = [
      ['Tab', 'variants'],
      ['ArrowRight', 'play'],
      ['End', 'fullscreen'],
      ['ArrowRight', 'variants'],
      ['ArrowLeft', 'fullscreen'],
      ['Home', 'variants'],
      ['ArrowRight', 'play'],
      ['Shift+Tab', 'view'],
      ['Tab', 'play'],
    ];
    for (const [key, id] of expected) {
      await page.keyboard.press(key);
      assert.equal(await readFocusedId(frame), id, key);
    }
  });

  it('a menu takes the focus and returns it; a click beside it closes it', async (t) => {
    const { page, frame } = await openReady(t);
    const button = frame.getByRole('button', { name: 'Variants' });
    await button.press('ArrowDown');
    assert.equal(await button.getAttribute('aria-expanded'), 'true');
    assert.equal(await frame.evaluate(() => document.activeElement?.getAttribute('type')), 'radio');
    await page.keyboard.press('Escape');
    assert.equal(await readFocusedId(frame), 'variants');
    assert.equal(await button.getAttribute('aria-expanded'), 'false');
    await button.click();
    await frame.locator('#view').click({ position: { x: 350, y: 10 } });
    assert.equal(await frame.locator('.popover:visible').count(), 0);
  });

  it('the menu of a single animation, without a list, takes the focus, too', async (t) => {
    const model = createAnimatedBoxGlb({ animations: ['Spin'] });
    const { frame } = await openReady(t, { model });
    await frame.getByRole('button', { name: 'Animations' }).press('ArrowDown');
    assert.equal(await readFocusedId(frame), 'animation-play');
  });

  it('the menu of parts stays open while the model is moved', async (t) => {
    const { frame } = await openReady(t);
    await frame.getByRole('button', { name: 'Parts' }).click();
    await frame.locator('#view').click({ position: { x: 10, y: 10 } });
    await frame.getByRole('tree', { name: 'Parts' }).waitFor();
  });

  it('the focus stays when the layout changes with fullscreen', async (t) => {
    const frameSize = { width: '120px', height: '90px' };
    const { frame } = await openReady(t, { frameSize }, { viewport: { width: 1440, height: 800 } });
    await frame.getByRole('button', { name: 'Fullscreen' }).click();
    const exit = frame.getByRole('button', { name: 'Exit fullscreen' });
    await exit.waitFor();
    await frame.locator('.bar #zoom-in').waitFor();
    assert.equal(await readFocusedId(frame), 'fullscreen');
    await exit.click();
    await frame.locator('.bar #more').waitFor();
    assert.equal(await readFocusedId(frame), 'fullscreen');
  });

  it('each movement needs only clicks, and is announced', async (t) => {
    const { frame } = await openReady(t, {}, { viewport: { width: 200, height: 150 } });
    const moves: [button: string, announcement: RegExp][] = [
      ['Rotate left', /° left|° right/],
      ['Rotate right', /° left|° right/],
      ['Rotate up', /° up/],
      ['Rotate down', /° up|° down|View from/],
      ['Zoom in', /^Zoom 118%$/],
      ['Zoom out', /^Zoom 85%$/],
      ['Reset view', /^Default view\. View from/],
    ];
    await openScreen(frame, 'more');
    for (const [name, announcement] of moves) {
      await frame.locator('#live-region').evaluate((region) => region.replaceChildren());
      await frame.getByRole('button', { name, exact: true }).click();
      await waitUntil(`${name} is announced`, async () =>
        announcement.test(await frame.locator('#live-region').innerText()),
      );
      if (name === 'Reset view') continue;
      await frame.getByRole('button', { name: 'Reset view' }).click();
      await frame
        .locator('#live-region', { hasText: 'Default view' })
        .waitFor({ state: 'attached' });
    }
  });

  it('from right to left, the bar is mirrored, but “left” stays left', async (t) => {
    const { frame } = await openReady(
      t,
      { language: 'ar' },
      { viewport: { width: 1440, height: 810 } },
    );
    const getLeft = (id: string) =>
      frame.locator(`#${id}`).evaluate((element) => element.getBoundingClientRect().left);
    assert.ok((await getLeft('variants')) > (await getLeft('fullscreen')));
    assert.ok((await getLeft('rotate-left')) < (await getLeft('rotate-right')));
    assert.deepEqual(await findLayoutProblems(frame), []);
    await frame.locator('#variants').focus();
    await frame.page().keyboard.press('ArrowLeft');
    assert.equal(await readFocusedId(frame), 'play');
  });

  it('the bar has enough contrast on any background', async (t) => {
    // With a theme, the document has the style of all.
    const { frame } = await openReady(t, { config: { options: { theme: 'dark' } } });
    for (const theme of ['light', 'dark']) {
      const ratios = await frame.evaluate((theme) => {
        document.documentElement.dataset.theme = theme;
        const { backgroundColor } = getComputedStyle(document.querySelector('.bar') as Element);
        const { color } = getComputedStyle(document.querySelector('.bar button') as Element);
        const toNumbers = (text: string) => (text.match(/[\d.]+/g) ?? []).map(Number);
        const [r = 0, g = 0, b = 0, alpha = 1] = toNumbers(backgroundColor);
        const getLuminance = (channels: number[]) =>
          channels
            .map((value) => value / 255)
            .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
            .reduce((sum, value, index) => sum + value * ([0.2126, 0.7152, 0.0722][index] ?? 0), 0);
        const text = getLuminance(toNumbers(color).slice(0, 3));
        return [0, 255].map((behind) => {
          const mixed = [r, g, b].map((value) => value * alpha + behind * (1 - alpha));
          const [light = 0, dark = 0] = [text, getLuminance(mixed)].toSorted((x, y) => y - x);
          return (light + 0.05) / (dark + 0.05);
        });
      }, theme);
      for (const ratio of ratios) assert.ok(ratio >= 7, `${theme}: ${ratio}`);
    }
  });

  it('of thousands of parts, only those in view have elements; a search finds each', async (t) => {
    const parts = Array.from({ length: 2500 }, (_, index) => `Screw ${index + 1}`);
    const { page, frame } = await openReady(t, { model: createAnimatedBoxGlb({ parts }) });
    await frame.getByRole('button', { name: 'Parts' }).click();
    const rows = frame.locator('[role="treeitem"]');
    const first = rows.first();
    await first.waitFor();
    assert.equal(
      await frame.locator('[aria-level="2"]').first().getAttribute('aria-setsize'),
      '2501',
    );
    await page.keyboard.press('End');
    await frame.getByRole('treeitem', { name: 'Screw 2500' }).waitFor();
    assert.ok((await rows.count()) < 30, `${await rows.count()} elements`);
    await frame.getByRole('searchbox', { name: 'Search parts' }).fill('screw 1234');
    await waitUntil('only the part that was found', async () =>
      isDeepStrictEqual(await rows.locator('.name').allInnerTexts(), ['Model', 'Screw 1234']),
    );
    await frame.getByRole('searchbox').fill('nothing');
    await frame.getByText('No parts found', { exact: true }).first().waitFor();
  });

  it('a part can be shown alone; names from the file are text', async (t) => {
    const { frame } = await openReady(t, {}, { viewport: { width: 800, height: 600 } });
    await frame.getByRole('button', { name: 'Parts' }).click();
    const getChecked = () =>
      frame
        .locator('[role="treeitem"]')
        .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-checked')));
    const bell = frame.getByRole('treeitem', { name: '<b>Bell</b>' });
    await bell.locator('.isolate').click();
    await frame.locator('[role="treeitem"][aria-checked="mixed"]').waitFor();
    assert.deepEqual(await getChecked(), ['mixed', 'false', 'false', 'true', 'false']);
    await frame.getByRole('button', { name: 'Show all' }).click();
    await frame.locator('[role="treeitem"][aria-checked="mixed"]').waitFor({ state: 'detached' });
    assert.deepEqual(await getChecked(), ['true', 'true', 'true', 'true', 'true']);
    assert.equal(await frame.locator('.part-tree b').count(), 0);
  });
});
