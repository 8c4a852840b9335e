import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { PreviewLink } from '@cloche/contract/preview-link';
import { makeBox } from '@cloche/pipeline/testing/models';
import type { Page } from 'playwright-core';
import { readConsoleBuild } from '../server/src/console/console-build.ts';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { openTestServer } from '../server/testing/harness.ts';
import { GLB_HEADERS, sendRequest } from '../server/testing/requests.ts';
import { extendTimeLimits } from './extend-time-limits.ts';
import { findViolations } from './find-violations.ts';
import { openSharedChromium } from './shared-chromium.ts';

const ROOT = join(import.meta.dirname, '..');
const WAIT_OPTIONS = { timeout: 120_000 };

async function openSpeedPage(t: TestContext) {
  const service = await openTestServer(t, {
    listen: true,
    viewer: await readViewerBuild(join(ROOT, 'viewer/dist')),
    console: await readConsoleBuild(join(ROOT, 'console/dist')),
  });
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 360, height: 800 } });
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text()))
      errors.push(message.text());
  });
  await page.addInitScript(extendTimeLimits);
  await page.goto(`${service.origin}/docs/speed`);
  return { service, page, errors };
}

/** Measures, and returns what the page then says. */
async function measure(page: Page, link = ''): Promise<string> {
  await page.getByLabel('Preview link of a design').fill(link);
  await page.getByRole('button', { name: 'Measure' }).click();
  await page.locator('#speed-test button[type=submit]:enabled').waitFor(WAIT_OPTIONS);
  return (await page.locator('#speed-test .status').textContent()) ?? '';
}

const readReport = (page: Page) =>
  page.getByRole('group', { name: 'The figures as text' }).textContent();

describe('the page about speed', () => {
  it('measures the sample, then again, and a design by its preview link', async (t) => {
    const { service, page, errors } = await openSpeedPage(t);
    assert.match(await measure(page), /^Measured/);
    const first = (await readReport(page)) ?? '';
    for (const line of [
      /^GPU: .*SwiftShader/m,
      /^Design: the sample$/m,
      /^First 3D frame: \d+ ms$/m,
      /^Full model: \d+ ms$/m,
      /^Received: [1-9]\d* kB$/m,
      /^Frame, median: \d+\.\d ms$/m,
    ]) {
      assert.match(first, line);
    }
    assert.deepEqual(await findViolations(page.mainFrame()), []);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    assert.equal(overflow, 0, 'the page is wider than the screen');

    assert.match(await measure(page), /^Measured/);
    assert.match((await readReport(page)) ?? '', /^First 3D frame: \d+ ms, \d+ ms$/m);

    const upload = await sendRequest(service, 'POST', '/v1/designs', makeBox(), GLB_HEADERS);
    const links = `/v1/designs/${upload.json().id}/preview-links`;
    const { url }: PreviewLink = (await sendRequest(service, 'POST', links)).json();
    assert.match(await measure(page, url), /^Measured/);
    assert.match(
      (await readReport(page)) ?? '',
      /^Design: from a preview link\nFirst 3D frame: \d+ ms\n/m,
    );
    assert.deepEqual(errors, []);
  });

  it('says what is wrong with a link', async (t) => {
    const { service, page } = await openSpeedPage(t);
    assert.match(await measure(page, 'https://shop.example/'), /^This is not a preview link/);
    const id = '00000000-0000-4000-8000-000000000001';
    const link = `${service.origin}/preview/${id}?link=invalid`;
    assert.equal(await measure(page, link), 'The design is not shown; the frame says why.');
  });
});
