import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import axe from 'axe-core';
import type { Frame, Page } from 'playwright-core';
import { readViewerFiles } from '../server/src/embed/viewer-files.ts';
import { openService } from '../server/testing/harness.ts';
import { ask, issue, upload } from '../server/testing/requests.ts';
import { openChromium } from './chromium.ts';
import { Sites } from './sites.ts';

const VIEWER = join(import.meta.dirname, '../viewer/dist');
const DEMO = join(import.meta.dirname, '../demo/pages');
const PATIENCE = { timeout: 60_000 };
const DOCS = ['', '/install', '/configure', '/designs', '/embed', '/problems', '/security', '/api'];

/** What axe finds in a document, by the rule and the element. */
async function faults(frame: Frame): Promise<string[]> {
  await frame.evaluate(axe.source);
  return frame.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target}: ${failureSummary}`),
    );
  });
}

for (const colorScheme of ['light', 'dark'] as const) {
  describe(`with axe, in ${colorScheme} colours`, () => {
    it('the pages of the documentation have no faults', async (t) => {
      const { service, page } = await open(t, colorScheme);
      for (const path of DOCS) {
        await page.goto(`${service.origin}/docs${path}`);
        if (path === '/api') await page.waitForSelector('article', PATIENCE);
        assert.deepEqual(await faults(page.mainFrame()), [], `/docs${path}`);
      }
    });

    it('the pages of the demo have none', async (t) => {
      const { page } = await open(t, colorScheme);
      const sites = await Sites.open(t);
      for (const file of ['shop.html', 'foreign.html']) {
        const html = await readFile(join(DEMO, file), 'utf8');
        await page.goto(sites.add('shop.test', `/${file}`, html));
        assert.deepEqual(await faults(page.mainFrame()), [], file);
      }
    });

    it('an embed has none: shown, refused, and failed', async (t) => {
      const { service, page } = await open(t, colorScheme);
      const sites = await Sites.open(t);
      const shop = sites.originOf('shop.test');
      const design = await upload(service);
      const { token } = await issue(service, { origins: [shop] });
      const { body } = await ask(service, 'POST', '/embed/iframe/v1', { uri: design.uri });
      const html = body.replace('CLOCHE_EMBED_TOKEN', token);
      for (const [name, state] of [
        ['shop.test', '[data-state="ready"]'],
        ['evil.test', ''],
      ]) {
        await page.goto(sites.add(name as string, '/', html));
        await page.frameLocator('iframe').locator(`html${state} body`).waitFor(PATIENCE);
        assert.deepEqual(await faults(embedOf(page)), [], name);
      }
      await page.route('**/*.glb', (route) => route.abort());
      await page.goto(`${shop}/`);
      await page.frameLocator('iframe').locator('html[data-state="failed"]').waitFor(PATIENCE);
      assert.deepEqual(await faults(embedOf(page)), []);
    });
  });
}

async function open(t: TestContext, colorScheme: 'light' | 'dark') {
  const service = await openService(t, { listen: true, viewer: await readViewerFiles(VIEWER) });
  const browser = await openChromium();
  t.after(() => browser.close());
  const page = await browser.newPage({ colorScheme, viewport: { width: 1440, height: 900 } });
  return { service, page };
}

function embedOf(page: Page): Frame {
  const [, frame] = page.frames();
  assert.ok(frame);
  return frame;
}
