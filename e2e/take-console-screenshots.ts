/**
 * Takes the pictures of the console in the docs, as WebP, from a service with some designs:
 * `npx node e2e/take-console-screenshots.ts http://localhost:8787 cloche_sk_… WaterBottle`
 */
import sharp from 'sharp';
import { openChromium } from './chromium.ts';
import { signInToConsole } from './console/open-console.ts';

const [service = '', token = '', design = ''] = process.argv.slice(2);
const browser = await openChromium();
const page = await browser.newPage({ viewport: { width: 1280, height: 620 } });
const save = async (file: string) =>
  sharp(await page.screenshot())
    .resize({ width: 1120 })
    .webp({ quality: 65 })
    .toFile(file);

await page.goto(`${service}/console/designs`);
await signInToConsole(page, token);
await page.locator('.card-poster img').first().waitFor();
// Not over a card.
await page.mouse.move(0, 0);
await page.waitForLoadState('networkidle');
await save('docs/console-designs.webp');
await page.setViewportSize({ width: 1280, height: 1230 });
await page.goto(`${service}/console/embed`);
await page.getByRole('link', { name: design }).click();
await page.getByLabel('Addresses of your pages').fill('shop.example');
await page.getByRole('button', { name: 'Create token' }).click();
await page.getByText('The token is in the code below.').waitFor();
await page.frameLocator('iframe').getByRole('button', { name: 'Zoom in' }).waitFor();
await page.waitForLoadState('networkidle');
await page.evaluate('scrollTo(0, 0)');
await save('docs/console.webp');
await browser.close();
