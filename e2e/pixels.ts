import type { Page } from 'playwright-core';
import sharp from 'sharp';

/** A colour as bytes: red, green, blue. */
export type Colour = readonly [number, number, number];

/** How many pixels of what a person sees on the page have nearly this colour. */
export async function countPixels(page: Page, [red, green, blue]: Colour): Promise<number> {
  const { data, info } = await readScreenshot(page);
  let count = 0;
  for (let i = 0; i < data.length; i += info.channels) {
    const [r = 0, g = 0, b = 0] = [data[i], data[i + 1], data[i + 2]];
    if (Math.abs(r - red) < 48 && Math.abs(g - green) < 48 && Math.abs(b - blue) < 48) count += 1;
  }
  return count;
}

/** The page as it looks now, as raw bytes. */
export async function readScreenshot(page: Page) {
  const png = await page.screenshot();
  return sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
}
