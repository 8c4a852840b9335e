import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { waitUntil } from '../../scripts/wait-until.ts';

const MAX_TABS = 150;

/** Opens a page of the navigation with the keyboard. On a narrow screen, the navigation is a menu. */
export async function openPage(page: Page, name: string): Promise<void> {
  await moveTo(page, page.getByRole('button', { name: 'Menu' }));
  await page.keyboard.press('Enter');
  await moveTo(page, page.getByRole('link', { name }));
  await page.keyboard.press('Enter');
}

/** Presses Tab until an element has the focus. Fails if the focus cannot be seen on its way. */
export async function moveTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  // A dialog takes the focus a moment after it is shown.
  await waitUntil('the focus in the dialog', () => target.evaluate(isFocusInDialog));
  for (let count = 0; count < MAX_TABS; count += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
    // At the end of a dialog, a guard takes the focus, and moves it to the start with the next frame.
    await waitUntil('the focus has left the guard', () => page.evaluate(isFocusOnNoGuard));
    assert.equal(await page.evaluate(findFocusMistake), undefined);
  }
  assert.fail(`Tab does not reach ${target}`);
}

/** Whether an element is in no dialog, or in the one that has the focus. Runs in the page. */
function isFocusInDialog(element: Element): boolean {
  const dialog = element.closest('[role=dialog], [role=alertdialog]');
  return dialog === null || dialog.contains(document.activeElement);
}

/** Whether the focus is not on one of the invisible elements around a dialog. Runs in the page. */
function isFocusOnNoGuard(): boolean {
  return document.activeElement?.hasAttribute('data-base-ui-focus-guard') !== true;
}

/** Says why people do not see which element has the focus. Runs in the page. */
function findFocusMistake(): string | undefined {
  const element = document.activeElement;
  // After its last element, the focus is in the browser. In a frame, the frame shows it.
  if (element === null || element === document.body || element.tagName === 'IFRAME') return;
  const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
  const points = [
    [left + width / 2, top + height / 2],
    [left + 3, top + 3],
    [right - 3, bottom - 3],
  ] as const;
  const isSeen = points.some(([x, y]) => {
    const seen = document.elementFromPoint(x, y);
    return seen !== null && (element.contains(seen) || seen.contains(element));
  });
  if (!isSeen) return `is covered: ${element.outerHTML}`;
  if (getComputedStyle(element).outlineStyle === 'none') return `no outline: ${element.outerHTML}`;
}
