/**
 * Takes the picture in the README, as WebP: the two pages of the demo, side by side. Run it while
 * `npm run demo` runs: `npx node e2e/take-readme-screenshot.ts docs/embed.webp`
 */
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { openChromium } from './chromium.ts';

/** A part of a page of the demo, and its window in the picture. */
type DemoWindow = {
  url: string;
  viewport: { width: number; height: number };
  /** The element that is shown. */
  selector: string;
  /** The text of the title bar. */
  title: string;
  left: number;
  top: number;
  width: number;
  height: number;
};

const PICTURE = { width: 1280, height: 580 };
const TITLE_BAR_HEIGHT = 40;
const WINDOWS: readonly DemoWindow[] = [
  {
    url: 'http://localhost:8788',
    viewport: { width: 960, height: 560 },
    selector: 'html',
    title: '✓  On a site that you list',
    left: 30,
    top: 30,
    width: 809,
    height: 472,
  },
  {
    url: 'http://127.0.0.1:8789',
    viewport: { width: 460, height: 600 },
    selector: 'iframe',
    title: '✗  The same HTML on another site',
    left: 870,
    top: 130,
    width: 380,
    height: 285,
  },
];

const [file = ''] = process.argv.slice(2);
const browser = await openChromium();
const layers = [];
for (const window of WINDOWS) {
  const { left, top } = window;
  layers.push({ input: createFrame(window), left: left - 20, top: top - 20 });
  layers.push({ input: await takeScreenshot(browser, window), left, top: top + TITLE_BAR_HEIGHT });
}
await browser.close();
await sharp({ create: { ...PICTURE, channels: 3, background: '#e3e6ea' } })
  .composite(layers)
  .webp({ quality: 82 })
  .toFile(file);

async function takeScreenshot(
  browser: Browser,
  { url, viewport, selector, width, height }: DemoWindow,
): Promise<Buffer> {
  const page = await browser.newPage({ viewport, deviceScaleFactor: 1 });
  await page.goto(url);
  const frame = page.frames().find((candidate) => candidate !== page.mainFrame());
  const isRefused = (await frame?.locator('html[data-state]').count()) === 0;
  if (!isRefused) await frame?.waitForSelector('html[data-state="ready"]');
  // The controls are loaded after the first frame.
  await page.waitForTimeout(3000);
  const picture = await page.locator(selector).screenshot();
  return sharp(picture).resize({ width, height, fit: 'cover', position: 'top' }).toBuffer();
}

/** Draws the shadow and the title bar of a window, with a margin of 20 pixels. */
function createFrame({ title, width, height }: DemoWindow): Buffer {
  const [w, h] = [width, height + TITLE_BAR_HEIGHT];
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${w + 40}" height="${h + 40}">
<filter id="shadow"><feGaussianBlur stdDeviation="8"/></filter>
<rect x="20" y="24" width="${w}" height="${h}" rx="10" opacity="0.3" filter="url(#shadow)"/>
<rect x="20" y="20" width="${w}" height="${h}" rx="10" fill="#fff"/>
<text x="36" y="46" font-family="sans-serif" font-size="17" fill="#23262b">${title}</text>
</svg>`);
}
