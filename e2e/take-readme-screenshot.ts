/**
 * Takes the README's picture: the demo's shop page in a real browser, as WebP. Run it while `npm run demo` runs:
 * `npx node e2e/picture.ts http://localhost:8788 docs/embed.webp`
 */
import sharp from 'sharp';
import { openChromium } from './chromium.ts';

const [address = '', file = ''] = process.argv.slice(2);
const browser = await openChromium();
const page = await browser.newPage({
  viewport: { width: 1280, height: 720 },
  deviceScaleFactor: 1,
});
await page.goto(address);
const frame = page.frames().find((one) => one !== page.mainFrame());
await frame?.waitForSelector('html[data-state="ready"]');
// The controls fade in after the first frame.
await page.waitForTimeout(3000);
await sharp(await page.screenshot())
  .webp({ quality: 82 })
  .toFile(file);
await browser.close();
