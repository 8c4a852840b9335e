import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { findViolations, ONLY_COLORS } from '../find-violations.ts';

/** Pictures of all states of all pages are written to this folder. */
const SCREENSHOTS = process.env.CLOCHE_SCREENSHOTS;
/** Of a picture, in CSS pixels. A long list looks the same further down. */
const MAX_PICTURE_HEIGHT = 8000;
const VIEWS = [360, 1440].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);
const AXE_OPTIONS = { light: { rules: { 'target-size': { enabled: true } } }, dark: ONLY_COLORS };
/** WCAG 1.4.10: a page of 1280 px at 400 %. */
const REFLOW_WIDTH = 320;
const WIDE_WIDTH = 2560;
/** WCAG 1.4.12. */
const TEXT_SPACING =
  '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }';

/**
 * Fails if a state of the page is wider than the screen, or has an accessibility violation: at 360 and 1440 px, light and
 * dark (only the colors), at 2560 px, and at 320 px, also with the text spacing of WCAG. With CLOCHE_SCREENSHOTS=<folder>, writes a picture of each.
 */
export async function assertPageFits(page: Page, state: string): Promise<void> {
  const failures: string[] = [];
  // A part of the page that is read is replaced soon, and its text fades in: axe would measure a color in between.
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.loading')].every(({ textContent }) => textContent === ''),
  );
  const before = await page.evaluate(() => ({
    width: innerWidth,
    height: innerHeight,
    isDark: matchMedia('(prefers-color-scheme: dark)').matches,
  }));
  const resize = async (width: number) => {
    await page.setViewportSize({ width, height: before.height });
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    return overflow > 0 ? [`${overflow} px wider than ${width} px`] : [];
  };
  for (const { width, colorScheme } of VIEWS) {
    await page.emulateMedia({ colorScheme });
    const found = [
      ...(await resize(width)),
      ...(await findViolations(page.mainFrame(), AXE_OPTIONS[colorScheme])),
    ];
    failures.push(...found.map((text) => `${width} px, ${colorScheme}: ${text}`));
    await takePicture(page, `${state}-${width}-${colorScheme}`);
  }
  failures.push(...(await resize(WIDE_WIDTH)));
  failures.push(...(await resize(REFLOW_WIDTH)));
  await setTextSpacing(page, TEXT_SPACING);
  failures.push(...(await resize(REFLOW_WIDTH)).map((text) => `${text}, with text spacing`));
  await setTextSpacing(page, '');
  await page.emulateMedia({ colorScheme: before.isDark ? 'dark' : 'light' });
  await resize(before.width);
  assert.deepEqual(failures, [], state);
}

/** A constructed style sheet is not subject to the Content-Security-Policy of the page. */
async function setTextSpacing(page: Page, css: string): Promise<void> {
  await page.evaluate((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets = [sheet];
  }, css);
}

async function takePicture(page: Page, name: string): Promise<void> {
  if (!SCREENSHOTS) return;
  await mkdir(SCREENSHOTS, { recursive: true });
  const subject = new URL(page.url()).pathname.split('/')[2] || 'sign-in';
  const file = `${subject}-${name}.png`.replaceAll(/[^\w.-]+/g, '-');
  const { width = 0 } = page.viewportSize() ?? {};
  const pageHeight = await page.evaluate(() => document.documentElement.scrollHeight);
  const height = Math.min(pageHeight, MAX_PICTURE_HEIGHT);
  const clip = { x: 0, y: 0, width, height };
  await page.screenshot({ path: join(SCREENSHOTS, file), fullPage: true, clip });
}
