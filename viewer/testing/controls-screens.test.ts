/**
 * Opens each screen of the controls in each size and theme. With CLOCHE_SCREENSHOTS=<folder>, writes a picture of each.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { BrowserContextOptions, Frame } from 'playwright-core';
import { findViolations } from '../../e2e/find-violations.ts';
import { openSharedChromium, type SharedBrowser } from '../../e2e/shared-chromium.ts';
import {
  FULL_FRAME,
  findLayoutProblems,
  fullModel,
  openScreen,
  resize,
  SCREENS,
  SIZES,
  type Size,
} from './controls-screens.ts';
import { openEmbeddedViewer, waitForControls, waitUntilLoaded } from './embedded-viewer.ts';
import type { ViewerServerOptions } from './test-server.ts';

const SCREENSHOTS = process.env.CLOCHE_SCREENSHOTS;
/** The largest control on a touch screen, and the narrowest frame that has room for it. CSS pixels. */
const TOUCH_SIZE = 44;
const TOUCH_WIDTH = 300;

describe('the screens of the controls', () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  function open(
    t: TestContext,
    options: BrowserContextOptions = {},
    served: Partial<ViewerServerOptions> = {},
  ) {
    return openEmbeddedViewer(
      t,
      browser,
      { model: fullModel, frameSize: FULL_FRAME, ...served },
      {
        viewport: { width: 360, height: 270 },
        deviceScaleFactor: SCREENSHOTS === undefined ? 0.5 : 1,
        reducedMotion: 'reduce',
        ...options,
      },
    );
  }

  async function openReady(...args: Parameters<typeof open>) {
    const embedded = await open(...args);
    assert.equal(await waitUntilLoaded(embedded.frame), 'ready');
    await waitForControls(embedded.frame);
    return embedded;
  }

  for (const theme of ['light', 'dark'] as const) {
    it(`${theme}: everything fits, has a name and enough contrast`, async (t) => {
      const served = { config: { options: { theme } } };
      const { page, frame, consoleErrors } = await openReady(t, {}, served);
      const problems = await examineScreens(frame, async (name) => {
        if (SCREENSHOTS !== undefined)
          await page.screenshot({ path: join(SCREENSHOTS, `${theme}-${name}.png`) });
        return [...(await findLayoutProblems(frame)), ...(await findViolations(frame))];
      });
      assert.deepEqual(problems, []);
      assert.deepEqual(consoleErrors, []);
    });
  }

  for (const theme of ['light', 'dark'] as const) {
    it(`${theme}: before loading and after a failure, everything fits and has enough contrast`, async (t) => {
      const waiting = await open(t, {}, { config: { options: { loading: 'click', theme } } });
      const failed = await open(
        t,
        {},
        { config: { options: { theme } }, modelHandler: (response) => response.destroy() },
      );
      await waiting.frame.locator('#load').waitFor();
      await failed.frame.locator('#error').waitFor();
      const problems: string[] = [];
      for (const [state, { page, frame }] of Object.entries({ waiting, failed })) {
        for (const size of SIZES) {
          await resize(page, frame, size);
          const name = `${theme}-${size[0]}-${state}`;
          if (SCREENSHOTS !== undefined)
            await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
          const found = await findViolations(frame);
          problems.push(...found.map((problem) => `${name}: ${problem}`));
        }
      }
      assert.deepEqual(problems, []);
    });
  }

  it('with text of 200 %, everything fits', async (t) => {
    const { frame } = await openReady(t);
    await frame.evaluate(() => {
      document.documentElement.style.fontSize = '200%';
    });
    assert.deepEqual(await examineScreens(frame, () => findLayoutProblems(frame)), []);
  });

  it('with forced colors, the focus and the borders of buttons are visible', async (t) => {
    const { page, frame } = await openReady(t, { forcedColors: 'active' });
    for (const screen of SCREENS) {
      if (!(await openScreen(frame, screen))) continue;
      if (SCREENSHOTS !== undefined)
        await page.screenshot({ path: join(SCREENSHOTS, `forced-360-${screen}.png`) });
    }
    await openScreen(frame, 'bar');
    const button = frame.locator('.bar button').first();
    await button.press('Home');
    const { border, background, outline } = await button.evaluate((element) => {
      const { borderColor, outlineStyle } = getComputedStyle(element);
      const { backgroundColor } = getComputedStyle(element.closest('.bar') as Element);
      return { border: borderColor, background: backgroundColor, outline: outlineStyle };
    });
    assert.notEqual(border, background);
    assert.equal(outline, 'solid');
  });

  it('on a touch screen, targets have 44 pixels where they fit', async (t) => {
    const { frame } = await openReady(t, { hasTouch: true, isMobile: true });
    const problems = await examineScreens(frame, (_, [width]) =>
      findLayoutProblems(frame, width >= TOUCH_WIDTH ? TOUCH_SIZE : 24),
    );
    assert.deepEqual(problems, []);
  });
});

/** Opens each screen in each size. Returns all that is found. */
async function examineScreens(
  frame: Frame,
  examine: (name: string, size: Size) => Promise<string[]>,
): Promise<string[]> {
  const problems: string[] = [];
  for (const size of SIZES) {
    await resize(frame.page(), frame, size);
    for (const screen of SCREENS) {
      if (!(await openScreen(frame, screen))) continue;
      const name = `${size[0]}-${screen}`;
      const found = await examine(name, size);
      problems.push(...found.map((problem) => `${name}: ${problem}`));
    }
  }
  return problems;
}
