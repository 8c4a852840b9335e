/** The whole flow of a person: from the link that the first start prints to an embed that is visible on another origin. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ServiceProcess } from '../service-process.ts';
import { openSharedChromium } from '../shared-chromium.ts';
import { TestSites } from '../test-sites.ts';
import { dragFiles } from './drag-files.ts';
import { assertEmbedVisible, assertFewClicks, countClicks, pasteInto } from './embed-flow.ts';
import { recordForeignRequests } from './open-console.ts';

const FILE = join(import.meta.dirname, '../../demo/sample.glb');

test('from the link that the first start prints to a visible embed on another origin', async (t) => {
  // Without a file for the token, the service prints the link.
  const service = await ServiceProcess.open(t, { CLOCHE_BOOTSTRAP_TOKEN_FILE: undefined });
  const sites = await TestSites.open(t);
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  recordForeignRequests(page, [service.origin], errors);

  const [link = ''] = /http\S+#sign-in=\w+/.exec(service.output) ?? [];
  assert.ok(link.startsWith(`${service.origin}/console#`), service.output);
  assert.ok(!service.output.includes('enter a token'), service.output);
  await page.goto(link);
  const clicks = await countClicks(page);
  await page.getByRole('button', { name: 'Sign in with the link' }).click();
  await page.getByText('You have no designs yet.').waitFor();

  const drop = await dragFiles(page, [FILE]);
  await drop();
  await page.getByText('1 of 1 upload finished').waitFor();
  await page.getByRole('heading', { name: 'sample' }).getByRole('link').click();
  await page.locator('main').getByRole('link', { name: 'Embed', exact: true }).click();
  const shop = sites.getOrigin('shop.test');
  await page.getByLabel('Addresses of your pages').fill(shop);
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByText('The token is in the code below').waitFor();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByText('Copied', { exact: true }).waitFor();

  const editor = sites.addPage('shop.test', '/editor', '<textarea></textarea>');
  const html = await pasteInto(page, editor);
  assert.match(html, /token=cloche_pk_\w+/);
  await assertEmbedVisible(page, sites.addPage('shop.test', '/chairs', html));
  assertFewClicks(clicks.count);

  // The link was used: it is not offered again.
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API token').waitFor();
  assert.deepEqual(errors, []);
});
