import type { Page } from 'playwright-core';

/** Reads the code of the selected tab of the embed builder. */
export async function readEmbedCode(page: Page): Promise<string> {
  const id = await page.getByRole('tab', { selected: true }).getAttribute('aria-controls');
  return page.locator(`[id="${id}"] pre code`).innerText();
}

/** Selects a tab of the embed builder, and waits for its code. */
export async function openCodeTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name, exact: true }).click();
  await page.getByRole('tab', { name, exact: true, selected: true }).waitFor();
  await page.getByRole('tabpanel', { name, exact: true }).waitFor();
}
