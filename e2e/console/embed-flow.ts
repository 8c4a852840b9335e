import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { waitUntil } from '../../scripts/wait-until.ts';
import { readScreenPixels } from '../../viewer/testing/embedded-viewer.ts';

/** What is promised for the way from the sign-in to a visible embed. */
const MAX_CLICKS = 5;

/** Fails if a visible embed has needed more clicks than is promised. */
export function assertFewClicks(count: number): void {
  assert.ok(count > 0 && count <= MAX_CLICKS, `${count} clicks`);
}

/** Counts the clicks of a person from now on, until the page is loaded again. */
export async function countClicks(page: Page): Promise<{ count: number }> {
  const clicks = { count: 0 };
  await page.exposeFunction('countClick', () => {
    clicks.count += 1;
  });
  // Not while it is captured: Playwright stops a click whose target has just moved, and clicks again.
  await page.evaluate("addEventListener('click', (event) => event.isTrusted && countClick())");
  return clicks;
}

/** Pastes from the clipboard into the editor of a web site, and returns what it contains then. */
export async function pasteInto(page: Page, url: string): Promise<string> {
  const editor = await page.context().newPage();
  await editor.goto(url);
  await editor.locator('textarea').focus();
  await editor.keyboard.press('ControlOrMeta+V');
  // The text may arrive after the key.
  await editor.waitForFunction(() => document.querySelector('textarea')?.value !== '');
  const text = await editor.locator('textarea').inputValue();
  await editor.close();
  return text;
}

/** Opens a page, and waits until its embed has drawn a model with pixels of more than one color. */
export async function assertEmbedVisible(page: Page, url: string): Promise<void> {
  const shop = await page.context().newPage();
  await shop.goto(url);
  await shop.frameLocator('iframe').locator('html[data-state=ready]').waitFor();
  // The next frame shows it.
  await waitUntil(`pixels of the model at ${url}`, async () => (await countColors(shop)) > 10);
  await shop.close();
}

async function countColors(page: Page): Promise<number> {
  const { data } = await readScreenPixels(page);
  const colors = new Set<number>();
  for (let index = 0; index < data.length; index += 3) {
    colors.add(((data[index] ?? 0) << 16) | ((data[index + 1] ?? 0) << 8) | (data[index + 2] ?? 0));
  }
  return colors.size;
}
