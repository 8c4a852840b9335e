import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import type { Page } from 'playwright-core';
import { readConsoleBuild } from '../server/src/console/console-build.ts';
import { EMBED_EXAMPLES } from '../server/src/docs/embed-examples.ts';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { openTestServer } from '../server/testing/harness.ts';
import { sendRequest } from '../server/testing/requests.ts';
import { findViolations } from './find-violations.ts';
import { openSharedChromium } from './shared-chromium.ts';

const ROOT = join(import.meta.dirname, '..');
const WAIT_OPTIONS = { timeout: 60_000 };

async function openApiPage(t: TestContext, { javaScriptEnabled = true } = {}) {
  const service = await openTestServer(t, {
    listen: true,
    viewer: await readViewerBuild(join(ROOT, 'viewer/dist')),
    console: await readConsoleBuild(join(ROOT, 'console/dist')),
  });
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, javaScriptEnabled });
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    // The browser also logs 4xx responses here, which are not errors of the page.
    const isRefusal = /status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !isRefusal) errors.push(message.text());
  });
  await page.goto(`${service.origin}/docs/api`);
  return { service, page, errors };
}

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('API token').fill(token);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Signed in.', { exact: true }).waitFor();
}

const click = (page: Page, name: string) => page.getByRole('button', { name }).click();

/** Does the steps after the first, for the address of the page itself. */
async function assertRemainingSteps(page: Page): Promise<void> {
  await page.getByText('The design is ready.').waitFor(WAIT_OPTIONS);
  await click(page, 'Get the HTML');
  await page.getByRole('group', { name: 'HTML with the placeholder' }).waitFor();
  await click(page, 'Create the token');
  await page.getByRole('group', { name: 'Response' }).nth(1).waitFor();
  await click(page, 'Put them together');
  const html = await page.getByRole('group', { name: 'HTML for your page' }).textContent();
  assert.match(html ?? '', /^<iframe src="[^"]+\?token=cloche_pk_\w{38}"/);
  // An embed starts when it is in view.
  await page.locator('.flow-embed').scrollIntoViewIfNeeded();
  const embed = page.frameLocator('.flow-embed').locator('html[data-state="ready"]');
  await embed.waitFor(WAIT_OPTIONS);
}

describe('the API page', () => {
  it('does all four steps with the sample, and with a file of the reader', async (t) => {
    const { service, page, errors } = await openApiPage(t);
    await page.getByLabel('API token').waitFor(WAIT_OPTIONS);
    await click(page, 'Use the sample');
    await page.getByRole('alert').filter({ hasText: 'Enter your token first' }).waitFor();
    await page.locator('#token:focus').waitFor();
    await signIn(page, service.token);
    await click(page, 'Use the sample');
    await assertRemainingSteps(page);
    assert.deepEqual(await findViolations(page.mainFrame()), []);

    await page.getByLabel('Or your own file').setInputFiles({
      name: 'Oak chair.glb',
      mimeType: 'model/gltf-binary',
      buffer: makeBox(),
    });
    await page.getByText('"name": "Oak chair"').waitFor();
    await assertRemainingSteps(page);
    const { items } = (await sendRequest(service, 'GET', '/v1/designs')).json();
    assert.deepEqual(
      items.map(({ name }: { name: string }) => name),
      ['Oak chair', 'Sample'],
    );
    const tokens = (await sendRequest(service, 'GET', '/v1/tokens')).json().items;
    assert.ok(tokens.every((token: { seenInBrowserAt: null }) => token.seenInBrowserAt === null));
    assert.deepEqual(errors, []);
  });

  it('says which step is missing, and what is wrong with an address', async (t) => {
    const { service, page } = await openApiPage(t);
    await signIn(page, service.token);
    await click(page, 'Get the HTML');
    await page.getByRole('alert').filter({ hasText: 'Choose a design first' }).waitFor();
    await click(page, 'Put them together');
    await page.getByRole('alert').filter({ hasText: 'Get the HTML first' }).waitFor();
    await page.getByLabel('Address of your page').fill('https://*');
    await click(page, 'Create the token');
    await page.getByRole('alert').filter({ hasText: 'whole first label' }).waitFor();
  });

  it('sends the requests of every operation with the session', async (t) => {
    const { service, page, errors } = await openApiPage(t);
    const operation = page.locator('#getDesigns');
    await operation.waitFor(WAIT_OPTIONS);
    await operation.getByText('Try it').click();
    const send = operation.getByRole('button', { name: 'Send' });
    const status = operation.getByRole('status').filter({ hasText: 'after' });
    await send.click();
    await status.filter({ hasText: '401' }).waitFor(WAIT_OPTIONS);
    await signIn(page, service.token);
    await send.click();
    await status.filter({ hasText: '200 OK' }).waitFor(WAIT_OPTIONS);
    await operation.getByText('"items": []').waitFor(WAIT_OPTIONS);
    await click(page, 'Sign out');
    await page.getByLabel('API token').waitFor();
    await send.click();
    await status.filter({ hasText: '401' }).waitFor(WAIT_OPTIONS);
    assert.deepEqual(errors, []);
  });

  it('has a tab for each language, for the mouse and the keyboard', async (t) => {
    const { service, page } = await openApiPage(t);
    const panel = page.getByRole('tabpanel');
    for (const { language } of EMBED_EXAMPLES) {
      await page.getByRole('tab', { name: language }).click();
      assert.equal(await panel.count(), 1);
      const code = (await panel.textContent()) ?? '';
      assert.ok(code.includes(`${service.origin}`) && code.includes('CLOCHE_EMBED_TOKEN'), code);
    }
    for (const [key, language] of [
      ['ArrowRight', 'curl'],
      ['ArrowLeft', 'Go'],
      ['Home', 'curl'],
      ['End', 'Go'],
    ] as const) {
      await page.keyboard.press(key);
      await page.locator('[role="tab"]:focus').getByText(language, { exact: true }).waitFor();
      assert.equal(
        await panel.getAttribute('aria-labelledby'),
        await page.getByRole('tab', { name: language }).getAttribute('id'),
      );
    }
  });

  it('without JavaScript: all programs are readable', async (t) => {
    const { page } = await openApiPage(t, { javaScriptEnabled: false });
    for (const { language } of EMBED_EXAMPLES) {
      await page.getByRole('heading', { name: language, exact: true }).waitFor();
    }
    assert.equal(
      await page.getByText('Replace the placeholder. Paste').count(),
      EMBED_EXAMPLES.length,
    );
  });
});
