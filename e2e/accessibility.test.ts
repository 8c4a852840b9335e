import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Frame, Page } from 'playwright-core';
import { readConsoleBuild } from '../server/src/console/console-build.ts';
import { DOCS_PATHS } from '../server/src/docs/pages.ts';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { openTestServer } from '../server/testing/harness.ts';
import { issueToken, sendRequest, uploadTestDesign } from '../server/testing/requests.ts';
import { findViolations, ONLY_COLORS } from './find-violations.ts';
import { openSharedChromium } from './shared-chromium.ts';
import { TestSites } from './test-sites.ts';

const CONSOLE_DIST = join(import.meta.dirname, '../console/dist');
const VIEWER_DIST = join(import.meta.dirname, '../viewer/dist');
const DEMO_PAGES = join(import.meta.dirname, '../demo/pages');
const WAIT_OPTIONS = { timeout: 60_000 };

for (const colorScheme of ['light', 'dark'] as const) {
  describe(`accessibility with axe, ${colorScheme} color scheme`, () => {
    const options = colorScheme === 'dark' ? ONLY_COLORS : {};
    it('the documentation pages have no violations', async (t) => {
      const { service, page } = await open(t, colorScheme);
      for (const path of [...DOCS_PATHS, '/docs/unknown']) {
        await page.goto(`${service.origin}${path}`);
        if (path === '/docs/api') await page.waitForSelector('article', WAIT_OPTIONS);
        assert.deepEqual(await findViolations(page.mainFrame(), options), [], path);
      }
    });

    it('the demo pages have no violations', async (t) => {
      const { page } = await open(t, colorScheme);
      const sites = await TestSites.open(t);
      for (const file of ['shop.html', 'unlisted.html']) {
        const html = await readFile(join(DEMO_PAGES, file), 'utf8');
        await page.goto(sites.addPage('shop.test', `/${file}`, html));
        assert.deepEqual(await findViolations(page.mainFrame(), options), [], file);
      }
    });

    it('an embed has no violations: shown, with help, refused, and failed', async (t) => {
      const { service, page } = await open(t, colorScheme);
      const sites = await TestSites.open(t);
      const shop = sites.getOrigin('shop.test');
      const design = await uploadTestDesign(service);
      const { token } = await issueToken(service, { origins: [shop] });
      const { body } = await sendRequest(service, 'POST', '/embed/iframe/v1', { uri: design.uri });
      const html = body.replace('CLOCHE_EMBED_TOKEN', token);
      for (const [name, state] of [
        ['shop.test', '[data-state="ready"]'],
        ['evil.test', ''],
      ]) {
        await page.goto(sites.addPage(name as string, '/', html));
        await page.frameLocator('iframe').locator(`html${state} body`).waitFor(WAIT_OPTIONS);
        assert.deepEqual(await findViolations(getEmbedFrame(page), options), [], name);
        if (state !== '') await examineHelp(page);
      }
      await page.route('**/*.glb', (route) => route.abort());
      await page.goto(`${shop}/`);
      await page.frameLocator('iframe').locator('html[data-state="failed"]').waitFor(WAIT_OPTIONS);
      assert.deepEqual(await findViolations(getEmbedFrame(page), options), []);
    });
  });
}

async function open(t: TestContext, colorScheme: 'light' | 'dark') {
  const service = await openTestServer(t, {
    listen: true,
    viewer: await readViewerBuild(VIEWER_DIST),
    console: await readConsoleBuild(CONSOLE_DIST),
  });
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const page = await browser.newPage({ colorScheme, viewport: { width: 1440, height: 900 } });
  return { service, page };
}

function getEmbedFrame(page: Page): Frame {
  const [, frame] = page.frames();
  assert.ok(frame);
  return frame;
}

/** Opens help with the button of the control bar, and closes it. */
async function examineHelp(page: Page): Promise<void> {
  const frame = page.frameLocator('iframe');
  const button = frame
    .getByRole('toolbar', { name: 'Controls' })
    .getByRole('button', { name: 'Help' });
  await button.press('Enter', WAIT_OPTIONS);
  const dialog = frame.getByRole('dialog', { name: 'Help' });
  await dialog.getByText('Swipe sideways').waitFor(WAIT_OPTIONS);
  assert.deepEqual(await findViolations(getEmbedFrame(page)), [], 'help');
  await dialog.press('Escape');
  await dialog.waitFor({ ...WAIT_OPTIONS, state: 'hidden' });
  assert.equal(await button.evaluate((element) => element === document.activeElement), true);
}
