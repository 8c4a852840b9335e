import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { openSharedChromium } from '../../../e2e/shared-chromium.ts';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { openTestServer } from '../../testing/harness.ts';
import { readConsoleBuild } from '../console/console-build.ts';
import { readSdkBuild } from '../sdk/sdk-build.ts';
import { DOCS_PATHS } from './pages.ts';

const ROOT = join(import.meta.dirname, '../../..');
const WAIT_OPTIONS = { timeout: 60_000 };

async function openPage(t: TestContext, width: number) {
  const service = await openTestServer(t, {
    listen: true,
    console: await readConsoleBuild(join(ROOT, 'console/dist')),
    sdk: await readSdkBuild(join(ROOT, 'sdk/dist')),
  });
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    // The browser also logs 4xx responses here, which are not errors of the page.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) {
      errors.push(message.text());
    }
  });
  return { ...service, page, errors };
}

describe('the documentation in a browser', () => {
  it('fits a phone and has no script or policy errors', async (t) => {
    const { page, origin, errors } = await openPage(t, 360);
    for (const path of DOCS_PATHS) {
      await page.goto(`${origin}${path}`);
      if (path === '/docs/api') await page.waitForSelector('article', WAIT_OPTIONS);
      // As a string, because browser types are not available here.
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.equal(overflow, 0, `${path} is wider than the screen`);
    }
    assert.deepEqual(errors, []);
  });

  it('has its menu in one line on a desktop', async (t) => {
    const { page, origin } = await openPage(t, 1280);
    await page.goto(`${origin}/docs/examples`);
    const links = page.locator('.page-header a');
    const boxes = await Promise.all((await links.all()).map((link) => link.boundingBox()));
    const centers = boxes.map((box) => (box?.y ?? 0) + (box?.height ?? 0) / 2);
    assert.equal(
      boxes.length,
      DOCS_PATHS.filter((path) => !/embed-|scale|backup|console|operate/.test(path)).length + 1,
    );
    assert.ok(Math.max(...centers) - Math.min(...centers) < 10, String(centers));
  });

  it('has each setting in one line on a desktop', async (t) => {
    const { page, origin } = await openPage(t, 1440);
    await page.goto(`${origin}/docs/configure`);
    const lines = await page.evaluate(
      "[...document.querySelectorAll('td:first-child > code')].map((code) => code.getClientRects().length)",
    );
    assert.ok(Array.isArray(lines) && lines.length > 20, String(lines));
    assert.deepEqual(new Set(lines), new Set([1]));
  });

  it('scrolls to a problem', async (t) => {
    const { page, origin } = await openPage(t, 1440);
    await page.goto(`${origin}/docs/problems#embed.grant`);
    let y: number | undefined;
    await waitUntil(
      () => `the problem is at the top: ${y}`,
      async () => {
        y = (await page.locator('[id="embed.grant"]').boundingBox())?.y;
        return y !== undefined && y >= 0 && y < 100;
      },
    );
  });
});
