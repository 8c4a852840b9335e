import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueToken, uploadTestDesign } from '../../server/testing/requests.ts';
import { TestSites } from '../test-sites.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { readEmbedCode } from './embed-code-tabs.ts';
import { assertEmbedVisible } from './embed-flow.ts';
import { openConsole } from './open-console.ts';

const PLACEHOLDER = 'CLOCHE_EMBED_TOKEN';

test('the embed builder selects a token that exists, and its text completes the code', async (t) => {
  const sites = await TestSites.open(t);
  const { service, page, errors } = await openConsole(t);
  const design = await uploadTestDesign(service);
  const shop = sites.getOrigin('shop.test');
  const { token } = await issueToken(service, { name: 'shop', origins: [shop] });
  await issueToken(service, { name: 'blog', origins: ['https://blog.example'] });
  await page.goto(`${service.origin}/console/embed?design=${design.id}`);
  await page.getByRole('tab', { name: 'HTML' }).waitFor();
  await page.getByRole('radio', { name: 'blog' }).waitFor();
  await page.getByLabel('Addresses of your pages').fill(shop);
  await page.getByRole('radio', { name: 'blog' }).waitFor({ state: 'detached' });
  await page.getByRole('radio', { name: 'shop' }).check();
  const code = page.getByRole('tabpanel', { name: 'HTML' });
  await code.getByText(PLACEHOLDER).waitFor();

  const field = page.getByLabel('Text of the token');
  // A secret token never gets into a page.
  for (const text of [token.slice(0, -1), service.token, `${token} x`]) {
    await field.fill(text);
    await page.getByRole('alert').filter({ hasText: 'begins with cloche_pk_' }).waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    assert.ok((await readEmbedCode(page)).includes(`token=${PLACEHOLDER}`), text);
  }
  await assertPageFits(page, 'a text that is not a token');
  await field.fill(` ${token} `);
  await code.getByText(token).waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  const html = await readEmbedCode(page);
  assert.ok(!html.includes(PLACEHOLDER));
  await assertEmbedVisible(page, sites.addPage('shop.test', '/chairs', html));
  assert.deepEqual(errors, []);
});
