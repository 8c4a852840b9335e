import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Frame } from 'playwright-core';
import { openChromium } from '../../e2e/chromium.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { createAnimatedBoxGlb } from './animated-models.ts';
import { openEmbeddedViewer, waitForControls, waitUntilLoaded } from './embedded-viewer.ts';

/** The largest set of controls: two menus, and a name that is longer than any of them. */
const model = createAnimatedBoxGlb({
  animations: ['Walk around the block', 'Run'],
  variants: ['Pink leather, brushed steel, and a long name', 'Blue'],
});

type Size = readonly [width: number, height: number];
const SMALL_SIZES: readonly Size[] = [
  [120, 90],
  [120, 120],
  [200, 150],
  [239, 180],
  [600, 100],
];
const LARGER_SIZES: readonly Size[] = [
  [240, 180],
  [240, 220],
  [360, 270],
  [639, 220],
  [1440, 700],
];

const TOUCH_SIZES: readonly Size[] = [
  [120, 90],
  [240, 180],
  [360, 270],
];

const ALL_NAMES = [
  'Animation',
  'Fullscreen',
  'Play animation',
  'Reset view',
  'Rotate down',
  'Rotate left',
  'Rotate right',
  'Rotate up',
  'Variant',
  'View controls',
  'Zoom in',
  'Zoom out',
];

type Control = { name: string; left: number; top: number; right: number; bottom: number };

/** Lists the visible buttons and menus of the toolbar, with their accessible names. */
async function listControls(frame: Frame): Promise<Control[]> {
  const controls: Control[] = [];
  for (const control of await frame.locator('#toolbar :is(button, select):visible').all()) {
    const box = await control.evaluate((element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      return { left, top, right, bottom };
    });
    const [, name = ''] = /^- \w+ "([^"]*)"/.exec(await control.ariaSnapshot()) ?? [];
    controls.push({ name, ...box });
  }
  return controls;
}

/** WCAG 2.5.8: each target has 24 by 24 CSS pixels, inside the frame, and none covers another. */
function assertTargets(controls: readonly Control[], [width, height]: Size): void {
  for (const { name, left, top, right, bottom } of controls) {
    assert.ok(right - left >= 24 && bottom - top >= 24, `${name}: ${right - left}`);
    assert.ok(left >= 0 && top >= 0 && right <= width && bottom <= height, `${name} is cut off`);
  }
  for (const [index, a] of controls.entries())
    for (const b of controls.slice(index + 1)) {
      const isApart =
        a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
      assert.ok(isApart, `${a.name} covers ${b.name}`);
    }
}

async function findViolations(frame: Frame): Promise<string[]> {
  await frame.evaluate(axe.source);
  return frame.evaluate(async () => {
    const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run({
      runOnly,
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target}: ${failureSummary}`),
    );
  });
}

describe('toolbar', { concurrency: 2 }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  async function open(t: TestContext, [width, height]: Size, options: BrowserContextOptions = {}) {
    const frameSize = { width: `${width}px`, height: `${height}px` };
    const embedded = await openEmbeddedViewer(
      t,
      browser,
      { model, frameSize },
      { viewport: { width: 1440, height: 800 }, reducedMotion: 'reduce', ...options },
    );
    assert.equal(await waitUntilLoaded(embedded.frame), 'ready');
    await waitForControls(embedded.frame);
    return { ...embedded, toggle: embedded.frame.getByRole('button', { name: 'View controls' }) };
  }

  const sizes: [size: Size, options: BrowserContextOptions][] = [
    ...[...SMALL_SIZES, ...LARGER_SIZES].map((size) => [size, {}] as [Size, object]),
    ...TOUCH_SIZES.map((size) => [size, { hasTouch: true, isMobile: true }] as [Size, object]),
  ];
  for (const [size, options] of sizes) {
    it(`${size.join(' × ')}${options.hasTouch ? ', touch' : ''}: the panel completes the controls`, async (t) => {
      const { page, frame, toggle, consoleErrors } = await open(t, size, options);
      const assertAccessible = async () => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          assert.deepEqual(await findViolations(frame), [], colorScheme);
        }
      };
      const closed = await listControls(frame);
      if (size[0] < 240 || size[1] < 120) assert.equal(closed.length, 1, 'one button');
      else assert.ok(closed.length > 3, `${closed.length} controls`);
      assertTargets(closed, size);
      await assertAccessible();
      await toggle.click();
      const opened = await listControls(frame);
      assert.deepEqual(opened.map(({ name }) => name).toSorted(), ALL_NAMES);
      assertTargets(opened, size);
      await assertAccessible();
      assert.deepEqual(consoleErrors, []);
    });
  }

  it('menus have a visible label, in a small frame when they are open', async (t) => {
    const { frame } = await open(t, [360, 270]);
    for (const label of ['Variant', 'Animation'])
      assert.ok(await frame.locator('.menu label', { hasText: label }).isVisible(), label);
    const groups = frame.locator('optgroup');
    assert.deepEqual(
      await groups.evaluateAll((list) => list.map((group) => group.getAttribute('label'))),
      ['Variant', 'Animation'],
    );
  });

  const moves: [button: string, announcement: RegExp][] = [
    ['Rotate left', /° left|° right/],
    ['Rotate right', /° left|° right/],
    ['Rotate up', /° up/],
    ['Rotate down', /° up|° down|View from/],
    ['Zoom in', /^Zoom 118%$/],
    ['Zoom out', /^Zoom 85%$/],
    ['Reset view', /^Default view\. View from/],
  ];
  it('each movement needs only clicks, and is announced', async (t) => {
    const { frame, toggle } = await open(t, [200, 150]);
    await toggle.click();
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

  it('Escape closes the panel and returns the focus to its button', async (t) => {
    const { frame, toggle } = await open(t, [200, 150]);
    await toggle.press('Enter');
    assert.equal(await toggle.getAttribute('aria-expanded'), 'true');
    await frame.getByRole('button', { name: 'Zoom in' }).press('Escape');
    assert.equal(await toggle.getAttribute('aria-expanded'), 'false');
    assert.equal(await frame.evaluate(() => document.activeElement?.id), 'toggle');
  });

  it('the focus stays when the layout changes with fullscreen', async (t) => {
    const { frame, toggle } = await open(t, [200, 150]);
    await toggle.click();
    await frame.getByRole('button', { name: 'Fullscreen' }).click();
    const exit = frame.getByRole('button', { name: 'Exit fullscreen' });
    await exit.waitFor();
    await frame.locator('#toolbar[data-layout="large"]').waitFor();
    assert.equal(await frame.evaluate(() => document.activeElement?.id), 'fullscreen');
    await exit.click();
    await frame.locator('#toolbar[data-layout="small"]').waitFor();
    assert.equal(await frame.evaluate(() => document.activeElement?.id), 'toggle');
  });
});
