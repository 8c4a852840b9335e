import type { Locator } from 'playwright-core';
import { waitUntil } from '../../scripts/wait-until.ts';

/** Waits until two pictures of a view in sequence are the same, and it is not empty. Returns the picture. */
export async function waitForDrawing(frame: Locator): Promise<Buffer> {
  const canvas = frame.contentFrame().locator('canvas');
  await canvas.waitFor();
  let last: Buffer | undefined;
  return await waitUntil('the view is drawn', async () => {
    const before = last;
    last = await frame.screenshot();
    return before?.equals(last) === true && last.length > 3_000 && last;
  });
}
