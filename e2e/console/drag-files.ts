import type { Page } from 'playwright-core';

/** Drags files or folders from outside the browser over the page, and returns a function that drops them. Chromium only. */
export async function dragFiles(page: Page, files: string[]): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  const dispatch = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, x: 600, y: 500, data });
  await dispatch('dragEnter');
  await dispatch('dragOver');
  return async () => {
    await dispatch('drop');
    await session.detach();
  };
}
