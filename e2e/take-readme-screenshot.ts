/**
 * Takes the screenshot in the README, of the shop page of the demo, as WebP. Run it while
 * `npm run demo` runs: `npx node e2e/take-readme-screenshot.ts http://localhost:8788 docs/embed.webp`
 */
import sharp from 'sharp';
import { openChromium } from './chromium.ts';

const [url = '', file = ''] = process.argv.slice(2);
const browser = await openChromium();
const page = await browser.newPage({
  viewport: { width: 1280, height: 720 },
  deviceScaleFactor: 1,
});
await page.goto(url);
const frame = page.frames().find((candidate) => candidate !== page.mainFrame());
await frame?.waitForSelector('html[data-state="ready"]');
// The controls fade in after the first frame.
await page.waitForTimeout(3000);
await sharp(await page.screenshot())
  .webp({ quality: 82 })
  .toFile(file);
await browser.close();
